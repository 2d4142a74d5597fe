package scan

// Quoted recognises the inside of a quoted string. A backslash may precede any byte: escapes that JSON does not know are
// repaired when the string is delivered (package emit).
type Quoted struct {
	Quote  byte
	escape escape
}

// escape is the progress within an escape sequence: after the backslash, or at a digit of \uXXXX.
type escape uint8

const (
	noEscape escape = iota
	escapeBegun
	escapeHex1
	escapeHex4 = escapeHex1 + 3
)

// Read consumes what belongs to the string, up to its closing quote (Matched).
func (q *Quoted) Read(b []byte) (int, Outcome) {
	known := q.Quote == '"' || q.Quote == '\''
	for i := 0; i < len(b); i++ {
		switch c := b[i]; {
		case q.escape != noEscape:
			if !q.escaped(c) {
				return i, Failed
			}
		case known && IsPlain(c):
			for i+1 < len(b) && IsPlain(b[i+1]) {
				i++
			}
		case c == q.Quote:
			return i, Matched
		case c == '\\':
			q.escape = escapeBegun
		}
	}
	return len(b), Hungry
}

// Continues reports whether b is plain text of the string, which leaves q as it is.
func (q *Quoted) Continues(b []byte) bool {
	if q.escape != noEscape || q.Quote != '"' && q.Quote != '\'' {
		return false
	}
	for _, c := range b {
		if !IsPlain(c) {
			return false
		}
	}
	return true
}

// escaped reads a byte of an escape sequence, after the backslash, and reports whether it is valid.
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
