package scan

// quoted recognises the inside of a quoted string. A backslash may stand before any byte: what JSON does not know is
// repaired when the string is written (spelling).
type Quoted struct {
	Quote  byte
	escape escape
}

// escape is how far an escape sequence has come: after the backslash, or at a digit of \uXXXX.
type escape uint8

const (
	noEscape escape = iota
	escapeBegun
	escapeHex1
	escapeHex4 = escapeHex1 + 3
)

// read consumes what belongs to the string, without its closing quote (matched).
func (q *Quoted) Read(b []byte) (int, Outcome) {
	for i, c := range b {
		switch {
		case q.escape != noEscape:
			if !q.escaped(c) {
				return i, Failed
			}
		case c == q.Quote:
			return i, Matched
		case c == '\\':
			q.escape = escapeBegun
		}
	}
	return len(b), Hungry
}

// escaped reads a byte of an escape sequence, behind the backslash, and says whether it fits.
func (q *Quoted) escaped(c byte) bool {
	switch q.escape {
	case escapeBegun:
		q.escape = noEscape
		if c == 'u' {
			q.escape = escapeHex1
		}
		return true
	case escapeHex4:
		q.escape = noEscape
	default:
		q.escape++
	}
	return isHex(c)
}

func isHex(c byte) bool { return c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'f' }
