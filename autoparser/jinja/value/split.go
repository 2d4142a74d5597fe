package value

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/dragoman-project/dragoman/autoparser/jinja/pystr"
)

// SplitAt splits s at a separator, at most most times if most is not negative.
func (h *Heap) SplitAt(s, sep string, most int) []string {
	var out []string
	for most < 0 || len(out) < most {
		before, after, found := strings.Cut(s, sep)
		if !found {
			break
		}
		h.Piece()
		out, s = append(out, before), after
	}
	return append(out, s)
}

// Piece counts one element of a list of strings.
func (h *Heap) Piece() {
	h.Grow(48)
	h.Charge(1)
}

// Words splits s at runs of white space, at most most times if most is not negative; the rest keeps
// its trailing white space.
func (h *Heap) Words(s string, most int) []string {
	h.Scan(len(s))
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
		h.Piece()
		out = append(out, s[:end])
		s = strings.TrimLeftFunc(s[end:], pystr.IsSpace)
	}
	return out
}

// LastWords is Words from the end.
func (h *Heap) LastWords(s string, most int) []string {
	h.Scan(len(s))
	var out []string
	s = strings.TrimRightFunc(s, pystr.IsSpace)
	for s != "" {
		start := strings.LastIndexFunc(s, pystr.IsSpace)
		if start < 0 || most >= 0 && len(out) == most {
			out = append(out, s)
			break
		}
		_, n := utf8.DecodeRuneInString(s[start:])
		h.Piece()
		out = append(out, s[start+n:])
		s = strings.TrimRightFunc(s[:start], pystr.IsSpace)
	}
	slices.Reverse(out)
	return out
}

// SplitLines is str.splitlines.
func (h *Heap) SplitLines(s string, keep bool) []string {
	h.Scan(len(s))
	var lines []string
	for s != "" {
		end := strings.IndexFunc(s, lineBreak)
		if end < 0 {
			return append(lines, s)
		}
		h.Piece()
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

// lineBreak reports whether str.splitlines splits at c.
func lineBreak(c rune) bool {
	switch c {
	case '\n', '\r', '\v', '\f', 0x1c, 0x1d, 0x1e, 0x85, 0x2028, 0x2029:
		return true
	}
	return false
}
