package main

import (
	"io"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dragoman-project/dragoman/host"
	"github.com/dragoman-project/dragoman/host/api"
	"github.com/dragoman-project/dragoman/host/config"
	"github.com/dragoman-project/dragoman/host/recorder"
	"github.com/dragoman-project/dragoman/internal/shared"
	"github.com/dragoman-project/dragoman/sdk/session"
	"github.com/spf13/cobra"
)

// TestTheExamplesOfHelpTextsWork runs every example in a folder with the files that they name.
func TestTheExamplesOfHelpTextsWork(t *testing.T) {
	shared.Slow(t)
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip(err)
	}
	bin, dir := binary(t), t.TempDir()
	daemon, recording := exampleDaemon(t, filepath.Join(dir, "recordings"))
	exampleFiles(t, dir)
	// Exit codes other than 0, and examples that are not run.
	codes := map[string]int{"diff": exitFailed, "rollback": exitFailed}
	skipped := map[string]string{"dragoman serve": "it does not end", "--watch": "it does not end", "dragoman plugin verify": "it needs a built plugin", "--sdk": "it needs a checkout"}
	for _, cmd := range all(newRoot(io.Discard)) {
		for line := range strings.Lines(cmd.Example) {
			line = strings.TrimSpace(line)
			t.Run(line, func(t *testing.T) {
				for part, why := range skipped {
					if strings.Contains(line, part) {
						t.Skip(why)
					}
				}
				script := strings.NewReplacer("http://127.0.0.1:8080", daemon, "http://127.0.0.1:9000", daemon, "660e732d1875e3d-7928", recording).Replace(line)
				if _, err := exec.LookPath("jq"); err != nil {
					script, _, _ = strings.Cut(script, "| jq")
				}
				run := exec.CommandContext(t.Context(), "bash", "-o", "pipefail", "-c", "engine() { cat output.txt; }\n"+script)
				run.Dir = dir
				run.Env = append(os.Environ(), "PATH="+bin+":"+os.Getenv("PATH"), "HOME="+dir, envDaemon+"="+daemon)
				out, err := run.CombinedOutput()
				if code := run.ProcessState.ExitCode(); code != codes[cmd.Name()] {
					t.Errorf("%v\n%s", err, out)
				}
			})
		}
	}
}

// all returns a command and those below it, without cobra's own.
func all(cmd *cobra.Command) []*cobra.Command {
	list := []*cobra.Command{cmd}
	for _, sub := range cmd.Commands() {
		if sub.Name() != "help" && sub.Name() != "completion" {
			list = append(list, all(sub)...)
		}
	}
	return list
}

// exampleDaemon serves the embedded templates, and has recorded some outputs, the id of one of which it returns.
func exampleDaemon(t *testing.T, recordings string) (url, recording string) {
	t.Helper()
	cfg := config.Default()
	cfg.Recorder.Dir = recordings
	h, err := host.New(t.Context(), host.Options{Config: cfg})
	must(t, err)
	t.Cleanup(func() { must(t, h.Close(t.Context())) })
	watched, err := h.WatchRecordings(t.Context(), recorder.Filter{})
	must(t, err)
	for _, output := range []string{"Hello.", "<calls>\n<invoke=f>\n<arg=a>1", "<run tool=\"f\">\n<with name=\"a\">1</with>\n</run>"} {
		planned, err := h.PlanJSON(t.Context(), "chatml-tagged", []byte(`{"messages": [{"role": "user", "content": "Hi"}], "tools": [{"type": "function", "function": {"name": "f", "parameters": {"type": "object", "properties": {"a": {}}}}}]}`))
		must(t, err)
		s := planned.Session(t.Context(), session.Options{})
		_, err = s.Feed([]byte(output))
		must(t, err)
		_, err = s.Finish(false)
		must(t, err)
		recording = (<-watched).ID
	}
	daemon := httptest.NewServer(api.New(h, api.Options{}))
	t.Cleanup(daemon.Close)
	return daemon.URL, recording
}

// exampleFiles writes the files that the examples name.
func exampleFiles(t *testing.T, dir string) {
	t.Helper()
	template, rules := read(t, "../../templates/chatml-tagged.jinja"), "version: 1\nworkarounds: []\n"
	files := map[string]string{
		"template.jinja": template, "templates/template.jinja": template, "models/some-model/chat_template.jinja": template,
		"models/some-model/tokenizer.json": read(t, "../../sdk/tokenizer/testdata/bytelevel/tokenizer.json"),
		"tools.json":                       read(t, "testdata/tools.json"), "output.txt": weather, "variables.json": `{"messages": [{"role": "user", "content": "Hi"}]}`,
		"ids.json": "[1, 2]", "request.json": `{"messages": [{"role": "user", "content": "Hi"}], "tools": ` + read(t, "testdata/tools.json") + `}`,
		"workarounds.yaml": rules, "dragoman.yaml": "log: {level: warn}\n",
		"new.yaml": strings.Replace(rules, "[]", "\n  - {name: stops, because: a test, when: 'name != \"\"', set: {end_of_turn: END}}", 1),
	}
	one := `{"kind": "parse", "id": "weather", "template": "template.jinja", "request": {}, "output": "Hello.", "expect": {"content": "Hello."}}` + "\n"
	for _, name := range []string{"cases.jsonl", "parse.jsonl", "plan.jsonl"} {
		files[name] = one
	}
	must(t, os.Mkdir(filepath.Join(dir, "plugins"), 0o700))
	for name, content := range files {
		path := filepath.Join(dir, name)
		must(t, os.MkdirAll(filepath.Dir(path), 0o700))
		must(t, os.WriteFile(path, []byte(content), 0o600))
	}
}
