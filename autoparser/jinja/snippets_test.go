package jinja_test

import (
	"errors"
	"testing"

	"github.com/dragoman-project/dragoman/autoparser/jinja"
)

// snippet is a small template with its rendering or its failure, which is Python's class of the exception and its message. Its
// variables are those of the random templates.
type snippet struct {
	name, template string
	renders, fails string
}

// snippets are the specification, by subject.
func snippets() map[string][]snippet {
	return map[string][]snippet{
		"loops": loopsSnippets, "scopes": scopesSnippets, "macros": macrosSnippets, "whitespace": whitespaceSnippets,
		"values": valuesSnippets, "strings": stringsSnippets, "filters": filtersSnippets,
	}
}

func TestSnippets(t *testing.T) {
	for subject, rows := range snippets() {
		for _, s := range rows {
			t.Run(subject+"/"+s.name, func(t *testing.T) {
				got, err := render(t, s.template, randomVars)
				var e *jinja.Error
				switch {
				case s.fails == "" && err != nil:
					t.Errorf("%v", err)
				case s.fails == "" && got != s.renders:
					t.Errorf("\ngot  %q\nwant %q", got, s.renders)
				case s.fails != "" && !errors.As(err, &e):
					t.Errorf("rendered %q, want the failure %s", got, s.fails)
				case s.fails != "" && e.Class+": "+e.Message != s.fails:
					t.Errorf("\nfailed with %s: %s\nwant        %s", e.Class, e.Message, s.fails)
				case s.fails != "" && e.Line == 0:
					t.Errorf("%v has no place", e)
				}
			})
		}
	}
}
