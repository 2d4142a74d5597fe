package scan

import (
	"bytes"
	"slices"
)

// Until finds the leftmost of several delimiters.
//
// It first looks for a byte that a delimiter begins with, which is rare in most text, and compares only there.
type Until struct {
	Delims []*Literal
	first  [256]bool // what they begin with
	only   int       // the byte that all delimiters begin with; -1: they differ
	sorted bool      // Delims are sorted: there are too many to compare each
}

// maxCompared is how many delimiters are compared one after the other.
const maxCompared = 32

// NewUntil returns an until for delims, none of which is empty. Without any it finds the end of the input.
func NewUntil(delims []string, specials *Specials) *Until {
	u := &Until{only: -1}
	for i, d := range delims {
		u.Delims = append(u.Delims, specials.Literal(d))
		u.first[d[0]] = true
		if i == 0 {
			u.only = int(d[0])
		} else if u.only != int(d[0]) {
			u.only = -1
		}
	}
	if len(u.Delims) > maxCompared {
		u.sorted = true
		slices.SortStableFunc(u.Delims, func(a, b *Literal) int { return bytes.Compare(a.Text, b.Text) })
	}
	return u
}

// Find returns how many bytes of b, which is at offset at, precede the first delimiter (Matched) or what could still
// become one (Hungry). If there is neither, it returns all of b (Failed).
func (u *Until) Find(b []byte, at int, tokens *Tokens) (int, Outcome) {
	if u.only >= 0 && bytes.IndexByte(b, byte(u.only)) < 0 { // most of the time
		return len(b), Failed
	}
	for i := u.candidate(b, 0); i < len(b); i = u.candidate(b, i+1) {
		if o := u.match(b[i:], at+i, tokens); o != Failed {
			return i, o
		}
	}
	return len(b), Failed
}

// FindLast is Find where no byte follows b: the beginning of a delimiter is text.
func (u *Until) FindLast(b []byte, at int, tokens *Tokens) (int, Outcome) {
	for i := u.candidate(b, 0); i < len(b); i = u.candidate(b, i+1) {
		if u.match(b[i:], at+i, tokens) == Matched {
			return i, Matched
		}
	}
	return len(b), Failed
}

// candidate returns the first place in b, from index from on, where a delimiter can begin, or len(b).
func (u *Until) candidate(b []byte, from int) int {
	if len(u.Delims) == 0 {
		return len(b)
	}
	if u.only >= 0 {
		k := bytes.IndexByte(b[from:], byte(u.only))
		if k < 0 {
			return len(b)
		}
		return from + k
	}
	for from < len(b) && !u.first[b[from]] {
		from++
	}
	return from
}

// match reports whether b begins with a delimiter, or is the beginning of one.
func (u *Until) match(b []byte, at int, tokens *Tokens) Outcome {
	if u.sorted {
		return u.search(b, at, tokens)
	}
	best := Failed
	for _, d := range u.Delims {
		if t := d.Text; t[0] != b[0] || len(t) > 1 && len(b) > 1 && t[1] != b[1] { // most of the time
			continue
		}
		switch d.Match(b, at, tokens) {
		case Matched:
			return Matched
		case Hungry:
			best = Hungry
		}
	}
	return best
}

// search is match for sorted delimiters: at each byte, those that go on with it are neighbours.
func (u *Until) search(b []byte, at int, tokens *Tokens) Outcome {
	left := u.Delims
	for n := 0; len(left) > 0; n++ {
		for ; len(left) > 0 && len(left[0].Text) == n; left = left[1:] { // the shorter ones come first
			if left[0].Match(b, at, tokens) == Matched {
				return Matched
			}
		}
		if n == len(b) {
			break
		}
		from, _ := slices.BinarySearchFunc(left, b[n], func(d *Literal, c byte) int { return int(d.Text[n]) - int(c) })
		size, _ := slices.BinarySearchFunc(left[from:], int(b[n])+1, func(d *Literal, c int) int { return int(d.Text[n]) - c })
		left = left[from : from+size]
	}
	for _, d := range left {
		if d.Match(b, at, tokens) == Hungry {
			return Hungry
		}
	}
	return Failed
}
