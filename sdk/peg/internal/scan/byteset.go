package scan

// byteSet is a set of bytes, a bit for each.
type ByteSet [4]uint64

func (s *ByteSet) Has(b byte) bool { return s[b>>6]&(1<<(b&63)) != 0 }

func (s *ByteSet) Add(b byte) { s[b>>6] |= 1 << (b & 63) }

func (s *ByteSet) AddRange(lo, hi byte) {
	for b := int(lo); b <= int(hi); b++ {
		s.Add(byte(b))
	}
}

func (s *ByteSet) AddAll(other *ByteSet) {
	for i, bits := range other {
		s[i] |= bits
	}
}

func SetOf(bytes string) ByteSet {
	var s ByteSet
	for i := range len(bytes) {
		s.Add(bytes[i])
	}
	return s
}

// blanks is what counts as white space.
const Blanks = " \t\n\v\f\r"

func IsBlank(b byte) bool { return b == ' ' || b >= '\t' && b <= '\r' }

// blankPrefix is how many bytes of white space b begins with.
func BlankPrefix(b []byte) int {
	for i, c := range b {
		if !IsBlank(c) {
			return i
		}
	}
	return len(b)
}
