package match

// quoted recognises the inside of a quoted string. A backslash may stand before any byte: what JSON does not know is
// repaired when the string is written (spelling).
type quoted struct {
	quote  byte
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
func (q *quoted) read(b []byte) (int, outcome) {
	for i := 0; i < len(b); i++ {
		c := b[i]
		switch {
		case q.escape == noEscape:
			if c == q.quote {
				return i, matched
			}
			if c == '\\' {
				q.escape = escapeBegun
			}
		case q.escape == escapeBegun:
			q.escape = noEscape
			if c == 'u' {
				q.escape = escapeHex1
			}
		case !isHex(c):
			return i, failed
		case q.escape == escapeHex4:
			q.escape = noEscape
		default:
			q.escape++
		}
	}
	return len(b), hungry
}

func isHex(c byte) bool { return c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'f' }
