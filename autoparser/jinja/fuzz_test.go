package jinja_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/dragoman-project/dragoman/autoparser/jinja"
	"github.com/dragoman-project/dragoman/autoparser/jinja/value"
)

// fuzzLimits are small, so that renderings which reach them are short.
var fuzzLimits = jinja.Limits{
	Source: 16 << 10, Steps: 100_000, Memory: 4 << 20, Output: 1 << 20, Depth: 16, Range: 1000, Timeout: 2 * time.Second,
}

// addTemplates adds the templates of the tests as seeds. with are the further arguments of the target.
func addTemplates(f *testing.F, with ...any) {
	f.Helper()
	add := func(source string) { f.Add(append([]any{source}, with...)...) }
	files, err := filepath.Glob("testdata/*.jinja")
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range files {
		source, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		add(string(source))
	}
	for _, rows := range snippets() {
		for _, s := range rows {
			add(s.template)
		}
	}
	for _, a := range attacks() {
		if len(a.template) < 1000 {
			add(a.template)
		}
	}
}

// FuzzCompile checks that any source compiles, or is refused with a place in it.
func FuzzCompile(f *testing.F) {
	addTemplates(f)
	f.Fuzz(func(t *testing.T, source string) {
		tmpl, err := jinja.Compile("fuzzed", source, jinja.Options{Limits: fuzzLimits})
		if err == nil {
			tmpl.Variables()
			tmpl.Fields()
			return
		}
		mustBeTyped(t, err)
		var e *jinja.Error
		if errors.As(err, &e); e.Kind == jinja.Syntax && (e.Line < 1 || e.Line > 1+strings.Count(source, "\n")+strings.Count(source, "\r")) {
			t.Errorf("%v stands in no line of %q", err, source)
		}
	})
}

// FuzzRender checks that any rendering ends within the limits, with text or with a typed error that is not an internal one, that it
// changes no variables, and that a second one has the same result.
func FuzzRender(f *testing.F) {
	addTemplates(f, randomVars)
	f.Add(`{% for k, v in a.items() %}{{ k }}{{ v|tojson }}{{ v[0] }}{{ v.x }}{{ v ~ k }}{{ v + v }}{% endfor %}`, `{"a": {"b": 1e400, "c": "\ud800", "": []}}`)
	f.Add(`{{ messages[0].content|trim }}{{ messages|map(attribute='role')|join }}`, `{"messages": [{"role": null, "content": [{"type": "text"}]}, 1]}`)
	f.Fuzz(func(t *testing.T, source, variables string) {
		vars, err := value.Decode([]byte(variables))
		if err != nil {
			return
		}
		before, encodeErr := value.Encode(vars)
		tmpl, err := jinja.Compile("fuzzed", source, jinja.Options{Limits: fuzzLimits})
		if err != nil {
			return
		}
		out, err := tmpl.Render(context.Background(), vars, pinned)
		if err != nil {
			mustBeTyped(t, err)
		}
		if len(out) > fuzzLimits.Output {
			t.Errorf("%d bytes of output", len(out))
		}
		if after, _ := value.Encode(vars); encodeErr == nil && string(after) != string(before) {
			t.Errorf("the variables were changed: %s", after)
		}
		again, err2 := tmpl.Render(context.Background(), vars, pinned)
		if again != out || (err == nil) != (err2 == nil) {
			t.Errorf("the second rendering differs: %q, %v; %q, %v", out, err, again, err2)
		}
	})
}

func mustBeTyped(t *testing.T, err error) {
	t.Helper()
	var e *jinja.Error
	if !errors.As(err, &e) || e.Kind.String() == "unknown" || e.Class == "InternalError" {
		t.Errorf("%#v", err)
	}
}
