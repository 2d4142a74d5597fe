package jinja

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/dragoman-project/dragoman/autoparser/jinja/value"
)

func TestTolerantRenderingGoesOnWhereJinjaFails(t *testing.T) {
	for source, want := range map[string]string{
		"{{ 'a' + missing + 'b' }}":                      "ab",
		"{{ 'a' + {}.missing }}":                         "a",
		"{{ ['x', 'y'] | map('upper') | tojson }}":       `["X", "Y"]`,
		`{{ '{"a": [1, null]}' | from_json | tojson }}`:  `{"a": [1, null]}`,
		"{{ ('[1]' | fromjson)[0] + 1 }}":                "2",
		"{{ [{'n': 1}] | map(attribute='n') | tojson }}": "[1]",
		"{% set d = {} %}{% set d.x = 1 %}{{ d.x }}":     "1",
	} {
		strict, err := Compile("t", source, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if got, err := strict.Render(context.Background(), nil, time.Time{}); !errors.Is(err, Runtime) {
			t.Errorf("%s: strictly rendered as %q, %v", source, got, err)
		}
		got, err := strict.Tolerant().Render(context.Background(), nil, time.Time{})
		if err != nil || got != want {
			t.Errorf("%s: rendered as %q, %v; want %q", source, got, err, want)
		}
	}
}

func TestTolerantRenderingChangesCopiesOfTheVariables(t *testing.T) {
	compiled, err := Compile("t", "{% for m in ms %}{% set m.calls = [1] %}{% endfor %}{{ ms | tojson }}", Options{})
	if err != nil {
		t.Fatal(err)
	}
	vars := value.NewObject()
	vars.Set("ms", value.ListOf(value.NewObject()))
	for range 2 {
		got, err := compiled.Tolerant().Render(context.Background(), vars, time.Time{})
		if want := `[{"calls": [1]}]`; err != nil || got != want {
			t.Errorf("rendered as %q, %v", got, err)
		}
	}
	if ms, _ := vars.Get("ms"); ms.(*value.List).Items[0].(*value.Object).Len() != 0 {
		t.Error("the variables changed")
	}
	if got, err := compiled.Render(context.Background(), vars, time.Time{}); err == nil {
		t.Errorf("strictly rendered as %q", got)
	}
}

func TestTolerantRenderingKeepsTheSandbox(t *testing.T) {
	compiled, err := Compile("t", "{{ 'a' + ''.__class__ }}", Options{})
	if err != nil {
		t.Fatal(err)
	}
	if got, err := compiled.Tolerant().Render(context.Background(), nil, time.Time{}); err == nil {
		t.Errorf("rendered as %q", got)
	}
}

func TestPlainTextIsNotEscaped(t *testing.T) {
	compiled, err := Compile("t", `{{ "<a>"|safe + "<b>" + {"c": "<d>"}|tojson }}{{ "<e>"|e }}`, Options{})
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		template *Template
		want     string
	}{
		"markup":     {compiled, `<a>&lt;b&gt;{&#34;c&#34;: &#34;&lt;d&gt;&#34;}&lt;e&gt;`},
		"plain text": {compiled.PlainText(), `<a><b>{"c": "<d>"}&lt;e&gt;`},
	} {
		got, err := c.template.Render(context.Background(), nil, time.Time{})
		if err != nil || got != c.want {
			t.Errorf("%s: %q, %v; want %q", name, got, err, c.want)
		}
	}
}
