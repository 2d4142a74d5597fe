package match

import "bytes"

// until finds the leftmost of several delimiters.
//
// It first looks for a byte that a delimiter begins with, which most text has few of, and compares only there.
type until struct {
	delims []*literal
	first  byteSet
	only   int // the byte that all delimiters begin with; -1: they differ
}

func newUntil(delims []string, specials *specials) *until {
	u := &until{only: -1}
	for i, d := range delims {
		u.delims = append(u.delims, specials.literal(d))
		u.first.add(d[0])
		if i == 0 {
			u.only = int(d[0])
		} else if u.only != int(d[0]) {
			u.only = -1
		}
	}
	return u
}

// find returns how many bytes of b, which lies at offset at, precede the first delimiter (matched) or what could still
// become one (hungry). If there is neither, it is all of b (failed).
func (u *until) find(b []byte, at int, tokens *tokens) (int, outcome) {
	for i := u.candidate(b, 0); i < len(b); i = u.candidate(b, i+1) {
		if o := u.match(b[i:], at+i, tokens); o != failed {
			return i, o
		}
	}
	return len(b), failed
}

// findLast is find where no byte follows b: the beginning of a delimiter is text.
func (u *until) findLast(b []byte, at int, tokens *tokens) (int, outcome) {
	for i := u.candidate(b, 0); i < len(b); i = u.candidate(b, i+1) {
		if u.match(b[i:], at+i, tokens) == matched {
			return i, matched
		}
	}
	return len(b), failed
}

// candidate is the first place in b, not before from, where a delimiter can begin, or len(b).
func (u *until) candidate(b []byte, from int) int {
	if len(u.delims) == 0 {
		return len(b)
	}
	if u.only >= 0 {
		k := bytes.IndexByte(b[from:], byte(u.only))
		if k < 0 {
			return len(b)
		}
		return from + k
	}
	for from < len(b) && !u.first.has(b[from]) {
		from++
	}
	return from
}

// match says whether b begins with a delimiter, or is the beginning of one.
func (u *until) match(b []byte, at int, tokens *tokens) outcome {
	best := failed
	for _, d := range u.delims {
		switch d.match(b, at, tokens) {
		case matched:
			return matched
		case hungry:
			best = hungry
		}
	}
	return best
}
