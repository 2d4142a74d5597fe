package charset

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// named are the sets that have names.
var named = []struct {
	set  Set
	name string
}{
	{All, "any character"},
	{New(Range{'0', '9'}), "a digit"},
	{New(Range{'1', '9'}), "a digit but 0"},
	{New(Range{'0', '9'}, Range{'A', 'F'}, Range{'a', 'f'}), "a hexadecimal digit"},
	{New(Range{'A', 'Z'}, Range{'a', 'z'}), "a letter"},
	{New(Range{'A', 'Z'}, Range{'a', 'z'}, Range{'0', '9'}), "a letter or digit"},
	{New(Range{0, 0x1F}), "a control character"},
}

// special are the characters that have names.
var special = map[rune]string{' ': "a space", '\n': "a line break", '\t': "a tab", '\r': "a carriage return", 0x7F: "a delete character"}

// IsOne reports whether s holds one character.
func (s Set) IsOne() bool { return len(s) == 1 && s[0].Lo == s[0].Hi }

// Words describes one character of s for people: `a digit`, `any character but "x" or a line break`.
func (s Set) Words() string {
	if name, ok := s.name(); ok {
		return name
	}
	if n := len(s); n > 0 && s[n-1].Hi == utf8.MaxRune {
		return "any character but " + s.Complement().Words()
	}
	var parts []string
	if control := named[len(named)-1]; len(s) > 0 && s[0] == control.set[0] {
		parts, s = append(parts, control.name), s[1:]
	}
	for _, r := range s {
		switch {
		case r.Hi <= r.Lo+1:
			for c := r.Lo; c <= r.Hi; c++ {
				parts = append(parts, character(c))
			}
		default:
			parts = append(parts, character(r.Lo)+" to "+character(r.Hi))
		}
	}
	return strings.Join(parts, " or ")
}

func (s Set) name() (string, bool) {
	for _, n := range named {
		if slices.Equal(n.set, s) {
			return n.name, true
		}
	}
	return "", false
}

func character(c rune) string {
	if name, ok := special[c]; ok {
		return name
	}
	return strconv.Quote(string(c))
}
