package jinja

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/dragoman-project/dragoman/autoparser/jinja/value"
)

// TestOriginsOfOutputs prints each piece as "line:column text", literal text in quotes.
func TestOriginsOfOutputs(t *testing.T) {
	t.Parallel()
	vars, err := value.Decode([]byte(`{"role": "user", "text": "Hi", "items": ["a", "b"]}`))
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ name, source, want string }{
		{"text and expressions", "<s>{{ role }}\n<x>", `1:1 "<s>" 1:7 user 1:14 "\n<x>"`},
		{"nothing at first", "{{ '' }}a", `1:9 "a"`},
		{"a sum", "{{ '<|' + role + '|>' }}", `1:4 "<|" 1:11 user 1:18 "|>"`},
		{"a concatenation", "{{ '<' ~ role ~ 1 }}", `1:4 "<" 1:10 user 1:17 "1"`},
		{"a sum of numbers", "{{ 1 + 2 }}", `1:6 3`},
		{"a loop", "{% for i in items %}\n[{{ i }}]\n{% endfor %}", `2:1 "[" 2:5 a 2:9 "]\n" 2:1 "[" 2:5 b 2:9 "]\n"`},
		{"a macro", "{% macro m(x) %}<{{ x }}>{% endmacro %}{{ m(text) }}", `1:17 "<" 1:21 Hi 1:25 ">"`},
		{"a macro in a sum", "{% macro m(x) %}<{{ x }}>{% endmacro %}{{ 'a' + m(text) }}", `1:43 "a" 1:17 "<" 1:21 Hi 1:25 ">"`},
		{"a captured text", "{% set x %}<{{ role }}{% endset %}a{{ x }}", `1:35 "a" 1:12 "<" 1:16 user`},
		{"a changed captured text", "{% set x %}<{{ role }}{% endset %}{{ x | upper }}", `1:40 <USER`},
		{"a filtered block", "{% filter upper %}a{{ role }}{% endfilter %}", `1:1 AUSER`},
		{"a captured text that is dropped", "{% for i in items %}{% set x %}{{ i }}{% break %}{% endset %}{% endfor %}b", `1:74 "b"`},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			plain, err := Compile("t", test.source, Options{})
			if err != nil {
				t.Fatal(err)
			}
			want, err := plain.Render(t.Context(), vars, time.Time{})
			if err != nil {
				t.Fatal(err)
			}
			var trace Trace
			traced := plain.Traced(&trace)
			for range 2 { // the second replaces the first
				out, err := traced.Render(t.Context(), vars, time.Time{})
				if err != nil || out != want {
					t.Fatalf("%q, %v; untraced: %q", out, err, want)
				}
				var got []string
				for _, o := range trace.Origins() {
					text := o.Text
					if o.Literal {
						text = fmt.Sprintf("%q", text)
					}
					got = append(got, fmt.Sprintf("%d:%d %s", o.Line, o.Column, text))
				}
				if all := strings.Join(got, " "); all != test.want {
					t.Errorf("%s\nwant %s", all, test.want)
				}
			}
		})
	}
}
