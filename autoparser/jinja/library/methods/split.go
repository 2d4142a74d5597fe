package methods

import (
	"slices"
	"strings"

	"github.com/dragoman-project/dragoman/autoparser/jinja/failure"
	"github.com/dragoman-project/dragoman/autoparser/jinja/library"
	"github.com/dragoman-project/dragoman/autoparser/jinja/value"
)

// separator returns an argument that must be a string and not empty.
func separator(v value.Value) string {
	sep := value.NeedText(v, "separator")
	if sep == "" {
		failure.Throw("ValueError", "empty separator")
	}
	return sep
}

// split is str.split.
func split(e *library.Env, in value.Value, a library.Arguments) value.Value {
	s, _ := value.Text(in)
	e.Touch(len(s))
	most := value.Index(a.Values[1])
	if value.IsNone(a.Values[0]) {
		return e.NewTexts(e.Words(s, most))
	}
	return e.NewTexts(e.SplitAt(s, separator(a.Values[0]), most))
}

// rsplit is str.rsplit.
func rsplit(e *library.Env, in value.Value, a library.Arguments) value.Value {
	s, _ := value.Text(in)
	e.Touch(len(s))
	most := value.Index(a.Values[1])
	if value.IsNone(a.Values[0]) {
		return e.NewTexts(e.LastWords(s, most))
	}
	sep := separator(a.Values[0])
	var out []string
	for most < 0 || len(out) < most {
		i := strings.LastIndex(s, sep)
		if i < 0 {
			break
		}
		out = append(out, s[i+len(sep):])
		s = s[:i]
		e.Piece()
	}
	out = append(out, s)
	slices.Reverse(out)
	return e.NewTexts(out)
}
