package autoparser_test

import (
	"testing"

	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/google/go-cmp/cmp"
)

// picturing is a template that has a place for pictures, of one type of parts.
const picturing = `{% for m in messages %}<|{{ m.role }}|>{% if m.content is string %}{{ m.content }}{% else %}{% for p in m.content %}` +
	`{% if p.type == 'text' %}{{ p.text }}{% elif p.type == 'image_url' %}<|picture|>{% endif %}{% endfor %}{% endif %}<|end|>{% endfor %}` +
	`{% if add_generation_prompt %}<|assistant|>{% endif %}`

func TestPartsThatTheTemplateLeavesOutAreNoted(t *testing.T) {
	note := func(kind, places string) string {
		return `the model does not see the parts of type "` + kind + `" (` + places + `): the template leaves them out`
	}
	const text, picture, sound = `{"type":"text","text":"a"}`, `{"type":"image_url","image_url":{"url":"data:,"}}`, `{"type":"input_audio","input_audio":{}}`
	for _, tt := range []struct {
		name, source, messages string
		want                   []string
	}{
		{"texts alone", archived(t, "json-calls"), `{"role":"user","content":[` + text + `]}`, nil},
		{"a picture beside text", archived(t, "json-calls"), `{"role":"user","content":[` + text + `,` + picture + `]}`,
			[]string{note("image_url", "messages[0].content[1]")}},
		{"a picture alone", archived(t, "json-calls"), `{"role":"user","content":"x"},{"role":"assistant","content":"y"},{"role":"user","content":[` + picture + `]}`,
			[]string{note("image_url", "messages[2].content[0]")}},
		{"a place for pictures", picturing, `{"role":"user","content":[` + text + `,` + picture + `]}`, nil},
		{"a place for pictures only", picturing, `{"role":"user","content":[` + sound + `,` + picture + `,` + text + `,` + sound + `]}`,
			[]string{note("input_audio", "messages[0].content[0], messages[0].content[3]")}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r, err := chat.ParseRequest([]byte(`{"messages":[` + tt.messages + `]}`))
			if err != nil {
				t.Fatal(err)
			}
			l := learnSource(t, "x", tt.source, "<s>", "</s>", nil)
			if d := cmp.Diff(tt.want, l.LeftOut(t.Context(), r)); d != "" {
				t.Errorf("-want +got\n%s", d)
			}
		})
	}
}
