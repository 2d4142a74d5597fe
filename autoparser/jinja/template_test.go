package jinja_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/dragoman-project/dragoman/autoparser/jinja"
	"github.com/dragoman-project/dragoman/autoparser/jinja/value"
)

func compile(t testing.TB, source string) *jinja.Template {
	t.Helper()
	tmpl, err := jinja.Compile("t.jinja", source, jinja.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return tmpl
}

func TestErrorsHaveAPlace(t *testing.T) {
	for _, c := range []struct {
		name, template, want string
		kind                 jinja.Kind
	}{
		{"half of a character", `{{ '\ud83d' }}`, "t.jinja:1:4: TemplateSyntaxError: illegal escape in a string: 'd83d'", jinja.Syntax},
		{"syntax", "a\n{{ 1 + }}", "t.jinja:2:6: TemplateSyntaxError: unexpected 'end of print statement'", jinja.Syntax},
		{"a character that is none of the language", "{{ a ? b }}", "t.jinja:1:6: TemplateSyntaxError: unexpected char '?'", jinja.Syntax},
		{"a string that does not end", "{{ 'a }}", "t.jinja:1:4: TemplateSyntaxError: unexpected char \"'\": the string that begins here is not closed", jinja.Syntax},
		{"a tag that does not end", "ab{{ a", "t.jinja:1:3: TemplateSyntaxError: unexpected end of template: the tag that begins here is not closed", jinja.Syntax},
		{"a block that does not end", "{% if a %}\n{% for x in y %}", "t.jinja:2:1: TemplateSyntaxError: the block 'for' that begins here is not closed: expected endfor or else", jinja.Syntax},
		{"an end without a beginning", "\n\n{% endif %}", "t.jinja:3:1: TemplateSyntaxError: Encountered unknown tag 'endif': no block is open here", jinja.Syntax},
		{"the wrong end", "{% for x in y %}{% endif %}", "t.jinja:1:17: TemplateSyntaxError: Encountered unknown tag 'endif'. The innermost block that needs to be closed is 'for'.", jinja.Syntax},
		{"an unknown tag", "{% frobnicate %}", "t.jinja:1:1: TemplateSyntaxError: Encountered unknown tag 'frobnicate'.", jinja.Syntax},
		{"an unknown filter", "日本 {{ a|nofilter }}", "t.jinja:1:8: TemplateAssertionError: No filter named 'nofilter'.", jinja.Syntax},
		{"an integer that is too long", "{{ " + strings.Repeat("7", 5000) + " }}", "t.jinja:1:4: TemplateSyntaxError: this is an integer of more than 4300 digits", jinja.Syntax},
		{"brackets that do not match", "{{ (a] }}", "t.jinja:1:6: TemplateSyntaxError: unexpected ']', expected ')'", jinja.Syntax},
		{"undefined", "\n  {{ a.b.c }}", "t.jinja:2:9: UndefinedError: 'dict object' has no attribute 'b'", jinja.Runtime},
		{"a type", "{% set x = 1 %}\n{{ x + 'a' }}", "t.jinja:2:6: TypeError: unsupported operand type(s) for +: 'int' and 'str'", jinja.Runtime},
		{"raised", "{{ raise_exception('no') }}", "t.jinja:1:19: TemplateError: no", jinja.Raised},
		{"a limit", "{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}", "t.jinja:1:20: macros call each other deeper than 64", jinja.Limit},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := renderWith(c.template, value.NewObject().Set("a", value.NewObject()))
			if !errors.Is(err, c.kind) || err.Error() != c.want {
				t.Errorf("\ngot  %v\nwant %s", err, c.want)
			}
		})
	}
}

func renderWith(source string, vars value.Value) (string, error) {
	tmpl, err := jinja.Compile("t.jinja", source, jinja.Options{})
	if err != nil {
		return "", err
	}
	return tmpl.Render(context.Background(), vars, time.Time{})
}

func TestErrorsAreMatchedByKindAndByType(t *testing.T) {
	_, err := renderWith("{{ raise_exception('Roles must alternate') }}", nil)
	var e *jinja.Error
	if !errors.As(err, &e) || e.Message != "Roles must alternate" {
		t.Errorf("%v has not the template's own message", err)
	}
	if !errors.Is(err, jinja.Raised) || errors.Is(err, jinja.Runtime) {
		t.Errorf("%v is of the wrong kind", err)
	}
}

func TestACancelledContextStopsARendering(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err := compile(t, "a").Render(ctx, nil, time.Time{})
	if !errors.Is(err, jinja.Deadline) || !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

func TestLimitsCanBeSet(t *testing.T) {
	for _, c := range []struct {
		name, template string
		limits         jinja.Limits
	}{
		{"source", strings.Repeat("a", 11), jinja.Limits{Source: 10}},
		{"nesting", "{{ (((1))) }}", jinja.Limits{Nesting: 3}},
		{"steps", "{% for i in range(9000) %}{% endfor %}", jinja.Limits{Steps: 4000}},
		{"memory", "{{ 'a' * 1001 }}", jinja.Limits{Memory: 1000}},
		{"output", "{{ 'a' * 11 }}", jinja.Limits{Output: 10}},
		{"depth", "{% macro a() %}{{ b() }}{% endmacro %}{% macro b() %}{% endmacro %}{{ a() }}", jinja.Limits{Depth: 1}},
	} {
		t.Run(c.name, func(t *testing.T) {
			tmpl, err := jinja.Compile("t.jinja", c.template, jinja.Options{Limits: c.limits})
			if err == nil {
				_, err = tmpl.Render(context.Background(), nil, time.Time{})
			}
			if !errors.Is(err, jinja.Limit) {
				t.Errorf("%v, want a limit", err)
			}
			if _, err := renderWith(c.template, nil); err != nil {
				t.Errorf("%v under the default limits", err)
			}
		})
	}
	tmpl, err := jinja.Compile("t.jinja", "{% for i in range(11) %}{% endfor %}", jinja.Options{Limits: jinja.Limits{Range: 10}})
	if err != nil {
		t.Fatal(err)
	}
	var e *jinja.Error
	if _, err := tmpl.Render(context.Background(), nil, time.Time{}); !errors.As(err, &e) || e.Class != "OverflowError" {
		t.Errorf("%v, want Python's OverflowError for a range", err)
	}
}

func TestTheTimeIsNowUnlessItIsGiven(t *testing.T) {
	tmpl := compile(t, "{{ strftime_now('%Y') }}")
	if got, err := tmpl.Render(context.Background(), nil, pinned); err != nil || got != "2026" {
		t.Errorf("%q, %v", got, err)
	}
	if got, err := tmpl.Render(context.Background(), nil, time.Time{}); err != nil || got != time.Now().Format("2006") {
		t.Errorf("%q, %v", got, err)
	}
}

func TestVariablesAreAnObjectOrNone(t *testing.T) {
	if _, err := compile(t, "").Render(context.Background(), value.String("x"), time.Time{}); !errors.Is(err, jinja.Runtime) {
		t.Errorf("%v for variables that are a string", err)
	}
	for _, vars := range []value.Value{nil, value.None{}, value.NewObject()} {
		if got, err := compile(t, "{{ x }}a").Render(context.Background(), vars, time.Time{}); got != "a" || err != nil {
			t.Errorf("%q, %v for the variables %v", got, err, vars)
		}
	}
}

func TestValuesPrintAsPythonPrintsThem(t *testing.T) {
	v := value.NewObject().Set("l", value.ListOf(value.None{}, value.Bool(true), value.Int(-3), value.Float(2), value.String("a'b"), nil))
	if got, err := renderWith("{{ l }}", v); err != nil || got != `[None, True, -3, 2.0, "a'b", None]` {
		t.Errorf("%q, %v", got, err)
	}
}

func TestWhatATemplateReads(t *testing.T) {
	tmpl := compile(t, `
		{%- set ns = namespace(x=tools) %}{% macro m(a, b=default_b) %}{{ a }}{{ b }}{{ outer }}{{ caller() }}{% endmacro %}
		{%- for message in messages if message.role != 'system' %}{{ loop.index }}{{ message['content'].strip() }}{{ ns.x }}
		{%- if 'tool_calls' in message %}{{ message.get('name') }}{% endif %}{{ message.tool_calls | map(attribute='function') | tojson }}{% endfor %}
		{%- if enable_thinking is defined and not enable_thinking %}{{ raise_exception(bos_token) }}{% endif %}
		{%- set later = 1 %}{{ later }}{{ strftime_now('%Y') }}`)
	want := []string{"bos_token", "default_b", "enable_thinking", "messages", "outer", "tools"}
	if diff := cmp.Diff(want, tmpl.Variables()); diff != "" {
		t.Errorf("variables: %s", diff)
	}
	want = []string{"content", "function", "index", "name", "role", "tool_calls", "x"}
	if diff := cmp.Diff(want, tmpl.Fields()); diff != "" {
		t.Errorf("fields: %s", diff)
	}
}

func TestWhatIsRefusedIsRefusedAtOnceAndListed(t *testing.T) {
	listed := map[string]bool{}
	for _, r := range jinja.Refused() {
		listed[r.Kind+" "+r.Name] = true
		var source string
		switch r.Kind {
		case "tag":
			source = "{% " + r.Name + " x %}"
		case "filter":
			source = "{% if false %}{{ x|" + r.Name + " }}{% endif %}"
		case "function":
			source = "{% if false %}{{ " + r.Name + "() }}{% endif %}"
		default:
			continue
		}
		var e *jinja.Error
		if _, err := jinja.Compile("t", source, jinja.Options{}); !errors.As(err, &e) || e.Kind != jinja.Syntax ||
			!strings.Contains(e.Message, r.Name+" is not supported: "+r.Why) {
			t.Errorf("%s %s: %v", r.Kind, r.Name, err)
		}
	}
	for _, want := range []string{"tag include", "tag extends", "filter pprint", "filter random", "filter urlize", "function lipsum", "method str.encode"} {
		if !listed[want] {
			t.Errorf("%s is not listed", want)
		}
	}
	if _, err := renderWith("{{ 'a'.encode() }}", nil); err == nil || !strings.Contains(err.Error(), "str.encode is not supported: there are no bytes in templates") {
		t.Errorf("%v", err)
	}
}

// transformers refuses templates that change their own lists, but they are in use.
func TestATemplateMayChangeWhatItMade(t *testing.T) {
	vars := value.NewObject().Set("given", value.ListOf(value.Int(1)))
	for _, c := range []struct{ template, want string }{
		{"{% set l = [] %}{% do l.append(1) %}{% set _ = l.append(2) %}{{ l }}", "[1, 2]"},
		{"{% set ns = namespace(ids=[]) %}{% for i in 'abc' %}{% do ns.ids.append(i) %}{% endfor %}{{ ns.ids|join }}", "abc"},
		{"{% set l = [3, 1, 2] %}{% do l.sort() %}{% do l.reverse() %}{% do l.insert(1, 9) %}{{ l.pop() }}{{ l.pop(0) }}{{ l }}", "13[9, 2]"},
		{"{% set l = [1, 2, 1] %}{% do l.remove(1) %}{% do l.extend((7,)) %}{{ l }}{% do l.clear() %}{{ l }}", "[2, 1, 7][]"},
		{"{% set d = {'a': 1} %}{% do d.update({'b': 2}, c=3) %}{{ d.pop('a') }}{{ d.setdefault('z', 5) }}{{ d.popitem() }}{{ d }}", "15('z', 5){'b': 2, 'c': 3}"},
		{"{% set l = given|list %}{% do l.append(2) %}{{ l }}{{ given }}", "[1, 2][1]"},
		{"{% set l = given[:] %}{% do l.append(2) %}{{ l }}{{ given }}", "[1, 2][1]"},
		{"{% set l = given + [2] %}{% do l.append(3) %}{{ l }}{{ given }}", "[1, 2, 3][1]"},
		{"{% set l = [1] %}{% for x in l %}{{ x }}{% if x < 3 %}{% do l.append(x + 1) %}{% endif %}{% endfor %}", "123"},
	} {
		if got, err := renderWith(c.template, vars); got != c.want || err != nil {
			t.Errorf("%s\ngot  %q, %v\nwant %q", c.template, got, err, c.want)
		}
	}
	for _, template := range []string{"{{ given.append(1) }}", "{% set x = given %}{{ x.clear() }}", "{% for k in {'a': given}.values() %}{{ k.pop() }}{% endfor %}"} {
		var e *jinja.Error
		if _, err := renderWith(template, vars); !errors.As(err, &e) || e.Class != "SecurityError" {
			t.Errorf("%s: %v, want a SecurityError", template, err)
		}
	}
}

func TestOneTemplateIsRenderedConcurrently(t *testing.T) {
	tmpl := compileFile(t, "testdata/tagged.jinja")
	vars := decode(t, []byte(conversation(20, 3)))
	want, err := tmpl.Render(context.Background(), vars, pinned)
	if err != nil {
		t.Fatal(err)
	}
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			for range 20 {
				if got, err := tmpl.Render(context.Background(), vars, pinned); err != nil || got != want {
					t.Errorf("%q, %v", got, err)
				}
			}
		})
	}
	group.Wait()
}
