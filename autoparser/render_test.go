package autoparser_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/dragoman-project/dragoman/autoparser"
	"github.com/dragoman-project/dragoman/autoparser/dialect"
	"github.com/dragoman-project/dragoman/autoparser/jinja"
	"github.com/dragoman-project/dragoman/autoparser/workaround"
	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/dragoman-project/dragoman/sdk/fault"
)

func open(t *testing.T, source string) *autoparser.Template {
	t.Helper()
	template, err := autoparser.Open("test", source, "<s>", "</s>", autoparser.Options{})
	if err != nil {
		t.Fatal(err)
	}
	learned, err := autoparser.Learn(t.Context(), template, nil)
	if err != nil {
		t.Fatal(err)
	}
	return learned.Template
}

func request(t *testing.T, json string) *chat.Request {
	t.Helper()
	r, err := chat.ParseRequest([]byte(json))
	if err != nil {
		t.Fatal(err)
	}
	r.Now = time.Date(2026, 1, 5, 12, 0, 0, 0, time.UTC)
	return r
}

// Templates that have or lack a single capability.
const (
	texts      = `{% for m in messages %}{{ m.role[0] + ':' + m.content + '|' }}{% endfor %}`
	partsOnly  = `{% for m in messages %}{% for p in m.content %}{{ p.text }}{% endfor %}{% endfor %}`
	noSystem   = `{% if messages[0].role == 'system' %}{{ raise_exception('no') }}{% endif %}` + texts
	asObjects  = `{% for m in messages %}{{ m.content }}{% for c in m.tool_calls or [] %}{{ c.function.arguments.items() | list }}{% endfor %}{% endfor %}`
	asTexts    = `{% for m in messages %}{{ m.content }}{% for c in m.tool_calls or [] %}{{ c.function.arguments + '' }}{% endfor %}{% endfor %}`
	thoughts   = `{% for m in messages %}{{ m.thinking or '' }}{{ m.content }}{% endfor %}`
	parameters = `{% for t in tools %}{{ t.function.parameters | tojson }}{% endfor %}{{ messages[0].content }}`
)

func TestConversationsAreFittedToTheTemplate(t *testing.T) {
	const call = `{"role": "assistant", "content": null, "tool_calls": [{"id": "1", "type": "function", "function": {"name": "f", "arguments": "{\"b\": 1, \"a\": 2.0}"}}]}`
	for name, c := range map[string]struct {
		source, messages, more string
		want                   string
		done                   []string
	}{
		"nothing to do":          {texts, `{"role": "user", "content": "hi"}`, "", "u:hi|", nil},
		"developers are systems": {texts, `{"role": "developer", "content": "be"}, {"role": "user", "content": "hi"}`, "", "s:be|u:hi|", []string{"developer-role"}},
		"parts are joined":       {texts, `{"role": "user", "content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]}`, "", "u:a\nb|", []string{"joined-content"}},
		"texts become parts":     {partsOnly, `{"role": "user", "content": "hi"}`, "", "hi", []string{"typed-content"}},
		"null becomes empty":     {texts, `{"role": "user", "content": "hi"}, ` + call, "", "u:hi|a:|", []string{"no-null-content"}},
		"systems tell the user":  {noSystem, `{"role": "system", "content": "be"}, {"role": "user", "content": "hi"}`, "", "u:be\nhi|", []string{"no-system-role"}},
		"systems without a user": {noSystem, `{"role": "system", "content": "be"}`, "", "u:be|", []string{"no-system-role"}},
		"arguments as objects":   {asObjects, `{"role": "user", "content": "hi"}, ` + call, "", "hi[('b', 1), ('a', 2.0)]", []string{"no-null-content", "object-arguments"}},
		"arguments as texts":     {asTexts, `{"role": "user", "content": "hi"}, ` + call, "", `hi{"b": 1, "a": 2.0}`, []string{"no-null-content"}},
		"reasoning elsewhere":    {thoughts, `{"role": "assistant", "content": "hi", "reasoning_content": "hm "}`, "", "hm hi", []string{"reasoning-place"}},
		"tools without parameters": {parameters, `{"role": "user", "content": "hi"}`, `, "tools": [{"type": "function", "function": {"name": "f"}}]`,
			`{"type": "object", "properties": {}}hi`, []string{"tool-parameters"}},
		"bare tools are wrapped": {parameters, `{"role": "user", "content": "hi"}`, `, "tools": [{"name": "f", "parameters": {"type": "object"}}]`,
			`{"type": "object"}hi`, nil},
		"tools that are null":               {"{% if tools is none %}no tools{% else %}{{ tools | tojson }}{% endif %}", `{"role": "user", "content": "hi"}`, "", "no tools", nil},
		"what only tolerant engines render": {"{{ 'a' + missing }}", `{"role": "user", "content": "hi"}`, "", "a", []string{autoparser.Tolerated}},
	} {
		t.Run(name, func(t *testing.T) {
			r := request(t, `{"messages": [`+c.messages+`]`+c.more+`}`)
			got, err := open(t, c.source).Render(context.Background(), r, autoparser.Style{})
			if err != nil {
				t.Fatal(err)
			}
			if got.Prompt != c.want || !slices.Equal(got.Normalised, c.done) {
				t.Errorf("prompt %q by %q\n  want %q by %q", got.Prompt, got.Normalised, c.want, c.done)
			}
		})
	}
}

func TestAWorkaroundCanAskForANormalisation(t *testing.T) {
	r := request(t, `{"messages": [{"role": "system", "content": " be "}, {"role": "user", "content": " hi\n"}]}`)
	style := autoparser.Style{Normalise: []workaround.Normalisation{workaround.TrimContent, workaround.NoSystemRole}}
	got, err := open(t, texts).Render(context.Background(), r, style)
	if err != nil || got.Prompt != "u:be\nhi|" {
		t.Errorf("prompt %q, %v", got.Prompt, err)
	}
}

func TestARequestIsNotChangedByRendering(t *testing.T) {
	r := request(t, `{"messages": [{"role": "developer", "content": "be"}, {"role": "user", "content": "hi"}], "tools": [{"name": "f"}]}`)
	before, _ := r.MarshalJSON()
	if _, err := open(t, noSystem).Render(context.Background(), r, autoparser.Style{}); err != nil {
		t.Fatal(err)
	}
	if after, _ := r.MarshalJSON(); string(after) != string(before) {
		t.Errorf("before %s\n after %s", before, after)
	}
}

func TestVariables(t *testing.T) {
	const message = `"messages": [{"role": "user", "content": "hi"}]`
	for name, c := range map[string]struct{ source, request, want string }{
		"tokens":                         {"{{ bos_token }}{{ eos_token }}", ``, "<s></s>"},
		"thinking is left as it is":      {"{{ enable_thinking is defined }}", ``, "False"},
		"thinking is on":                 {"{{ enable_thinking }}", `, "enable_thinking": true`, "True"},
		"thinking is off":                {"{{ enable_thinking }}", `, "enable_thinking": false`, "False"},
		"dates":                          {"{{ date_string }}, {{ datetime }}, {{ strftime_now('%Y') }}", ``, "05 Jan 2026, Jan 05 2026, 2026"},
		"kwargs":                         {"{{ a.b }}", `, "chat_template_kwargs": {"a": {"b": 1}}`, "1"},
		"kwargs win":                     {"{{ enable_thinking }}", `, "chat_template_kwargs": {"enable_thinking": false}`, "False"},
		"synonyms":                       {"{{ reasoning_strength }}", `, "chat_template_kwargs": {"reasoning_effort": "low"}`, "low"},
		"synonyms that mean the reverse": {"{{ clear_thinking }}", `, "chat_template_kwargs": {"preserve_reasoning": true}`, "False"},
		"a synonym given wins":           {"{{ reasoning_strength }}", `, "chat_template_kwargs": {"reasoning_strength": "no", "reasoning_effort": "low"}`, "no"},
		"no tools":                       {"{{ tools is defined }}", ``, "False"},
		"a schema for the answer":        {"{{ response_format.type }}", `, "json_schema": {"type": "object"}`, "object"},
		"no prompt":                      {"{{ add_generation_prompt is defined }}", `, "add_generation_prompt": false`, "False"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := open(t, c.source).Render(context.Background(), request(t, `{`+message+c.request+`}`), autoparser.Style{})
			if err != nil || got.Prompt != c.want {
				t.Errorf("%q, %v; want %q", got.Prompt, err, c.want)
			}
		})
	}
}

func TestTheGenerationPromptIsWhatTheTemplateAdds(t *testing.T) {
	for name, c := range map[string]struct{ source, prompt, generation string }{
		"added":              {texts + `{% if add_generation_prompt %}<a>{% endif %}`, "u:hi|<a>", "<a>"},
		"in place of an end": {texts + `{% if add_generation_prompt %}<a>{% else %}<end>{% endif %}`, "u:hi|<a>", "a>"},
		"never":              {texts, "u:hi|", ""},
		"whole characters":   {texts + `{% if add_generation_prompt %}é{% else %}è{% endif %}`, "u:hi|é", "é"},
	} {
		t.Run(name, func(t *testing.T) {
			r := request(t, `{"messages": [{"role": "user", "content": "hi"}]}`)
			got, err := open(t, c.source).Render(context.Background(), r, autoparser.Style{})
			if err != nil {
				t.Fatal(err)
			}
			want := autoparser.Rendered{Prompt: c.prompt, GenerationPrompt: c.generation, TemplatePrompt: c.generation}
			if d := cmp.Diff(want, got); d != "" {
				t.Errorf("-want +got\n%s", d)
			}
		})
	}
}

func TestBothRenderingsOfAPromptTakePlaceAtTheSameTime(t *testing.T) {
	r := request(t, `{"messages": [{"role": "user", "content": "hi"}]}`)
	r.Now = time.Time{}
	got, err := open(t, "{{ strftime_now('%f') }}{% if add_generation_prompt %}<a>{% endif %}").Render(context.Background(), r, autoparser.Style{})
	if err != nil || got.GenerationPrompt != "<a>" {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestContinuingAMessage(t *testing.T) {
	think := dialect.Reasoning{Mode: dialect.ReasoningTagBased, Start: "<think>\n", End: "\n</think>\n"}
	none := dialect.Reasoning{Mode: dialect.ReasoningNone}
	const closed = texts + `{% if add_generation_prompt %}a:{% endif %}`
	const opened = texts + `{% if add_generation_prompt %}a:<think>\n{% endif %}`
	const always = texts + `a:<think>`
	both := `"content": "Roses ", "reasoning_content": "Hm"`
	for name, c := range map[string]struct {
		source    string
		reasoning dialect.Reasoning
		last, how string
		want      string // the prompt after the question
		template  string // the part that the template writes
	}{
		"content":                        {closed, none, `"content": "Roses "`, "content", "a:Roses ", "a:"},
		"content, true":                  {closed, none, `"content": "Roses "`, "true", "a:Roses ", "a:"},
		"reasoning that cannot be said":  {closed, none, `"content": "", "reasoning_content": "Hm"`, "reasoning_content", "a:", "a:"},
		"content behind reasoning":       {closed, think, both, "content", "a:<think>\nHm\n</think>\nRoses ", "a:"},
		"content without reasoning":      {closed, think, `"content": "Roses "`, "content", "a:<think>\n\n</think>\nRoses ", "a:"},
		"reasoning":                      {closed, think, `"content": "", "reasoning_content": "Hm"`, "reasoning_content", "a:<think>\nHm", "a:"},
		"auto continues the content":     {closed, think, both, "auto", "a:<think>\nHm\n</think>\nRoses ", "a:"},
		"auto continues the reasoning":   {closed, think, `"content": "", "reasoning_content": "Hm"`, "auto", "a:<think>\nHm", "a:"},
		"reasoning that is open":         {strings.ReplaceAll(opened, `\n`, "\n"), think, `"content": "", "reasoning_content": "Hm"`, "auto", "a:<think>\nHm", "a:"},
		"reasoning that is open unasked": {always, think, `"content": "", "reasoning_content": "Hm"`, "auto", "a:<think>\nHm", ""},
	} {
		t.Run(name, func(t *testing.T) {
			how := `"` + c.how + `"`
			if c.how == "true" {
				how = c.how
			}
			r := request(t, `{"messages": [{"role": "user", "content": "hi"}, {"role": "assistant", `+c.last+`}], "continue_final_message": `+how+`, "add_generation_prompt": false}`)
			got, err := open(t, c.source).Render(context.Background(), r, autoparser.Style{Reasoning: c.reasoning})
			if err != nil {
				t.Fatal(err)
			}
			if got.Prompt != "u:hi|"+c.want || got.TemplatePrompt != c.template || !strings.HasSuffix(got.Prompt, got.GenerationPrompt) {
				t.Errorf("%+v\nwant %q, %q of the template", got, c.want, c.template)
			}
		})
	}
}

func TestContentThatIsAlwaysWrappedContinuesAfterItsMarker(t *testing.T) {
	r := request(t, `{"messages": [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "Roses "}], "continue_final_message": true}`)
	wrapped := dialect.Content{Mode: dialect.ContentAlwaysWrapped, Start: "<text>", End: "</text>"}
	for _, c := range []struct {
		style autoparser.Style
		want  string
	}{
		{autoparser.Style{Content: wrapped}, "a:<text>Roses "},
		{autoparser.Style{Content: wrapped, Reasoning: dialect.Reasoning{Mode: dialect.ReasoningTagBased, Start: "<t>", End: "</t>"}}, "a:<t></t><text>Roses "},
		{autoparser.Style{Content: wrapped, Reasoning: dialect.Reasoning{Mode: dialect.ReasoningToolsOnly, Start: "<t>", End: "</t>"}}, "a:<t></t>Roses "},
	} {
		got, err := open(t, texts+`{% if add_generation_prompt %}a:{% endif %}`).Render(context.Background(), r, c.style)
		if err != nil || got.GenerationPrompt != c.want {
			t.Errorf("%q, %v; want %q", got.GenerationPrompt, err, c.want)
		}
	}
}

func TestContinuingNeedsAMessage(t *testing.T) {
	r := request(t, `{"messages": [{"role": "user", "content": "hi"}]}`)
	r.ContinueFinalMessage = chat.ContinueAuto
	_, err := open(t, texts).Render(context.Background(), r, autoparser.Style{})
	var invalid *fault.Error
	if !errors.As(err, &invalid) || invalid.Place != "continue_final_message" {
		t.Errorf("error %v", err)
	}
}

func TestATemplateThatRaisesSaysWhere(t *testing.T) {
	r := request(t, `{"messages": [{"role": "user", "content": "hi"}]}`)
	_, err := open(t, "\n{{ raise_exception('not today') }}").Render(context.Background(), r, autoparser.Style{})
	if !errors.Is(err, jinja.Raised) || !strings.Contains(err.Error(), "test:2:") || !strings.Contains(err.Error(), "not today") {
		t.Errorf("error %v", err)
	}
}
