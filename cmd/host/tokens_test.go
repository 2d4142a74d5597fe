package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
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
	if _, code := tokens(t, "../../templates/chatml-json.jinja"); code != exitFailed {
		t.Errorf("a template without a tokenizer: exit %d", code)
	}
}
