package main

import (
	"encoding/json"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// TestEveryCommandThatPrintsResultsTakesJSON lists the commands that print no results, but documents.
func TestEveryCommandThatPrintsResultsTakesJSON(t *testing.T) {
	documents := []string{"dragoman serve", "dragoman config reference", "dragoman recordings export"}
	var visit func(*cobra.Command)
	visit = func(c *cobra.Command) {
		for _, sub := range c.Commands() {
			visit(sub)
		}
		path := c.CommandPath()
		if c.HasSubCommands() || slices.Contains(documents, path) || strings.HasPrefix(path, "dragoman completion") || strings.HasPrefix(path, "dragoman help") {
			return
		}
		if c.Flags().Lookup("json") == nil {
			t.Errorf("%s has no --json", path)
		}
	}
	visit(newRoot(io.Discard))
}

func TestCheckPrintsALineOfJSONForEachCaseAndTheNumbers(t *testing.T) {
	code, out, errs := commandLine(t, "", "check", "--json", "--templates", "testdata/templates", "testdata/failing.jsonl")
	lines := strings.Split(strings.TrimSpace(out), "\n")
	for _, line := range lines {
		if !json.Valid([]byte(line)) {
			t.Errorf("not JSON: %s", line)
		}
	}
	var tally struct{ Passed, Failed int }
	must(t, json.Unmarshal([]byte(lines[len(lines)-1]), &tally))
	if code != exitFailed || tally.Failed == 0 || tally.Passed+tally.Failed != len(lines)-1 {
		t.Errorf("exit code %d, %+v:\n%s%s", code, tally, out, errs)
	}
}

func TestFaultsOfAConfigurationHaveTheirPlacesInJSON(t *testing.T) {
	file := file(t, t.TempDir(), "dragoman.yaml", "log: {level: loud}\nlimit: {}\n")
	code, out, _ := commandLine(t, "", "config", "check", "--json", file)
	var faults []linted
	must(t, json.Unmarshal([]byte(out), &faults))
	if code != exitFailed || len(faults) == 0 || faults[0].File != file || faults[0].Line == 0 || strings.Contains(faults[0].Message, file) {
		t.Errorf("exit code %d: %s", code, out)
	}
	if _, text, _ := commandLine(t, "", "config", "check", file); strings.Count(text, "\n") != len(faults) || !strings.HasPrefix(text, faults[0].String()) {
		t.Errorf("as text: %s", text)
	}
}

func TestANewPluginIsListedInJSON(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "brackets")
	_, out, errs := commandLine(t, "", "plugin", "new", "brackets", "--json", "--dir", dir)
	var made struct {
		Files []string
		Note  string
	}
	must(t, json.Unmarshal([]byte(out), &made))
	if !slices.Contains(made.Files, filepath.Join(dir, "go.mod")) || made.Note == "" || errs != "" {
		t.Errorf("%s%s", out, errs)
	}
}

func TestTheStatusNamesWhatIsUnproven(t *testing.T) {
	dir := t.TempDir()
	file(t, dir, "mute.jinja", `{% for t in tools or [] %}{{ t | tojson }}{% endfor %}{% for m in messages %}<{{ m.role }}>{{ m.content }}`+
		`{% for c in m.tool_calls or [] %}<call>{{ c.function.name }}{% for v in c.function.arguments.values() %}<v>{{ v }}</v>{% endfor %}</call>{% endfor %}</{{ m.role }}>{% endfor %}{% if add_generation_prompt %}<assistant>{% endif %}`)
	daemon := startServe(t, "--templates", dir)
	if _, out, errs := commandLine(t, "", "status", "--daemon", daemon); !strings.Contains(out, "mute.jinja): calls read as content, since they are not proven: ") {
		t.Errorf("%s%s", out, errs)
	}
}
