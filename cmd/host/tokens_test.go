package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dragoman-project/dragoman/sdk/tokenizer"
)

// tokens runs the command and returns what it prints.
func tokens(t *testing.T, args ...string) (out string, code int) {
	t.Helper()
	var to, errs strings.Builder
	code = run(t.Context(), append([]string{"tokens"}, args...), strings.NewReader(""), &to, &errs)
	return to.String(), code
}

func TestTokensOfAPromptArePrinted(t *testing.T) {
	dir := t.TempDir()
	for name, from := range map[string]string{"chat_template.jinja": "../../templates/chatml-reasoning.jinja", "tokenizer.json": "../../sdk/tokenizer/testdata/bytelevel/tokenizer.json"} {
		must(t, os.WriteFile(filepath.Join(dir, name), []byte(read(t, from)), 0o600))
	}
	out, code := tokens(t, dir)
	if code != exitOK || !strings.Contains(out, "     576  special  \"<|im_start|>\"\n") || !strings.Contains(out, "     579  added    \"<think>\"\n") || !strings.HasSuffix(out, "  tokens\n") {
		t.Errorf("exit %d:\n%s", code, out)
	}
	if out, code := tokens(t, dir, "--json"); code != exitOK || !strings.HasPrefix(out, `{"count":`) || !strings.Contains(out, `{"id":576,"text":"<|im_start|>","from":0,"to":12,"added":true,"special":true}`) {
		t.Errorf("exit %d:\n%s", code, out)
	}
	ids := filepath.Join(dir, "ids.json")
	tk, err := tokenizer.Open(dir)
	must(t, err)
	whole, err := json.Marshal(tk.Encode("Hm.\n</think>\n\nYes.<|im_end|>", tokenizer.Options{}))
	must(t, err)
	for written, want := range map[string]string{
		string(whole): `{"retokenized":null}`,
		`[580, 577]`:  `{"retokenized":{"index":-2,"wrote":{"id":579,"text":"<think>"},"rendered":{"id":577,"text":"<|im_end|>"},"why":"`,
		`[1, 99999]`:  "", `{}`: "",
	} {
		must(t, os.WriteFile(ids, []byte(written), 0o600))
		if out, code := tokens(t, dir, "--output", ids, "--json"); (code == exitOK) != (want != "") || !strings.HasPrefix(out, want) {
			t.Errorf("%s: exit %d:\n%s", written, code, out)
		}
	}
	if _, code := tokens(t, "../../templates/chatml-json.jinja"); code != exitFailed {
		t.Errorf("a template without a tokenizer: exit %d", code)
	}
}
