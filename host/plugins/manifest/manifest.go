// Package manifest reads the manifests of plugins: YAML files that stand beside executables and say what hosts must know
// before they start anything.
package manifest

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/dragoman-project/dragoman/host/plugins/process"
)

// DefaultPriority is the priority of handlers whose manifest sets none. The generic autoparser has 0.
const DefaultPriority = 100

// maxManifest is the largest size of a manifest, in bytes.
const maxManifest = 64 << 10

// Manifest describes a plugin. Either Match and Priority describe its only handler, which has the plugin's name, or Handlers
// lists its handlers.
type Manifest struct {
	// Name of the plugin, unique in the directory: lower-case letters, digits and "-".
	Name string `yaml:"name"`
	// Version of the plugin; its handlers must describe themselves with the same version.
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
	// Options are passed to the plugin unchanged.
	Options map[string]any `yaml:"options"`
	// Handlers of a plugin that has several.
	Handlers []Handler `yaml:"handlers"`
	// Fallback is what happens to requests while the plugin is down; empty: FallbackRefuse.
	Fallback Fallback `yaml:"fallback"`
	// Confinement restricts its processes.
	process.Confinement `yaml:",inline"`

	Path string // of the manifest
}

// Fallback is what happens to requests while a plugin is down.
type Fallback string

// The fallbacks.
const (
	FallbackRefuse  Fallback = "refuse"  // they fail
	FallbackGeneric Fallback = "generic" // the next handler that claims the template answers, in the end the generic autoparser
)

// Handler describes one handler of a plugin.
type Handler struct {
	Name     string `yaml:"name"`
	Match    string `yaml:"match"`
	Priority *int   `yaml:"priority"` // nil: that of the plugin
}

// Read reads a manifest from its file, for a host that speaks these versions of the plugin contract.
func Read(path string, protocols []int) (*Manifest, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return Parse(path, data, protocols)
}

// Parse reads a manifest. The error joins all of its faults; with faults in its content, the manifest is returned, too.
func Parse(path string, data []byte, protocols []int) (*Manifest, error) {
	if len(data) > maxManifest {
		return nil, fmt.Errorf("%s: %d bytes, at most %d are allowed", path, len(data), maxManifest)
	}
	m := &Manifest{Path: path}
	decoder := yaml.NewDecoder(bytes.NewReader(data))
	decoder.KnownFields(true)
	switch err := decoder.Decode(m); {
	case errors.Is(err, io.EOF):
		return nil, fmt.Errorf("%s: empty; docs/plugins.md lists the keys of a manifest", path)
	case err != nil:
		return nil, fmt.Errorf("%s: %s", path, unknownKey.ReplaceAllString(err.Error(), `unknown key "$1"`))
	}
	m.complete()
	return m, m.check(protocols)
}

// unknownKey matches what the decoder says of a key that a manifest does not have.
var unknownKey = regexp.MustCompile(`field (\S+) not found in type \S+`)

// complete sets the defaults.
func (m *Manifest) complete() {
	if m.Executable == "" {
		m.Executable = strings.TrimSuffix(filepath.Base(m.Path), filepath.Ext(m.Path))
	}
	if m.Fallback == "" {
		m.Fallback = FallbackRefuse
	}
	m.Confinement.Complete()
	if m.Priority == nil {
		priority := DefaultPriority
		m.Priority = &priority
	}
	if len(m.Handlers) == 0 && m.Match != "" {
		m.Handlers = []Handler{{Name: m.Name, Match: m.Match}}
		m.Match = ""
	}
	for i := range m.Handlers {
		if m.Handlers[i].Priority == nil {
			m.Handlers[i].Priority = m.Priority
		}
	}
}

var handlerName = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,63}$`)

func (m *Manifest) check(protocols []int) error {
	var faults []error
	fault := func(key, format string, args ...any) {
		faults = append(faults, fmt.Errorf("%s: %s: %s", m.Path, key, fmt.Sprintf(format, args...)))
	}
	if !handlerName.MatchString(m.Name) {
		fault("name", `expected lower-case letters, digits and "-", found %q`, m.Name)
	}
	if m.Version == "" {
		fault("version", "missing; set the version of the plugin, such as 1.0.0")
	}
	if !slices.Contains(protocols, m.Protocol) {
		known := strings.ReplaceAll(strings.Trim(fmt.Sprint(protocols), "[]"), " ", " or ")
		fault("protocol", "expected %s, found %d; this host supports no other version of the plugin contract", known, m.Protocol)
	}
	if m.Executable != filepath.Base(m.Executable) || m.Executable == "." || m.Executable == ".." {
		fault("executable", "expected the name of a file beside the manifest, found %q", m.Executable)
	}
	if sum, err := hex.DecodeString(m.SHA256); err != nil || m.SHA256 != "" && len(sum) != 32 {
		fault("sha256", "expected 64 hexadecimal digits, found %q", m.SHA256)
	}
	if _, err := m.EncodedOptions(); err != nil {
		fault("options", "%v; use values that JSON can represent", err)
	}
	if m.Fallback != FallbackRefuse && m.Fallback != FallbackGeneric {
		fault("fallback", `expected "refuse" or "generic", found %q`, m.Fallback)
	}
	m.Confinement.Check(fault)
	if m.Match != "" {
		fault("match", "not allowed beside handlers; write it in each of them")
	} else if len(m.Handlers) == 0 {
		fault("match", `missing; state which templates the plugin claims, such as: source contains "<|marker|>"`)
	}
	for i, h := range m.Handlers {
		if !handlerName.MatchString(h.Name) {
			fault(fmt.Sprintf("handlers[%d].name", i), `expected lower-case letters, digits and "-", found %q`, h.Name)
		}
	}
	return errors.Join(faults...)
}

// EncodedOptions returns the options as the plugin gets them, in JSON.
func (m *Manifest) EncodedOptions() (string, error) {
	if len(m.Options) == 0 {
		return "", nil
	}
	text, err := json.Marshal(m.Options)
	return string(text), err
}

// Directory returns the absolute path of the directory with the manifest.
func (m *Manifest) Directory() string {
	dir, err := filepath.Abs(filepath.Dir(m.Path))
	if err != nil {
		return filepath.Dir(m.Path)
	}
	return dir
}

// ExecutablePath returns the path of the file to run.
func (m *Manifest) ExecutablePath() string { return filepath.Join(filepath.Dir(m.Path), m.Executable) }

// HandlerNames returns the names of the handlers.
func (m *Manifest) HandlerNames() (names []string) {
	for _, h := range m.Handlers {
		names = append(names, h.Name)
	}
	return names
}
