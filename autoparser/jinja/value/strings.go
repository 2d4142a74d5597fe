package value

import (
	"strings"
	"unicode/utf8"

	"github.com/dragoman-project/dragoman/autoparser/jinja/failure"
	"github.com/dragoman-project/dragoman/autoparser/jinja/pystr"
)

// Times repeats s n times.
func (h *Heap) Times(s string, n int) string {
	if n <= 0 || s == "" {
		return ""
	}
	h.GrowTimes(n, len(s))
	return strings.Repeat(s, n)
}

// Recase counts a change of the case of s that costs so many times as much as another of ASCII letters. Letters beyond ASCII
// cost most.
func (h *Heap) Recase(s string, times int) {
	h.GrowTimes(len(s), 2)
	if !pystr.IsASCII(s) {
		times *= 16
	}
	h.Scan(times * len(s))
}

var escaper = strings.NewReplacer("&", "&amp;", ">", "&gt;", "<", "&lt;", "'", "&#39;", `"`, "&#34;")

// Escape replaces the characters that have a meaning in HTML.
func Escape(h *Heap, s string) string {
	h.Scan(len(s))
	h.GrowTimes(len(s), 5)
	return escaper.Replace(s)
}

// Replace replaces old with with, at most n times if n is not negative.
func (h *Heap) Replace(s, old, with string, n int) string {
	h.Touch(len(s))
	if old == "" {
		h.Scan(len(s))
	}
	found := strings.Count(s, old)
	h.Charge(found >> 2)
	if n >= 0 {
		found = min(found, n)
	}
	if found == 0 {
		return s
	}
	h.Grow(len(s))
	h.GrowTimes(found, len(with))
	return strings.Replace(s, old, with, n)
}

// Join is strings.Join.
func (h *Heap) Join(parts []string, sep string) string {
	h.GrowTimes(len(parts), len(sep))
	for _, p := range parts {
		h.Grow(len(p))
	}
	return strings.Join(parts, sep)
}

// Pad pads s to a width in characters. left and right are 1 for the sides to pad.
func (h *Heap) Pad(s string, width int, fill string, left, right int) string {
	h.Scan(len(s))
	missing := width - utf8.RuneCountInString(s)
	if missing <= 0 {
		return s
	}
	before := missing * left
	if left+right == 2 { // CPython's rounding
		before = missing/2 + (missing & width & 1)
	}
	h.GrowTimes(missing, len(fill))
	h.Grow(len(s))
	return strings.Repeat(fill, before) + s + strings.Repeat(fill, missing-before)
}

// NeedText returns the characters of v, which must be a string. what names it in the error.
func NeedText(v Value, what string) string {
	s, ok := Text(v)
	if !ok {
		MustExist(v)
		failure.Throw("TypeError", "%s must be str, not %s", what, v.Class())
	}
	return s
}

// IsNone reports whether v is None.
func IsNone(v Value) bool {
	_, ok := v.(None)
	return ok
}

// Mark marks a string, or the strings of a list, as safe.
func Mark(v Value) Value {
	switch v := v.(type) {
	case String:
		return Markup(v)
	case *List:
		for i, x := range v.Items {
			v.Items[i] = Mark(x)
		}
	}
	return v
}
