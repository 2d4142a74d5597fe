package dragoman_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dragoman-project/dragoman"
	"github.com/dragoman-project/dragoman/sdk/tokenizer"
)

// small is the folder of a tokenizer in which the markers of a template are tokens.
const small = "sdk/tokenizer/testdata/bytelevel"

// modelFolder returns the folder of a model: a template with a tokenizer beside it.
func modelFolder(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for name, from := range map[string]string{"chat_template.jinja": "templates/chatml-reasoning.jinja", "tokenizer.json": small + "/tokenizer.json"} {
		data, err := os.ReadFile(from)
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, name), data, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// TestOutputsComeAsTokenIds parses an output whose prose spells a marker.
func TestOutputsComeAsTokenIds(t *testing.T) {
	m, err := dragoman.Open(modelFolder(t), dragoman.Options{})
	if err != nil {
		t.Fatal(err)
	}
	tokens, err := m.Tokenizer()
	if err != nil {
		t.Fatal(err)
	}
	plan, err := m.PlanJSON(t.Context(), []byte(request))
	if err != nil {
		t.Fatal(err)
	}
	var ids []tokenizer.ID
	for _, part := range []string{"I close it with </thi", "nk>.\n</think>\n\nWell: ", "<tool_", "call> is a tag.\n", "<tool_call>\n{\"name\": \"get_weather\", \"arguments\": {\"city\": \"Oslo\"}}\n</tool_call>"} {
		ids = tokens.Append(ids, part, tokenizer.Options{})
	}
	s, err := plan.TokenSession(t.Context(), tokens, dragoman.SessionOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range ids {
		if _, err := s.Feed(id); err != nil {
			t.Fatal(err)
		}
	}
	result, err := s.Finish(false)
	if err != nil {
		t.Fatal(err)
	}
	got := result.Message
	if got.Content.Join("") != "Well: <tool_call> is a tag." || !strings.HasSuffix(got.ReasoningContent, "with </think>.") || len(got.ToolCalls) != 1 {
		t.Errorf("%+v", got)
	}
	if c := result.Report.Tokens; c.Output != len(ids) || c.Calls == 0 || c.Content == 0 || c.Reasoning == 0 {
		t.Errorf("%+v", c)
	}
}

func TestATokenizerLiesBesideItsTemplate(t *testing.T) {
	dir := modelFolder(t)
	for path, want := range map[string]string{
		dir: "", filepath.Join(dir, "chat_template.jinja"): "",
		"templates/chatml-json.jinja": "templates/chatml-json.jinja: no tokenizer.json beside the template",
	} {
		m, err := dragoman.Open(path, dragoman.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := m.Tokenizer(); want == "" && err != nil || want != "" && (err == nil || !strings.HasPrefix(err.Error(), want)) {
			t.Errorf("%s: %v, want %q", path, err, want)
		}
	}
	m, err := dragoman.Open("templates/chatml-json.jinja", dragoman.Options{Tokenizer: small})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := m.Tokenizer(); err != nil {
		t.Error(err)
	}
}

// TestTrainingSeesTheTokensThatTheModelWrote renders conversations with answers, and compares their tokens with those of the outputs.
func TestTrainingSeesTheTokensThatTheModelWrote(t *testing.T) {
	m, err := dragoman.Open(modelFolder(t), dragoman.Options{})
	if err != nil {
		t.Fatal(err)
	}
	tokens, err := m.Tokenizer()
	if err != nil {
		t.Fatal(err)
	}
	plan, err := m.PlanJSON(t.Context(), []byte(request))
	if err != nil {
		t.Fatal(err)
	}
	const call = "<tool_call>\n{\"name\": \"get_weather\", \"arguments\": {\"city\": \"Oslo\"}}\n</tool_call>"
	for _, c := range []struct {
		name    string
		parts   []string // encoded one by one
		at, why string   // the text before the difference
	}{
		{"as the template writes it", []string{"Oslo.\n</think>\n\nI look.\n" + call + "<|im_end|>"}, "", ""},
		{"without the end of the turn", []string{"Oslo.\n</think>\n\nIt rains."}, "", ""},
		{"in other tokens", []string{"Osl", "o.\n</think>\n\nIt rai", "ns."}, "", "the model wrote the same text in other tokens"},
		{"other white space", []string{"Oslo.\n</think>\nIt rains."}, "Oslo.\n</think>", "the template writes the white space here otherwise, or not at all"},
		{"other JSON", []string{"Oslo.\n</think>\n\n" + strings.ReplaceAll(call, `": "Oslo"`, `":"Oslo"`)}, "", "the template writes the arguments of this call otherwise, or not at all"},
		{"a special token in between", []string{"Oslo.\n</think>\n\nIt<pad> rains."}, "Oslo.\n</think>\n\nIt", "the template writes this content otherwise, or not at all"},
	} {
		var ids []tokenizer.ID
		for _, part := range c.parts {
			ids = tokens.Append(ids, part, tokenizer.Options{})
		}
		got, err := plan.Retokenized(t.Context(), tokens, ids, false)
		switch {
		case err != nil:
			t.Errorf("%s: %v", c.name, err)
		case got == nil && c.why != "" || got != nil && got.Why != c.why:
			t.Errorf("%s: %+v, want %q", c.name, got, c.why)
		case got != nil && (got.Index < 0 || ids[got.Index] != got.Wrote.ID || got.Rendered == nil || got.Rendered.ID == got.Wrote.ID):
			t.Errorf("%s: %+v of %d", c.name, got, ids)
		case got != nil && c.at != "" && tokens.Decode(ids[:got.Index], false) != c.at:
			t.Errorf("%s: at token %d, after %q, want %q", c.name, got.Index, tokens.Decode(ids[:got.Index], false), c.at)
		}
	}
}
