package gptoss

import (
	"bytes"
	"encoding/json"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dragoman-project/dragoman/internal/shared"
	"github.com/dragoman-project/dragoman/sdk/cases"
	"github.com/dragoman-project/dragoman/sdk/conformance"
	"github.com/dragoman-project/dragoman/sdk/grammar"
	"github.com/dragoman-project/dragoman/sdk/handler"
)

// recorded returns the lines of a file that are cases of the template.
func recorded(t *testing.T, file string) (lines [][]byte) {
	data, err := os.ReadFile(shared.Dir(t, "cases", file))
	if err != nil {
		t.Fatal(err)
	}
	for line := range bytes.Lines(data) {
		var c struct{ Template string }
		if err := json.Unmarshal(line, &c); err != nil {
			t.Fatal(err)
		}
		if c.Template == "openai-gpt-oss-120b.jinja" {
			lines = append(lines, line)
		}
	}
	if len(lines) == 0 {
		t.Fatalf("%s has no case of the template", file)
	}
	return lines
}

// recordedHandler is the handler with the recorded cases instead of its own.
type recordedHandler struct {
	gptoss
	lines [][]byte
}

func (r *recordedHandler) Describe() handler.Description {
	d := r.gptoss.Describe()
	d.Cases = bytes.Join(r.lines, nil)
	return d
}

func TestRecordedOutputsAreRead(t *testing.T) {
	conformance.Run(t, &recordedHandler{lines: recorded(t, "parse.jsonl")}, conformance.Options{})
}

func TestRecordedRequestsGetTheirPlans(t *testing.T) {
	for c, err := range cases.Read(bytes.NewReader(bytes.Join(recorded(t, "plan.jsonl"), nil))) {
		if err != nil {
			t.Fatal(err)
		}
		t.Run(c.ID, func(t *testing.T) {
			request, err := c.ChatRequest()
			if err != nil {
				t.Fatal(err)
			}
			plan, err := new(gptoss).Plan(t.Context(), handler.Input{Request: request})
			if err != nil {
				t.Fatal(err)
			}
			want := c.Reference
			got := cases.Reference{
				Prompt: want.Prompt, GenerationPrompt: want.GenerationPrompt, // the host's
				SupportsThinking: plan.SupportsThinking, ThinkingStart: plan.ThinkingStart, ThinkingEnds: plan.ThinkingEnds,
				Constrained: plan.Grammar != grammar.Free, Lazy: plan.Grammar == grammar.Lazy, Triggers: []cases.Trigger{},
				PreservedTokens: plan.PreservedTokens, Stops: []string{},
			}
			for _, trigger := range plan.Triggers {
				got.Triggers = append(got.Triggers, cases.Trigger{Type: string(trigger.Type), Value: trigger.Value})
			}
			if diff := cmp.Diff(*want, got); diff != "" {
				t.Errorf("recorded (-), planned (+):\n%s", diff)
			}
			if plan.Prefill != "" && want.GenerationPrompt != assistantStart+plan.Prefill {
				t.Errorf("recorded %q, planned %q", want.GenerationPrompt, assistantStart+plan.Prefill)
			}
		})
	}
}
