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

// folder holds what the daemon reads: rules.yaml, templates/ and plugins/. The rules are a symbolic link, as in a ConfigMap,
// until somebody renames a file over it.
type folder string

func (f folder) rules() string     { return filepath.Join(string(f), "rules.yaml") }
func (f folder) templates() string { return filepath.Join(string(f), "templates") }
func (f folder) plugins() string   { return filepath.Join(string(f), "plugins") }

// newFolder makes a folder with the first rules, the templates of this test, and its plugin.
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
			return "", fmt.Errorf("%w; make soak builds it", err)
		}
		if err := os.WriteFile(filepath.Join(f.plugins(), name), data, mode); err != nil {
			return "", err
		}
	}
	return f, os.WriteFile(f.rules(), []byte(rules(0)), 0o644)
}

// ruleSets is how many rule sets take turns.
const ruleSets = 2

// rules is a file of workarounds. Under rule set 1, one template begins and ends its thoughts with other markers than its
// text says.
func rules(set int) string {
	marker := [ruleSets]string{"think", "plan"}[set]
	return strings.ReplaceAll(`version: 1
workarounds:
  - name: thoughts
    because: the soak test says so
    when: name == "chatml-json"
    set:
      reasoning: {mode: tag_based, start: "<MARKER>", end: "</MARKER>"}
`, "MARKER", marker)
}
