package jinja

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// split is str.split.
func split(r *render, in Value, a arguments) Value {
	s, _ := str(in)
	r.touch(len(s))
	most := index(a.values[1])
	if isNone(a.values[0]) {
		return r.texts(r.words(s, most))
	}
	return r.texts(r.cut(s, separator(a.values[0]), most))
}

// cut splits at a separator, most times at most.
func (r *render) cut(s, sep string, most int) []string {
	var out []string
	for most < 0 || len(out) < most {
		before, after, found := strings.Cut(s, sep)
		if !found {
			break
		}
		r.piece()
		out, s = append(out, before), after
	}
	return append(out, s)
}

// piece counts one element of a list of strings that is made.
func (r *render) piece() {
	r.grow(48)
	r.charge(1)
}

// words splits at runs of blanks, most times at most; what is left after that keeps its trailing blanks.
func (r *render) words(s string, most int) []string {
	var out []string
	s = strings.TrimLeftFunc(s, space)
	for s != "" {
		if most >= 0 && len(out) == most {
			return append(out, s)
		}
		end := strings.IndexFunc(s, space)
		if end < 0 {
			return append(out, s)
		}
		r.piece()
		out = append(out, s[:end])
		s = strings.TrimLeftFunc(s[end:], space)
	}
	return out
}

// rsplit is str.rsplit.
func rsplit(r *render, in Value, a arguments) Value {
	s, _ := str(in)
	r.touch(len(s))
	most := index(a.values[1])
	if isNone(a.values[0]) {
		return r.texts(r.lastWords(s, most))
	}
	sep := separator(a.values[0])
	var out []string
	for most < 0 || len(out) < most {
		i := strings.LastIndex(s, sep)
		if i < 0 {
			break
		}
		out = append(out, s[i+len(sep):])
		s = s[:i]
		r.piece()
	}
	out = append(out, s)
	slices.Reverse(out)
	return r.texts(out)
}

// lastWords splits at runs of blanks from the end.
func (r *render) lastWords(s string, most int) []string {
	var out []string
	s = strings.TrimRightFunc(s, space)
	for s != "" {
		start := strings.LastIndexFunc(s, space)
		if start < 0 || most >= 0 && len(out) == most {
			out = append(out, s)
			break
		}
		_, n := utf8.DecodeRuneInString(s[start:])
		r.piece()
		out = append(out, s[start+n:])
		s = strings.TrimRightFunc(s[:start], space)
	}
	slices.Reverse(out)
	return out
}
