package assemble_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/dragoman-project/dragoman/autoparser/assemble"
	"github.com/dragoman-project/dragoman/autoparser/dialect"
	"github.com/dragoman-project/dragoman/internal/shared"
	"github.com/dragoman-project/dragoman/sdk/cases"
	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/dragoman-project/dragoman/sdk/grammar"
)

// recorded is a recorded analysis of a template, in the recorder's terms.
type recorded struct {
	Specialized *string `json:"specialized"`
	Reasoning   struct{ Mode, Start, End string }
	Content     struct{ Mode, Start, End string }
	Tools       struct {
		Format struct {
			Mode           string
			SectionStart   string   `json:"section_start"`
			SectionEnd     string   `json:"section_end"`
			PerCallStart   string   `json:"per_call_start"`
			PerCallEnd     string   `json:"per_call_end"`
			NameIsKey      bool     `json:"fun_name_is_key"`
			ArrayWrapped   bool     `json:"tools_array_wrapped"`
			NameField      string   `json:"name_field"`
			ArgsField      string   `json:"args_field"`
			IDField        string   `json:"id_field"`
			GenIDField     string   `json:"gen_id_field"`
			ParameterOrder []string `json:"parameter_order"`
		}
		Function struct {
			NamePrefix string `json:"name_prefix"`
			NameSuffix string `json:"name_suffix"`
			Close      string
		}
		Arguments struct {
			Start, End  string
			NamePrefix  string `json:"name_prefix"`
			NameSuffix  string `json:"name_suffix"`
			ValuePrefix string `json:"value_prefix"`
			ValueSuffix string `json:"value_suffix"`
			Separator   string
		}
		CallID struct{ Pos, Prefix, Suffix string } `json:"call_id"`
	}
	Stops []string `json:"additional_stops"`
}

func (r recorded) dialect() dialect.Dialect {
	lower := strings.ToLower
	f, fn, g, id := r.Tools.Format, r.Tools.Function, r.Tools.Arguments, r.Tools.CallID
	d := dialect.Dialect{Stop: r.Stops}
	d.Reasoning = dialect.Reasoning{Mode: dialect.ReasoningMode(lower(r.Reasoning.Mode)), Start: r.Reasoning.Start, End: r.Reasoning.End}
	d.Content = dialect.Content{Mode: dialect.ContentMode(lower(r.Content.Mode)), Start: r.Content.Start, End: r.Content.End}
	d.Tools = dialect.Tools{
		Format: dialect.ToolFormat(lower(f.Mode)), SectionStart: f.SectionStart, SectionEnd: f.SectionEnd,
		PerCallStart: f.PerCallStart, PerCallEnd: f.PerCallEnd,
		JSON: dialect.JSON{NameField: f.NameField, ArgsField: f.ArgsField, IDField: f.IDField, GenIDField: f.GenIDField,
			NameIsKey: f.NameIsKey, ArrayWrapped: f.ArrayWrapped, ParameterOrder: f.ParameterOrder},
		Function: dialect.Function{NamePrefix: fn.NamePrefix, NameSuffix: fn.NameSuffix, Close: fn.Close},
		Arguments: dialect.Arguments{Start: g.Start, End: g.End, NamePrefix: g.NamePrefix, NameSuffix: g.NameSuffix,
			ValuePrefix: g.ValuePrefix, ValueSuffix: g.ValueSuffix, Separator: g.Separator},
		CallID: dialect.CallID{Position: positions[id.Pos], Prefix: id.Prefix, Suffix: id.Suffix},
	}
	return d
}

var positions = map[string]dialect.CallIDPosition{
	"NONE": dialect.CallIDNone, "PRE_FUNC_NAME": dialect.CallIDBeforeName,
	"BETWEEN_FUNC_AND_ARGS": dialect.CallIDBetweenNameAndArgs, "POST_ARGS": dialect.CallIDAfterArgs,
}

// generic lists the templates that were recorded with a dedicated handler but need none here.
var generic = map[string]bool{"Qwen3-Coder": true}

func recordings(t *testing.T) map[string]recorded {
	t.Helper()
	data, err := os.ReadFile(shared.Dir(t, "cases", "analysis.json"))
	if err != nil {
		t.Fatal(err)
	}
	var all map[string]recorded
	if err := json.Unmarshal(data, &all); err != nil {
		t.Fatal(err)
	}
	return all
}

func TestRecordedOutputsParse(t *testing.T) {
	analyses := recordings(t)
	f, err := os.Open(shared.Dir(t, "cases", "parse.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for c, err := range cases.Read(f) {
		if err != nil {
			t.Fatal(err)
		}
		r := analyses[c.Template]
		if r.Specialized != nil && !generic[*r.Specialized] {
			continue
		}
		t.Run(c.ID, func(t *testing.T) {
			req, err := c.ChatRequest()
			if err != nil {
				t.Fatal(err)
			}
			in := assemble.Input{Dialect: r.dialect(), Request: req, GenerationPrompt: c.Reference.GenerationPrompt}
			in.TemplatePrompt = templatePrompt(in)
			newParser(t, in).check(t, c.Output, *c.Expect)
			if c.Reference.Constrained {
				checkConstraint(t, in, c)
			}
		})
	}
}

// templatePrompt returns the generation prompt without the text of a message to be continued.
func templatePrompt(in assemble.Input) string {
	if in.Request.ContinueFinalMessage == chat.ContinueNone {
		return in.GenerationPrompt
	}
	last := in.Request.Messages[len(in.Request.Messages)-1]
	prompt := in.GenerationPrompt
	if last.Content.Text != nil {
		prompt = strings.TrimSuffix(prompt, *last.Content.Text)
	}
	if start := strings.TrimSpace(in.Dialect.Reasoning.Start); start != "" {
		prompt, _, _ = strings.Cut(prompt, start)
	}
	return prompt
}

// checkConstraint checks that the constraint allows what the model wrote.
func checkConstraint(t *testing.T, in assemble.Input, c *cases.Case) {
	t.Helper()
	a := assemble.Assemble(in)
	constraint, err := grammar.Build(a.Program, grammar.Options{Mode: a.Grammar, Prompt: in.GenerationPrompt})
	if err != nil || constraint == nil {
		t.Fatalf("no constraint: %v", err)
	}
	from := 0
	if constraint.Lazy {
		from = behindReasoning(c.Output, a.ThinkingEnds[:min(1, len(a.ThinkingEnds))])
		at, fired := grammar.FindTrigger(c.Output[from:], constraint.Triggers)
		if !fired {
			t.Fatalf("none of the triggers %v fires in %q", constraint.Triggers, c.Output)
		}
		from += at
	}
	g, err := grammar.Parse(constraint.Grammar)
	if err != nil {
		t.Fatalf("%v\n%s", err, constraint.Grammar)
	}
	if r := g.Match(c.Output[from:]); r.Status == grammar.Refused || r.Status == grammar.Incomplete && !c.Partial {
		t.Errorf("%s at byte %d of %q, expected %q\n%s", r.Status, r.Offset, c.Output[from:], r.Expected, constraint.Grammar)
	}
}

// behindReasoning returns the offset after the reasoning; engines suspend lazy grammars until then.
func behindReasoning(output string, ends []string) int {
	from := 0
	for _, end := range ends {
		if at := strings.LastIndex(output, end); at >= 0 {
			from = max(from, at+len(end))
		}
	}
	return from
}
