package autoparser_test

import (
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
