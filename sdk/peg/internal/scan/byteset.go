package scan

// ByteSet is a set of bytes, a bit for each.
type ByteSet [4]uint64

// Has reports whether b is in the set.
func (s *ByteSet) Has(b byte) bool { return s[b>>6]&(1<<(b&63)) != 0 }

// Add adds b to the set.
func (s *ByteSet) Add(b byte) { s[b>>6] |= 1 << (b & 63) }

// AddRange adds the bytes from lo to hi, both included.
func (s *ByteSet) AddRange(lo, hi byte) {
	for b := int(lo); b <= int(hi); b++ {
		s.Add(byte(b))
	}
}

// AddAll adds the bytes of another set.
func (s *ByteSet) AddAll(other *ByteSet) {
	for i, bits := range other {
		s[i] |= bits
	}
}

// SetOf returns the set of the given bytes.
func SetOf(bytes string) ByteSet {
	var s ByteSet
	for i := range len(bytes) {
		s.Add(bytes[i])
	}
	return s
}

// Blanks are the bytes that count as white space.
const Blanks = " \t\n\v\f\r"

// IsBlank reports whether b is white space.
func IsBlank(b byte) bool { return b == ' ' || b >= '\t' && b <= '\r' }

// BlankPrefix returns how many bytes of white space b begins with.
func BlankPrefix(b []byte) int {
	for i, c := range b {
		if !IsBlank(c) {
			return i
		}
	}
	return len(b)
}
