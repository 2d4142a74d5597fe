package jinja

import (
	"slices"
	"strings"
	"unicode/utf8"
)

func split(r *render, in Value, a arguments) Value {
	s, _ := str(in)
	r.touch(len(s))
	most := index(a.values[1])
	if isNone(a.values[0]) {
		return r.texts(words(s, most))
	}
	sep := separator(a.values[0])
	r.growTimes(strings.Count(s, sep), 16)
	if most < 0 {
		return r.texts(strings.Split(s, sep))
	}
	return r.texts(strings.SplitN(s, sep, most+1))
}

// words splits at runs of blanks, most times at most; what is left after that keeps its trailing blanks.
func words(s string, most int) []string {
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
		out = append(out, s[:end])
		s = strings.TrimLeftFunc(s[end:], space)
	}
	return out
}

func rsplit(r *render, in Value, a arguments) Value {
	s, _ := str(in)
	r.touch(len(s))
	most := index(a.values[1])
	if isNone(a.values[0]) {
		return r.texts(lastWords(s, most))
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
		r.charge(1)
	}
	out = append(out, s)
	slices.Reverse(out)
	return r.texts(out)
}

// lastWords splits at runs of blanks from the end.
func lastWords(s string, most int) []string {
	var out []string
	s = strings.TrimRightFunc(s, space)
	for s != "" {
		start := strings.LastIndexFunc(s, space)
		if start < 0 || most >= 0 && len(out) == most {
			out = append(out, s)
			break
		}
		_, n := utf8.DecodeRuneInString(s[start:])
		out = append(out, s[start+n:])
		s = strings.TrimRightFunc(s[:start], space)
	}
	slices.Reverse(out)
	return out
}
