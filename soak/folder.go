package main

import (
	"embed"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

//go:embed templates/*.jinja
var templates embed.FS

// folder is the path of what the daemon reads: rules.yaml, templates/ and plugins/. After a swap, rules.yaml is a symbolic
// link, as in a ConfigMap, until a file is renamed over it.
type folder string

func (f folder) rules() string     { return filepath.Join(string(f), "rules.yaml") }
func (f folder) templates() string { return filepath.Join(string(f), "templates") }
func (f folder) plugins() string   { return filepath.Join(string(f), "plugins") }

// newFolder creates a folder with rule set 0, and with the templates and the plugin of this test.
func newFolder(plugin string) (folder, error) {
	dir, err := os.MkdirTemp("", "soak-")
	if err != nil {
		return "", err
	}
	f := folder(dir)
	if err := os.CopyFS(dir, templates); err != nil {
		return "", err
	}
	if err := os.Mkdir(f.plugins(), 0o755); err != nil {
		return "", err
	}
	for name, mode := range map[string]os.FileMode{"soakplugin": 0o755, "soakplugin.yaml": 0o644} {
		data, err := os.ReadFile(filepath.Join(plugin, name))
		if err != nil {
			return "", fmt.Errorf("%w; build it with make soak", err)
		}
		if err := os.WriteFile(filepath.Join(f.plugins(), name), data, mode); err != nil {
			return "", err
		}
	}
	return f, os.WriteFile(f.rules(), []byte(rules(0)), 0o644)
}

// ruleSets is the number of rule sets.
const ruleSets = 2

// rules returns a workarounds file. Under rule set 1, the reasoning of one template has other markers than in its text.
func rules(set int) string {
	marker := [ruleSets]string{"think", "plan"}[set]
	return strings.ReplaceAll(`version: 1
workarounds:
  - name: thoughts
    because: the soak test changes it
    when: name == "chatml-json"
    set:
      reasoning: {mode: tag_based, start: "<MARKER>", end: "</MARKER>"}
`, "MARKER", marker)
}
