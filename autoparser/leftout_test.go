package autoparser_test

import (
	"fmt"
	"testing"

	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/google/go-cmp/cmp"
)

// picturing is a template that renders only one type of image.
const picturing = `{% for m in messages %}<|{{ m.role }}|>{% if m.content is string %}{{ m.content }}{% else %}{% for p in m.content %}` +
	`{% if p.type == 'text' %}{{ p.text }}{% elif p.type == 'image_url' %}<|picture|>{% endif %}{% endfor %}{% endif %}<|end|>{% endfor %}` +
	`{% if add_generation_prompt %}<|assistant|>{% endif %}`

// known is a template that renders only two roles and HTML-escapes their text.
const known = `{% for m in messages %}{% if m.role in ['user', 'assistant'] %}<|{{ m.role }}|>{{ m.content | trim | e }}<|end|>{% endif %}{% endfor %}` +
	`{% if add_generation_prompt %}<|assistant|>{% endif %}`

// repeated writes a format n times, with the numbers from 0.
func repeated(n int, format string) (text string) {
	for i := range n {
		text += fmt.Sprintf(format, i)
	}
	return text
}

// TestALongRequestIsRenderedFewTimes counts renderings: those without one of the parts that may be left out are few.
func TestALongRequestIsRenderedFewTimes(t *testing.T) {
	l := learnSource(t, "x", known, "<s>", "</s>", nil)
	for name, messages := range map[string]string{
		"types of parts": `{"role":"user","content":[{"type":"text","text":"a"}` + repeated(300, `,{"type":"t%d"}`) + `]}`,
		"messages":       `{"role":"user","content":"a"}` + repeated(300, `,{"role":"critic","content":"<%d>"}`),
	} {
		r, err := chat.ParseRequest([]byte(`{"messages":[` + messages + `]}`))
		if err != nil {
			t.Fatal(err)
		}
		before := l.Template.Renderings()
		if _, err := l.Plan(t.Context(), r); err != nil {
			t.Fatal(err)
		}
		if n := l.Template.Renderings() - before; n > 40 {
			t.Errorf("300 %s: %d renderings", name, n)
		}
	}
}

func TestWhatTheTemplateLeavesOutIsNoted(t *testing.T) {
	note := func(what string) string { return "the model does not see " + what + ": the template leaves it out" }
	const text, picture, sound = `{"type":"text","text":"a"}`, `{"type":"image_url","image_url":{"url":"data:,"}}`, `{"type":"input_audio","input_audio":{}}`
	for _, tt := range []struct {
		name, source, messages string
		want                   []string
	}{
		{"texts alone", archived(t, "json-calls"), `{"role":"user","content":[` + text + `]}`, nil},
		{"a picture beside text", archived(t, "json-calls"), `{"role":"user","content":[` + text + `,` + picture + `]}`,
			[]string{note(`messages[0].content[1] of type "image_url"`)}},
		{"a picture alone", archived(t, "json-calls"), `{"role":"user","content":"x"},{"role":"assistant","content":"y"},{"role":"user","content":[` + picture + `]}`,
			[]string{note(`messages[2].content[0] of type "image_url"`)}},
		{"a place for pictures", picturing, `{"role":"user","content":[` + text + `,` + picture + `]}`, nil},
		{"a place for pictures only", picturing, `{"role":"user","content":[` + sound + `,` + picture + `,` + text + `,` + sound + `]}`,
			[]string{note(`messages[0].content[0], messages[0].content[3] of type "input_audio"`)}},
		{"a role for which there is a place", picturing, `{"role":"user","content":"x"},{"role":"critic","content":"y"}`, nil},
		{"an unknown role", known, `{"role":"user","content":"x"},{"role":"critic","content":"y"},{"role":"user","content":" z "}`,
			[]string{note("messages[1] (critic)")}},
		{"a text that is written otherwise", known, `{"role":"user","content":"x < y"}`, nil},
		{"pictures of many types", archived(t, "json-calls"), `{"role":"user","content":[` + text + repeated(9, `,{"type":"t%d"}`) + `]}`, []string{
			note(`messages[0].content[1] of type "t0"`), note(`messages[0].content[2] of type "t1"`), note(`messages[0].content[3] of type "t2"`),
			note(`messages[0].content[4] of type "t3"`), note(`messages[0].content[5] of type "t4"`), note(`messages[0].content[6] of type "t5"`),
			note(`messages[0].content[7] of type "t6"`), note(`messages[0].content[8], messages[0].content[9] of type "t7" and others`)}},
		{"a message that says nothing", known, `{"role":"critic","content":""},{"role":"user","content":"x"}`, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r, err := chat.ParseRequest([]byte(`{"messages":[` + tt.messages + `]}`))
			if err != nil {
				t.Fatal(err)
			}
			l := learnSource(t, "x", tt.source, "<s>", "</s>", nil)
			rendered, err := l.Render(t.Context(), r)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(tt.want, l.LeftOut(t.Context(), r, rendered.Prompt)); d != "" {
				t.Errorf("-want +got\n%s", d)
			}
		})
	}
}
