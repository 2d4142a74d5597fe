package workbench

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dragoman-project/dragoman/host/config"
)

// angled is a template whose calls stand between markers of its own.
const angled = `{% for m in messages %}<|{{ m.role }}|>{{ m.content }}{% for c in m.tool_calls or [] %}<call>{{ c.function | tojson }}</call>{% endfor %}<|end|>
{% endfor %}{% if add_generation_prompt %}<|assistant|>{% endif %}`

func TestTheViewOfATemplateHasWholeRenderings(t *testing.T) {
	t.Parallel()
	d := serveBench(t, nil)
	v := post[templateView](t, d, "template", subject{Name: "mine", Source: angled})
	if v.Template.Source != angled || v.Origin != "draft" || v.Handler != "" {
		t.Errorf("%+v", v)
	}
	t1, known := v.Renderings["T1"]
	if !known || !strings.HasPrefix(t1.Prefix, "<|user|>") || !strings.Contains(t1.Right+t1.Left, "<call>") {
		t.Errorf("T1: %+v", t1)
	}
	for _, row := range v.Explanation.SelfCheck.Rows {
		if !json.Valid([]byte(v.Answers[row.ID])) {
			t.Errorf("row %s: answer %q", row.ID, v.Answers[row.ID])
		}
	}
	embedded := d.host.Templates(t.Context())[0]
	if v := post[templateView](t, d, "template", subject{Name: embedded.Name}); v.Template.Source == "" || v.Handler != embedded.Handler {
		t.Errorf("%s: %d bytes, handler %q", embedded.Name, len(v.Template.Source), v.Handler)
	}
}

func TestEveryByteOfAPromptHasAnOrigin(t *testing.T) {
	t.Parallel()
	d := serveBench(t, nil)
	const request = `{"messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Where is it?"}],
		"tools": [{"type": "function", "function": {"name": "find", "description": "Finds a book", "parameters": {"type": "object", "properties": {}}}}]}`
	for _, info := range d.host.Templates(t.Context()) {
		v := post[promptView](t, d, "prompt", promptRequest{subject{Name: info.Name}, request})
		var members []string
		for _, p := range v.Pieces {
			if p.Text == "" || p.Line == 0 {
				t.Errorf("%s: %+v has no origin", info.Name, p)
			}
			members = append(members, p.Members...)
		}
		if info.SelfCheck != "" && !slices.Contains(members, "messages[1].content") {
			t.Errorf("%s: the question is at none of %q", info.Name, members)
		}
	}
	v := post[promptView](t, d, "prompt", promptRequest{subject{Source: angled}, `{"messages": [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hel"}],
		"continue_final_message": true, "add_generation_prompt": false}`})
	if last := v.Pieces[len(v.Pieces)-1]; last.Text != "Hel" || last.Line != 0 || !slices.Equal(last.Members, []string{"messages[1].content"}) {
		t.Errorf("the last piece is %+v", last)
	}
	if first := v.Pieces[:2]; first[0].Text != "<|" || !first[0].Literal || first[0].Column != 24 || first[1].Text != "user" || first[1].Literal {
		t.Errorf("the prompt begins with %+v", first)
	}
}

func TestFilesOfModelsAreRead(t *testing.T) {
	t.Parallel()
	d := serveBench(t, nil)
	send := func(name, content string) (head, string) {
		return d.ask(t, http.MethodPost, apiPath+"file?name="+name, content, "Content-Type", "application/octet-stream")
	}
	for name, content := range map[string]string{
		"mine.jinja":            "Hi {{ x }}",
		"tokenizer_config.json": `{"chat_template": "Hi {{ x }}", "bos_token": "<s>"}`,
	} {
		res, text := send(name, content)
		var v fileView
		if err := json.Unmarshal([]byte(text), &v); err != nil || res.StatusCode != http.StatusOK || len(v.Templates) != 1 || v.Templates[0].Source != "Hi {{ x }}" {
			t.Errorf("%s: %s %v", name, text, err)
		}
	}
	for name, content := range map[string]string{"broken.gguf": "GGUF", "../../etc/empty.jinja": "", "x.json": "{}"} {
		res, text := send(name, content)
		if res.StatusCode != http.StatusBadRequest || !strings.Contains(text, filepath.Base(name)) || strings.Contains(text, os.TempDir()) {
			t.Errorf("%s: status %d: %s", name, res.StatusCode, text)
		}
	}
}

func TestTheAPIIsForOperatorsAndOwnPages(t *testing.T) {
	t.Parallel()
	d := serveBench(t, func(c *config.Config) { c.Auth.Tokens, c.Auth.ClientTokens = []string{"boss"}, []string{"client"} })
	for _, test := range []struct {
		name    string
		headers []string
		status  int
	}{
		{"an operator", []string{"Authorization", "Bearer boss", "Content-Type", "application/json"}, http.StatusOK},
		{"a client", []string{"Authorization", "Bearer client", "Content-Type", "application/json"}, http.StatusForbidden},
		{"no token", []string{"Content-Type", "application/json"}, http.StatusUnauthorized},
		{"what a form of another page can send", []string{"Authorization", "Bearer boss", "Content-Type", "text/plain"}, http.StatusBadRequest},
	} {
		if res, text := d.ask(t, http.MethodPost, apiPath+"rules", "{}", test.headers...); res.StatusCode != test.status {
			t.Errorf("%s: status %d: %s", test.name, res.StatusCode, text)
		}
	}
}
