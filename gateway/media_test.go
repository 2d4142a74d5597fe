package gateway

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/dragoman-project/dragoman/gateway/engine"
	"github.com/dragoman-project/dragoman/sdk/fault"
)

// seeing is a model whose template writes images in its own way.
var seeing = []engine.Model{{Name: "m", EOSToken: "<|im_end|>", Template: `{% for m in messages %}<|im_start|>{{ m.role }}
{% if m.content is string %}{{ m.content }}{% else %}{% for p in m.content %}{% if p.type == 'image' %}<|image_pad|>{% else %}{{ p.text }}{% endif %}{% endfor %}{% endif %}<|im_end|>
{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant
{% endif %}`}}

const (
	pixel  = `{"type":"image_url","image_url":{"url":"data:image/png;base64,AAAA"}}`
	pixel2 = `{"type":"image_url","image_url":{"url":"data:image/png;base64,BBBB","detail":"low"}}`
	beep   = `{"type":"input_audio","input_audio":{"format":"wav","data":"CCCC"}}`
)

// show returns a request with parts.
func show(parts ...string) string {
	return `{"model":"m","messages":[{"role":"user","content":[` + strings.Join(parts, ",") + `]}]}`
}

func TestImagesGoBesideThePrompt(t *testing.T) {
	good := inPieces("Hi<|im_end|>", 4, engine.Stopped)
	text := func(s string) string { return fmt.Sprintf(`{"type":"text","text":%q}`, s) }
	for _, test := range []struct {
		name   string
		media  map[string]bool
		models []engine.Model
		want   string // of the user's turn, with placeholders as #
	}{
		{"marked, in a template that knows parts", map[string]bool{"image": true, "audio": true}, seeing, "a\n#\nb\n#\n#"},
		{"marked, in a template that does not", map[string]bool{"image": true, "audio": true}, nil, "a\n#\nb\n#\n#"},
		{"written by the template", map[string]bool{"image": false}, seeing, "a<|image_pad|>b<|image_pad|>"},
	} {
		t.Run(test.name, func(t *testing.T) {
			e := &scripted{models: test.models, pieces: good, Description: engine.Description{Media: test.media}}
			g := front(t, e)
			parts := []string{text("a"), pixel, text("b"), pixel2}
			if test.media["audio"] {
				parts = append(parts, beep)
			}
			var prompts []string
			for range 2 {
				if got, _ := answer(t, g, show(parts...)); got.err != nil {
					t.Fatal(got.err)
				}
				prompts = append(prompts, e.requests[len(e.requests)-1].Prompt)
			}
			r := e.requests[0]
			prompt := r.Prompt
			for i, m := range r.Media {
				if want := []engine.Media{{Kind: "image", Type: "image/png", Data: "AAAA"}, {Kind: "image", Type: "image/png", Data: "BBBB"}, {Kind: "audio", Type: "audio/wav", Data: "CCCC"}}[i]; m.Kind != want.Kind || m.Type != want.Type || m.Data != want.Data {
					t.Errorf("%+v", m)
				}
				if (m.Placeholder != "") != test.media["image"] {
					t.Errorf("placeholder %q", m.Placeholder)
				}
				if m.Placeholder != "" {
					prompt = strings.Replace(prompt, m.Placeholder, "#", 1)
				}
			}
			_, said, _ := strings.Cut(prompt, "user\n")
			if said, _, _ = strings.Cut(said, "<|im_end|>"); said != test.want || len(r.Media) != len(parts)-2 {
				t.Errorf("%q, %d parts", said, len(r.Media))
			}
			if prompts[0] != prompts[1] {
				t.Error("the prompt changes from turn to turn")
			}
		})
	}
}

func TestPartsThatCannotBeShownAreRefused(t *testing.T) {
	sees, blind := map[string]bool{"image": true}, map[string]bool(nil)
	for _, test := range []struct {
		name, part, place string
		media             map[string]bool
		models            []engine.Model
	}{
		{"no engine for images", pixel, "messages[0].content[1].type", blind, nil},
		{"no engine for sounds", beep, "messages[0].content[1].type", sees, nil},
		{"a file", `{"type":"file","file":{}}`, "messages[0].content[1].type", sees, nil},
		{"an address", `{"type":"image_url","image_url":{"url":"http://169.254.169.254/"}}`, "messages[0].content[1].image_url.url", sees, nil},
		{"no image", `{"type":"image_url","image_url":{}}`, "messages[0].content[1].image_url.url", sees, nil},
		{"an address alone", `{"type":"image_url","image_url":"file:///etc/passwd"}`, "messages[0].content[1].image_url", sees, nil},
		{"no base64", `{"type":"image_url","image_url":{"url":"data:image/png,x"}}`, "messages[0].content[1].image_url.url", sees, nil},
		{"bad base64", `{"type":"image_url","image_url":{"url":"data:image/png;base64,?"}}`, "messages[0].content[1].image_url.url", sees, nil},
		{"a sound without data", `{"type":"input_audio","input_audio":{"format":"wav"}}`, "messages[0].content[1].input_audio.data", sees, nil},
		{"a template that drops images", pixel, "messages[0].content[1]", map[string]bool{"image": false}, nil},
		{"a template that drops parts", pixel, "messages[0].content[1]", sees,
			[]engine.Model{{Name: "m", Template: `{% for m in messages %}<|im_start|>{{ m.role }} {{ m.content[:1] }}<|im_end|>{% endfor %}`}}},
	} {
		t.Run(test.name, func(t *testing.T) {
			e := &scripted{models: test.models, Description: engine.Description{Kind: "few", Media: test.media}}
			got, _ := answer(t, front(t, e), show(`{"type":"text","text":"a"}`, test.part))
			var known *fault.Error
			if !errors.As(got.err, &known) || known.Code != fault.InvalidArgument || known.Place != test.place || len(e.requests) > 0 {
				t.Errorf("%v", got.err)
			}
		})
	}
}
