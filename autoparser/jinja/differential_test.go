package jinja_test

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dragoman-project/dragoman/autoparser/jinja"
	"github.com/dragoman-project/dragoman/internal/shared"
)

// templates is the number of random templates to compare, and of conversations for each template: go test -run Random ./autoparser/jinja -templates 100000
var templates = flag.Int("templates", 1500, "number of random templates that are compared with Python")

func TestRandomTemplatesRenderAsPythonDoes(t *testing.T) {
	shared.Slow(t)
	p := startPython(t)
	failed := 0
	for seed := range uint64(*templates) {
		g := &generator{Rand: rand.New(rand.NewPCG(seed, 1))}
		template := g.template()
		want := p.render(t, template, json.RawMessage(randomVars))
		got, err := render(t, template, randomVars)
		if !sameResult(t, seed, template, got, err, want) {
			if failed++; failed > 25 {
				t.Fatal("too many differences")
			}
		}
	}
}

func TestRandomConversationsRenderAsPythonDoes(t *testing.T) {
	shared.Slow(t)
	p := startPython(t)
	files, err := filepath.Glob("testdata/*.jinja")
	if err != nil || len(files) == 0 {
		t.Fatalf("no templates in testdata: %v", err)
	}
	for _, file := range files {
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for seed := range uint64(*templates / 5) {
			g := &generator{Rand: rand.New(rand.NewPCG(seed, 2))}
			vars := g.conversation()
			want := p.render(t, string(source), vars)
			got, err := render(t, string(source), string(vars))
			if !sameResult(t, seed, file, got, err, want) {
				t.Logf("variables: %s", vars)
			}
		}
	}
}

func render(t testing.TB, template, vars string) (string, error) {
	t.Helper()
	tmpl, err := jinja.Compile("random", template, jinja.Options{})
	if err != nil {
		return "", err
	}
	return tmpl.Render(context.Background(), decode(t, []byte(vars)), pinned)
}

func sameResult(t *testing.T, seed uint64, template, got string, err error, want answer) bool {
	t.Helper()
	var e *jinja.Error
	switch {
	case want.Output != nil && strings.Contains(strings.ToLower(*want.Output), " at 0x"): // an address
		return true
	case want.Output == nil && err == nil:
		t.Errorf("%d: rendered %q, Python raises %s: %s\n%s", seed, got, want.Class, want.Message, template)
	case want.Output == nil && errors.As(err, &e) && e.Class != want.Class:
		t.Errorf("%d: failed with %v, Python with %s: %s\n%s", seed, e, want.Class, want.Message, template)
	case want.Output != nil && err != nil:
		t.Errorf("%d: failed with %v, Python renders %q\n%s", seed, err, *want.Output, template)
	case want.Output != nil && got != *want.Output:
		t.Errorf("%d:\ngot  %q\nwant %q\n%s", seed, got, *want.Output, template)
	default:
		return true
	}
	return false
}

// TestPythonAgreesWithTheSnippets checks that the snippets hold for Python's Jinja2, too. The
// wording of messages may differ.
func TestPythonAgreesWithTheSnippets(t *testing.T) {
	p := startPython(t)
	for subject, rows := range snippets() {
		for _, s := range rows {
			got := p.render(t, s.template, json.RawMessage(randomVars))
			switch {
			case s.fails == "" && (got.Output == nil || *got.Output != s.renders):
				t.Errorf("%s/%s: want %q, Python made %+v", subject, s.name, s.renders, got)
			case s.fails != "" && (got.Output != nil || got.Class != strings.SplitN(s.fails, ":", 2)[0]):
				t.Errorf("%s/%s: want %s, Python made %+v", subject, s.name, s.fails, got)
			}
		}
	}
}
