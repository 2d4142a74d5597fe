package conformance

import (
	"fmt"
	"os"
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/dragoman-project/dragoman/sdk/handler"
)

// defaultPriority is the priority of handlers whose manifest has none.
const defaultPriority = 100

// manifest is the part of a manifest that must agree with descriptions.
type manifest struct {
	claim    `yaml:",inline"`
	Version  string  `yaml:"version"`
	Handlers []claim `yaml:"handlers"`
}

type claim struct {
	Name     string `yaml:"name"`
	Match    string `yaml:"match"`
	Priority *int   `yaml:"priority"`
}

// RunManifest checks in a test that a plugin's manifest agrees with the descriptions of its handlers.
func RunManifest(t T, path string, handlers ...handler.Handler) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Errorf("%v", err)
		return
	}
	var m manifest
	if err := yaml.Unmarshal(data, &m); err != nil {
		t.Errorf("%s: %v", path, err)
		return
	}
	claims := m.claims()
	for _, h := range handlers {
		d := h.Describe()
		described := fmt.Sprintf("%s %s %d: %s", d.Name, d.Version, d.Priority, d.Match)
		if !slices.Contains(claims, described) {
			t.Errorf("%s: no handler matches the description\n%s\nthe manifest has\n%s", path, described, claims)
		}
	}
	if len(claims) != len(handlers) {
		t.Errorf("%s: %d handlers; the plugin has %d", path, len(claims), len(handlers))
	}
}

// claims returns the handlers of the manifest as text.
func (m manifest) claims() []string {
	all := m.Handlers
	if len(all) == 0 {
		all = []claim{m.claim}
	}
	var out []string
	for _, c := range all {
		priority := defaultPriority
		for _, p := range []*int{m.Priority, c.Priority} {
			if p != nil {
				priority = *p
			}
		}
		out = append(out, fmt.Sprintf("%s %s %d: %s", c.Name, m.Version, priority, c.Match))
	}
	return out
}
