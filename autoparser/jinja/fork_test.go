package jinja_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/dragoman-project/dragoman/autoparser/jinja"
	"github.com/dragoman-project/dragoman/autoparser/jinja/value"
	"github.com/dragoman-project/dragoman/internal/shared"
)

// forkable are templates, and whether they can be cut at the variable begin. What cannot be cut has a state that the part behind
// the cut would find changed when it runs again.
var forkable = map[string]struct {
	source string
	can    bool
}{
	"the beginning of an answer":    {"{% for m in messages %}{{ m.role }}{% endfor %}{% if begin %}<bot>{% endif %}", true},
	"nothing else":                  {"{{ begin }}", true},
	"no use of the variable":        {"{% for m in messages %}{{ m.role }}{% endfor %}", true},
	"whether it is set":             {"a{{ begin is defined }}", true},
	"a variable set before":         {"{% set x = 1 %}a{% if begin %}{% set x = x + 1 %}{% endif %}{{ x }}", true},
	"a loop behind":                 {"{% set x = [1, 2] %}{% if begin %}a{% endif %}{% for i in x %}{{ i }}{{ loop.index }}{% endfor %}", true},
	"a captured text":               {"{% set x %}{{ messages | length }}{% endset %}{{ x }}{% if begin %}{{ x }}{% endif %}", true},
	"a namespace read behind":       {"{% set n = namespace(x=1) %}{% set n.x = 2 %}{{ n.x }}{% if begin %}{{ n.x }}{% endif %}", true},
	"a macro called before":         {"{% macro f(x) %}<{{ x }}>{% endmacro %}{{ f(1) }}{% if begin %}{{ f }}{% endif %}", true},
	"a failure without it":          {"a{% if not begin %}{{ raise_exception('no') }}{% endif %}", true},
	"a failure with it":             {"a{% if begin %}{{ raise_exception('no') }}{% endif %}", true},
	"a namespace changed behind":    {"{% set n = namespace(x=1) %}{% if begin %}{% set n.x = 2 %}{% endif %}{{ n.x }}", false},
	"a list changed behind":         {"{% set l = [] %}{% if begin %}{% endif %}{% do l.append(1) %}{{ l }}", false},
	"an object changed behind":      {"{% set o = {} %}{% if begin %}{% endif %}{% do o.update(a=1) %}{{ o }}", false},
	"a method by another name":      {"{% set l = [] %}{% set f = l.append %}{% if begin %}{% endif %}{% do f(1) %}{{ l }}", false},
	"a method by its key":           {"{% set l = [] %}{% if begin %}{% endif %}{% set f = l['append'] %}{% do f(1) %}{{ l }}", false},
	"a method by a filter":          {"{% set l = [] %}{% if begin %}{% endif %}{% do (l | attr('append'))(1) %}{{ l }}", false},
	"a macro called behind":         {"{% set l = [] %}{% macro f() %}{% do l.append(1) %}{% endmacro %}{% if begin %}{{ f() }}{% endif %}{{ f() }}{{ l }}", false},
	"a generator consumed behind":   {"{% set g = messages | map(attribute='role') %}{% if begin %}a{% endif %}{{ g | join }}", false},
	"a generator in a list":         {"{% set g = [messages | map(attribute='role')] %}{% if begin %}a{% endif %}{{ g[0] | join }}", false},
	"a generator in a namespace":    {"{% set n = namespace(g=messages | map(attribute='role')) %}{% if begin %}a{% endif %}{{ n.g | join }}", false},
	"a cycler":                      {"{% set c = cycler('a', 'b') %}{{ c.next() }}{% if begin %}{% endif %}{{ c.next() }}", false},
	"a joiner":                      {"{% set j = joiner('|') %}{{ j() }}{% if begin %}{% endif %}{{ j() }}", false},
	"a loop variable that was kept": {"{% set n = namespace() %}{% for m in messages %}{% set n.l = loop %}{% endfor %}{% if begin %}{% endif %}{{ n.l.changed(1) }}", false},
	"an assignment to the variable": {"{% set begin = begin or 1 %}{{ begin }}", false},
}

func TestAForkRendersWhatItsTemplateRendersForEachValue(t *testing.T) {
	vars := value.NewObject()
	messages, err := value.Decode([]byte(`[{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}]`))
	if err != nil {
		t.Fatal(err)
	}
	vars.Set("messages", messages)
	for name, c := range forkable {
		t.Run(name, func(t *testing.T) {
			tmpl, err := jinja.Compile("x", c.source, jinja.Options{})
			if err != nil {
				t.Fatal(err)
			}
			fork := tmpl.Fork("begin")
			for _, values := range [][2]value.Value{{nil, value.True}, {value.False, value.True}, {value.True, value.False}} {
				got, ok, err := fork.Render(context.Background(), vars, pinned, values)
				if ok != c.can {
					t.Fatalf("it can be cut: %v", ok)
				}
				if ok {
					expectBoth(t, tmpl, "begin", vars, values, got, err)
				}
			}
		})
	}
}

// expectBoth compares what a fork has rendered with what its template renders.
func expectBoth(t *testing.T, tmpl *jinja.Template, name string, vars *value.Object, values [2]value.Value, got [2]string, err error) {
	t.Helper()
	failed := false
	for i, v := range values {
		own := value.NewObject()
		for _, id := range vars.Keys() {
			if x, _ := vars.Get(id); id != name {
				own.Set(id, x)
			}
		}
		if v != nil {
			own.Set(name, v)
		}
		want, wantErr := tmpl.Render(context.Background(), own, pinned)
		failed = failed || wantErr != nil
		if err == nil && got[i] != want {
			t.Errorf("with %v: %q, expected %q", v, got[i], want)
		}
	}
	if failed != (err != nil) {
		t.Errorf("the fork fails with %v, its template: %v", err, failed)
	}
}

func TestForksOfTemplatesInUse(t *testing.T) {
	files, err := filepath.Glob("testdata/*.jinja")
	if err != nil {
		t.Fatal(err)
	}
	recorded, err := filepath.Glob(filepath.Join(shared.Dir(t, "templates"), "*.jinja"))
	if err != nil {
		t.Fatal(err)
	}
	forked, all := 0, slices.Concat(files, recorded)
	for _, file := range all {
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		tmpl, err := jinja.Compile(file, string(source), jinja.Options{})
		if err != nil {
			t.Fatal(err)
		}
		fork := tmpl.Fork("add_generation_prompt")
		for _, messages := range []int{1, 2, 9} {
			vars := decode(t, []byte(conversation(messages, 3))).(*value.Object)
			values := [2]value.Value{nil, value.True}
			if got, ok, err := fork.Render(context.Background(), vars, pinned, values); ok {
				forked++
				expectBoth(t, tmpl, "add_generation_prompt", vars, values, got, err)
			}
		}
	}
	if forked < len(all) {
		t.Errorf("of %d renderings, %d were forked", 3*len(all), forked)
	}
}
