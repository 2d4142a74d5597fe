package main

import (
	"github.com/dragoman-project/dragoman/internal/shared"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestTheManualOfPluginsCanBeFollowed runs the shell commands of docs/plugins.md in an empty folder, and looks for the outputs
// that it shows in what they print, in order.
func TestTheManualOfPluginsCanBeFollowed(t *testing.T) {
	shared.Slow(t)
	t.Parallel()
	text, err := os.ReadFile(filepath.Join(checkout, "docs", "plugins.md"))
	must(t, err)
	repository, err := filepath.Abs(checkout)
	must(t, err)
	shell := exec.Command("bash", "-eu", "-o", "pipefail")
	shell.Dir = t.TempDir()
	shell.Env = append(os.Environ(), "DRAGOMAN="+repository, "GOFLAGS=")
	shell.Stdin = strings.NewReader(strings.Join(blocks(string(text), "sh"), "\n"))
	printed, err := shell.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, printed)
	}
	rest := string(printed)
	for _, shown := range blocks(string(text), "output") {
		for line := range strings.Lines(shown) {
			_, after, found := strings.Cut(rest, strings.TrimSpace(line))
			if !found {
				t.Fatalf("%q is missing, or in another place, in\n%s", line, printed)
			}
			rest = after
		}
	}
}

// blocks returns the fenced blocks of a language.
func blocks(text, language string) (all []string) {
	for _, block := range strings.Split(text, "\n```"+language+"\n")[1:] {
		body, _, _ := strings.Cut(block, "```")
		all = append(all, body)
	}
	return all
}
