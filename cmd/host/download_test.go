package main

import (
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const cachedCommit = "0123456789abcdef0123456789abcdef01234567"

// cached puts a model with a template into a new cache, by hand, and takes the hub away.
func cached(t *testing.T, name, template string) (cache string) {
	t.Helper()
	home := t.TempDir()
	t.Setenv("HF_HOME", home)
	for _, unset := range []string{"HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE", "HF_HUB_OFFLINE", "HF_TOKEN"} {
		t.Setenv(unset, "")
	}
	gone := httptest.NewServer(http.NotFoundHandler())
	t.Setenv("HF_ENDPOINT", gone.URL)
	gone.Close()
	dir := filepath.Join(home, "hub", "models--"+strings.ReplaceAll(name, "/", "--"))
	for path, content := range map[string]string{
		"refs/main": cachedCommit, "snapshots/" + cachedCommit + "/chat_template.jinja": template,
	} {
		path = filepath.Join(dir, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return filepath.Join(home, "hub")
}

func TestModelsAreNamedOnTheCommandLine(t *testing.T) {
	cache := cached(t, "org/name", `{% for m in messages %}<|{{ m.role }}|>{{ m.content }}{% endfor %}`)
	greeted := "<|user|>Hello!"
	for _, test := range []struct {
		line      string
		code      int
		out, errs string
	}{
		{line: "render org/name", out: greeted},
		{line: "render org/name@" + cachedCommit, out: greeted},
		{line: "render org/name@next", code: exitFailed, errs: `lacks the revision "next" of org/name; download it with --download`},
		{line: "render org/other", code: exitFailed, errs: fmt.Sprintf("org/other is neither a path nor in the cache of Hugging Face: %s lacks the model org/other", cache)},
		{line: "render org/name --download", out: greeted, errs: "org/name is not updated, and the cached files are used"},
		{line: "render chatml-json --download", out: "Hello!"},
	} {
		code, out, errs := commandLine(t, "", strings.Fields(test.line)...)
		if code != test.code || !strings.Contains(out, test.out) || !strings.Contains(errs, test.errs) {
			t.Errorf("%s: %d\n%s%s", test.line, code, out, errs)
		}
	}
	t.Setenv("HF_HUB_OFFLINE", "1")
	if code, _, errs := commandLine(t, "", "render", "org/other", "--download"); code != exitFailed || !strings.Contains(errs, "HF_HUB_OFFLINE") {
		t.Errorf("offline: %d %s", code, errs)
	}
	if _, err := fs.Stat(os.DirFS(cache), "models--org--other"); err == nil {
		t.Error("what was not downloaded left a folder in the cache")
	}
}
