package model

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestNamesOfModels(t *testing.T) {
	for name, want := range map[string]Repo{
		"org/name": {"org/name", "main"}, "Qwen/Qwen3-0.6B": {"Qwen/Qwen3-0.6B", "main"}, "a/b@v1.0": {"a/b", "v1.0"}, "a/b@refs/pr/1": {"a/b", "refs/pr/1"},
		"name": {}, "a/b/c": {}, "/a/b": {}, "./a": {}, "../a": {}, "a/..": {}, "a/b@": {}, "a/b@../c": {}, "a/b@/c": {}, "a/b--c": {}, "a/b c": {}, "~/a": {}, "": {},
		"a/" + strings.Repeat("b", 100): {},
	} {
		got, ok := ParseRepo(name)
		if ok != (want != Repo{}) || ok && got != want {
			t.Errorf("%q: %v, %v", name, got, ok)
		}
	}
}

func TestTheUseOfAModelIsRead(t *testing.T) {
	dir := t.TempDir()
	write := func(name, content string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("chat_template.jinja", "x")
	m, err := Load(dir)
	if err != nil || m.Tokenizer != "" || m.ContextLength != 0 {
		t.Errorf("of a template alone: %+v, %v", m, err)
	}
	write("tokenizer.json", "{}")
	write("generation_config.json", `{"temperature": 0.5, "top_k": 3, "max_new_tokens": 9}`)
	write("config.json", `{"text_config": {"max_position_embeddings": 100}, "torch_dtype": "x"}`)
	if m, err = Load(dir); err != nil {
		t.Fatal(err)
	}
	if m.Tokenizer != filepath.Join(dir, "tokenizer.json") || m.ContextLength != 100 || *m.Sampling.Temperature != 0.5 || *m.Sampling.TopK != 3 || m.Sampling.TopP != nil || m.Sampling.MaxNewTokens != 9 {
		t.Errorf("%+v", m)
	}
	write("config.json", "{\n  \"n_positions\": \"many\"}")
	if _, err = Load(dir); err == nil || !strings.Contains(err.Error(), "config.json:2:") {
		t.Errorf("of a broken file: %v", err)
	}
	if bare, err := Load(filepath.Join(dir, "chat_template.jinja")); err == nil {
		t.Errorf("the folder's files belong to its template: %+v", bare)
	}
}
