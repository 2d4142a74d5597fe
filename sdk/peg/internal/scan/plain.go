package scan

import (
	"encoding/binary"
	"math/bits"
)

// PlainPrefix returns how many bytes b begins with that are plain in strings of every notation: neither quotes nor backslashes nor
// control characters. It compares eight bytes at a time.
func PlainPrefix(b []byte) int {
	i := 0
	for ; i+8 <= len(b); i += 8 {
		x := binary.LittleEndian.Uint64(b[i:])
		// The lowest high bit that is set belongs to the first byte that is not plain; those above it may be wrong.
		if odd := (below(x, ' ') | below(x^each('"'), 1) | below(x^each('\''), 1) | below(x^each('\\'), 1)) & each(0x80); odd != 0 {
			return i + bits.TrailingZeros64(odd)/8
		}
	}
	for ; i < len(b); i++ {
		if c := b[i]; c < ' ' || c == '"' || c == '\'' || c == '\\' {
			return i
		}
	}
	return i
}

// each returns a word of eight bytes c.
func each(c byte) uint64 { return uint64(c) * 0x0101010101010101 }

// below sets the high bit of each byte of x that is less than n, at most 128.
func below(x uint64, n byte) uint64 { return (x - each(n)) &^ x }
