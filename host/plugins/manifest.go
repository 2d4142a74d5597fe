package plugins

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"go.yaml.in/yaml/v3"
)

// DefaultPriority is that of handlers whose manifest states none. The generic autoparser has 0.
const DefaultPriority = 100

// maxManifest is how many bytes a manifest may have.
const maxManifest = 64 << 10

// Manifest is what stands beside a plugin's executable. Either Match and Priority describe its only handler, named as the
// plugin, or Handlers lists them.
type Manifest struct {
	// Name of the plugin, unique in the directory: lower-case letters, digits and "-".
	Name string `yaml:"name"`
	// Version of the plugin; its handlers must describe themselves with the same.
	Version string `yaml:"version"`
	// Protocol is the major version of the plugin contract.
	Protocol int `yaml:"protocol"`
	// Executable is the file to run, beside the manifest; empty: the manifest's name without ".yaml".
	Executable string `yaml:"executable"`
	// SHA256 of the executable in hexadecimal; empty: any content is run.
	SHA256 string `yaml:"sha256"`
	// Match is the predicate that a template must satisfy.
	Match string `yaml:"match"`
	// Priority decides between handlers that claim the same template; the highest wins. Nil: DefaultPriority.
	Priority *int `yaml:"priority"`
	// Options are handed to the plugin as they are.
	Options map[string]any `yaml:"options"`
	// Handlers of a plugin that has several.
	Handlers []HandlerManifest `yaml:"handlers"`
	// Fallback says what becomes of a request while the plugin is down; empty: FallbackRefuse.
	Fallback Fallback `yaml:"fallback"`
	// Confinement says how its processes are held.
	Confinement `yaml:",inline"`

	path string // of the manifest
}

// Fallback is what becomes of requests while a plugin is down.
type Fallback string

// The fallbacks.
const (
	FallbackRefuse  Fallback = "refuse"  // they fail: *Unavailable
	FallbackGeneric Fallback = "generic" // the next handler that claims the template answers, at last the generic autoparser
)

// HandlerManifest is what a manifest says of one handler.
type HandlerManifest struct {
	Name     string `yaml:"name"`
	Match    string `yaml:"match"`
	Priority *int   `yaml:"priority"` // nil: that of the plugin
}

// readManifest reads a manifest from its file, for a host that speaks these contracts.
func readManifest(path string, spoken contracts) (*Manifest, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return parseManifest(path, data, spoken)
}

// parseManifest reports every fault of a manifest.
func parseManifest(path string, data []byte, spoken contracts) (*Manifest, error) {
	if len(data) > maxManifest {
		return nil, fmt.Errorf("%s: %d bytes, a manifest has at most %d", path, len(data), maxManifest)
	}
	m := &Manifest{path: path}
	decoder := yaml.NewDecoder(bytes.NewReader(data))
	decoder.KnownFields(true)
	if err := decoder.Decode(m); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	m.complete()
	return m, m.check(spoken)
}

// complete fills in what a manifest may leave out.
func (m *Manifest) complete() {
	if m.Executable == "" {
		m.Executable = strings.TrimSuffix(filepath.Base(m.path), filepath.Ext(m.path))
	}
	if m.Fallback == "" {
		m.Fallback = FallbackRefuse
	}
	m.Confinement.complete()
	if m.Priority == nil {
		priority := DefaultPriority
		m.Priority = &priority
	}
	if len(m.Handlers) == 0 && m.Match != "" {
		m.Handlers = []HandlerManifest{{Name: m.Name, Match: m.Match}}
		m.Match = ""
	}
	for i := range m.Handlers {
		if m.Handlers[i].Priority == nil {
			m.Handlers[i].Priority = m.Priority
		}
	}
}

var handlerName = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,63}$`)

func (m *Manifest) check(spoken contracts) error {
	var faults []error
	fault := func(key, format string, args ...any) {
		faults = append(faults, fmt.Errorf("%s: %s: %s", m.path, key, fmt.Sprintf(format, args...)))
	}
	if !handlerName.MatchString(m.Name) {
		fault("name", `expected lower-case letters, digits and "-", found %q`, m.Name)
	}
	if m.Version == "" {
		fault("version", "missing; say which version of the plugin this is, such as 1.0.0")
	}
	if spoken[m.Protocol] == nil {
		fault("protocol", "expected %v, found %d; this host speaks no other version of the plugin contract", spoken, m.Protocol)
	}
	if m.Executable != filepath.Base(m.Executable) || m.Executable == "." || m.Executable == ".." {
		fault("executable", "expected the name of a file beside the manifest, found %q", m.Executable)
	}
	if sum, err := hex.DecodeString(m.SHA256); err != nil || m.SHA256 != "" && len(sum) != 32 {
		fault("sha256", "expected 64 hexadecimal digits, found %q", m.SHA256)
	}
	if _, err := m.options(); err != nil {
		fault("options", "%v; use values that JSON has", err)
	}
	if m.Fallback != FallbackRefuse && m.Fallback != FallbackGeneric {
		fault("fallback", `expected "refuse" or "generic", found %q`, m.Fallback)
	}
	m.Confinement.check(fault)
	if m.Match != "" {
		fault("match", "stands beside handlers; write it in each of them")
	} else if len(m.Handlers) == 0 {
		fault("match", `missing; say which templates the plugin claims, such as: source contains "<|marker|>"`)
	}
	for i, h := range m.Handlers {
		if !handlerName.MatchString(h.Name) {
			fault(fmt.Sprintf("handlers[%d].name", i), `expected lower-case letters, digits and "-", found %q`, h.Name)
		}
	}
	return errors.Join(faults...)
}

// options are the options as the plugin gets them.
func (m *Manifest) options() (string, error) {
	if len(m.Options) == 0 {
		return "", nil
	}
	text, err := json.Marshal(m.Options)
	return string(text), err
}

// directory is where the manifest stands.
func (m *Manifest) directory() string {
	dir, err := filepath.Abs(filepath.Dir(m.path))
	if err != nil {
		return filepath.Dir(m.path)
	}
	return dir
}

// executable is the path of the file to run.
func (m *Manifest) executable() string { return filepath.Join(filepath.Dir(m.path), m.Executable) }
