package match

// byteSet is a set of bytes, a bit for each.
type byteSet [4]uint64

func (s *byteSet) has(b byte) bool { return s[b>>6]&(1<<(b&63)) != 0 }

func (s *byteSet) add(b byte) { s[b>>6] |= 1 << (b & 63) }

func (s *byteSet) addRange(lo, hi byte) {
	for b := int(lo); b <= int(hi); b++ {
		s.add(byte(b))
	}
}

func (s *byteSet) addAll(other *byteSet) {
	for i, bits := range other {
		s[i] |= bits
	}
}

func setOf(bytes string) byteSet {
	var s byteSet
	for i := range len(bytes) {
		s.add(bytes[i])
	}
	return s
}

// blanks is what counts as white space.
const blanks = " \t\n\v\f\r"

func isBlank(b byte) bool { return b == ' ' || b >= '\t' && b <= '\r' }

// blankPrefix is how many bytes of white space b begins with.
func blankPrefix(b []byte) int {
	for i, c := range b {
		if !isBlank(c) {
			return i
		}
	}
	return len(b)
}
