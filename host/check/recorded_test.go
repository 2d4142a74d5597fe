package check_test

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"slices"
	"testing"

	"github.com/dragoman-project/dragoman/host"
	"github.com/dragoman-project/dragoman/host/check"
	"github.com/dragoman-project/dragoman/host/config"
	"github.com/dragoman-project/dragoman/internal/shared"
)

// dialects lists a template of each dialect that is learned by comparison.
var dialects = []string{
	"NousResearch-Hermes-2-Pro-Llama-3-8B-tool_use.jinja",
	"Qwen3-Coder.jinja",
	"deepseek-ai-DeepSeek-V3.1.jinja",
	"GLM-4.6.jinja",
	"meta-llama-Llama-3.1-8B-Instruct.jinja",
}

// TestRecordedCasesHold runs the recorded cases of each dialect through a host.
func TestRecordedCasesHold(t *testing.T) {
	h, err := host.New(t.Context(), host.Options{Config: config.Default(), Static: true})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := h.Close(t.Context()); err != nil {
			t.Error(err)
		}
	}()
	subject := h.Subject(shared.Dir(t, "templates"))
	for _, file := range []string{"parse.jsonl", "template.jsonl"} {
		lines := casesOf(t, shared.Dir(t, "cases", file), dialects)
		var report bytes.Buffer
		tally, err := check.Run(t.Context(), subject, []check.Input{{Name: file, Reader: lines}}, check.Options{Splits: 3, Seed: 1, Report: &report})
		if err != nil {
			t.Fatal(err)
		}
		if tally.Failed > 0 || tally.Passed < 10 {
			t.Errorf("%s:\n%s", file, report.String())
		}
	}
}

// casesOf returns the lines of a file whose template is one of the given.
func casesOf(t *testing.T, path string, templates []string) io.Reader {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	for line := range bytes.Lines(data) {
		var c struct{ Template string }
		if err := json.Unmarshal(line, &c); err != nil {
			t.Fatal(err)
		}
		if slices.Contains(templates, c.Template) {
			out.Write(line)
		}
	}
	return &out
}
