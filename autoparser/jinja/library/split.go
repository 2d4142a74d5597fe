package library

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/dragoman-project/dragoman/autoparser/jinja/pystr"
	"github.com/dragoman-project/dragoman/autoparser/jinja/value"
)

// split is str.split.
func split(e *Env, in value.Value, a Arguments) value.Value {
	s, _ := value.Text(in)
	e.Touch(len(s))
	most := value.Index(a.Values[1])
	if value.IsNone(a.Values[0]) {
		return e.NewTexts(e.words(s, most))
	}
	return e.NewTexts(e.cut(s, separator(a.Values[0]), most))
}

// cut splits at a separator, most times at most.
func (e *Env) cut(s, sep string, most int) []string {
	var out []string
	for most < 0 || len(out) < most {
		before, after, found := strings.Cut(s, sep)
		if !found {
			break
		}
		e.piece()
		out, s = append(out, before), after
	}
	return append(out, s)
}

// piece counts one element of a list of strings that is made.
func (e *Env) piece() {
	e.Grow(48)
	e.Charge(1)
}

// words splits at runs of blanks, most times at most; what is left after that keeps its trailing blanks.
func (e *Env) words(s string, most int) []string {
	var out []string
	s = strings.TrimLeftFunc(s, pystr.IsSpace)
	for s != "" {
		if most >= 0 && len(out) == most {
			return append(out, s)
		}
		end := strings.IndexFunc(s, pystr.IsSpace)
		if end < 0 {
			return append(out, s)
		}
		e.piece()
		out = append(out, s[:end])
		s = strings.TrimLeftFunc(s[end:], pystr.IsSpace)
	}
	return out
}

// rsplit is str.rsplit.
func rsplit(e *Env, in value.Value, a Arguments) value.Value {
	s, _ := value.Text(in)
	e.Touch(len(s))
	most := value.Index(a.Values[1])
	if value.IsNone(a.Values[0]) {
		return e.NewTexts(e.lastWords(s, most))
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
		e.piece()
	}
	out = append(out, s)
	slices.Reverse(out)
	return e.NewTexts(out)
}

// lastWords splits at runs of blanks from the end.
func (e *Env) lastWords(s string, most int) []string {
	var out []string
	s = strings.TrimRightFunc(s, pystr.IsSpace)
	for s != "" {
		start := strings.LastIndexFunc(s, pystr.IsSpace)
		if start < 0 || most >= 0 && len(out) == most {
			out = append(out, s)
			break
		}
		_, n := utf8.DecodeRuneInString(s[start:])
		e.piece()
		out = append(out, s[start+n:])
		s = strings.TrimRightFunc(s[:start], pystr.IsSpace)
	}
	slices.Reverse(out)
	return out
}

// splitLines is str.splitlines.
func (e *Env) splitLines(s string, keep bool) []string {
	var lines []string
	for s != "" {
		end := strings.IndexFunc(s, lineBreak)
		if end < 0 {
			return append(lines, s)
		}
		e.piece()
		_, n := utf8.DecodeRuneInString(s[end:])
		if strings.HasPrefix(s[end:], "\r\n") {
			n = 2
		}
		line := s[:end]
		if keep {
			line = s[:end+n]
		}
		lines, s = append(lines, line), s[end+n:]
	}
	return lines
}

// lineBreak reports where str.splitlines splits.
func lineBreak(c rune) bool {
	switch c {
	case '\n', '\r', '\v', '\f', 0x1c, 0x1d, 0x1e, 0x85, 0x2028, 0x2029:
		return true
	}
	return false
}
