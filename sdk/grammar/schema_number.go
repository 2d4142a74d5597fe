package grammar

import (
	"math/big"
	"strings"

	"github.com/dragoman-project/dragoman/sdk/peg"
)

// maxDigits bounds the digits of a number before the point, and behind it, where no bound has more of them.
const maxDigits = 16

// limits are the bounds of a number; nil where there is none.
type limits struct {
	lo, hi         *big.Rat
	loOpen, hiOpen bool // the bound itself is out
}

// beyond is larger than what is written of numbers: a bound out there is none.
var beyond = new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(64), nil))

// bounds reads the limits of s, of both drafts: exclusiveMinimum as a number, or as a boolean beside minimum.
func (c *converter) bounds(s *value, path string) (limits, error) {
	var l limits
	var err error
	if l.lo, l.loOpen, err = bound(s, path, "minimum", "exclusiveMinimum", 1); err != nil {
		return l, err
	}
	if l.hi, l.hiOpen, err = bound(s, path, "maximum", "exclusiveMaximum", -1); err != nil {
		return l, err
	}
	if l.hi != nil && l.hi.Cmp(beyond) >= 0 {
		l.hi = nil
	}
	if l.lo != nil && new(big.Rat).Neg(l.lo).Cmp(beyond) >= 0 {
		l.lo = nil
	}
	switch {
	case l.lo != nil && l.lo.Cmp(beyond) >= 0, l.hi != nil && new(big.Rat).Neg(l.hi).Cmp(beyond) >= 0:
		return l, bad(path, "numbers of more than 64 digits are not possible")
	case l.empty():
		return l, contradiction(path, "no number is between these bounds")
	}
	return l, nil
}

// empty says whether no number is within the limits.
func (l limits) empty() bool {
	if l.lo == nil || l.hi == nil {
		return false
	}
	d := l.lo.Cmp(l.hi)
	return d > 0 || d == 0 && (l.loOpen || l.hiOpen)
}

// bound is the tighter of the bounds under key and exclusive, and whether it is itself out; nil if there is none. Sign is
// that of tighter.
func bound(s *value, path, key, exclusive string, sign int) (*big.Rat, bool, error) {
	for _, k := range []string{key, exclusive} {
		if v := s.get(k); v.is(numberKind) && v.rational() == nil {
			return nil, false, bad(at(path, k), "%s is too large a number", v.text)
		}
	}
	closed, open := s.get(key).rational(), s.get(exclusive)
	switch {
	case open.is(boolKind):
		return closed, open.bool && closed != nil, nil
	case open == nil:
		return closed, false, nil
	case closed == nil || open.rational().Cmp(closed)*sign >= 0:
		return open.rational(), true, nil
	}
	return closed, false, nil
}

func ceil(r *big.Rat) *big.Int {
	return new(big.Int).Neg(floor(new(big.Rat).Neg(r)))
}

func floor(r *big.Rat) *big.Int {
	return new(big.Int).Div(r.Num(), r.Denom()) // Euclidean, and denominators are positive
}

var one = big.NewInt(1)

// integer is a whole number.
func (c *converter) integer(s *value, path string) (*expr, error) {
	l, err := c.bounds(s, path)
	if err != nil {
		return nil, err
	}
	if l.lo == nil && l.hi == nil {
		return c.b.primitive("integer", spelling{}), nil
	}
	var lo, hi *big.Int
	if l.lo != nil {
		lo = ceil(l.lo)
		if l.loOpen && l.lo.IsInt() {
			lo.Add(lo, one)
		}
	}
	if l.hi != nil {
		hi = floor(l.hi)
		if l.hiOpen && l.hi.IsInt() {
			hi.Sub(hi, one)
		}
	}
	if lo != nil && hi != nil && lo.Cmp(hi) > 0 {
		return nil, contradiction(path, "no integer is between these bounds")
	}
	return signed(lo, hi), nil
}

// signed is a whole number from lo to hi (nil: no bound), which it splits at zero.
func signed(lo, hi *big.Int) *expr {
	var kids []*expr
	if lo == nil || lo.Sign() < 0 {
		least, most := new(big.Int), (*big.Int)(nil)
		if hi != nil && hi.Sign() < 0 {
			least.Neg(hi)
		} else if lo == nil {
			least = one
		}
		if lo != nil {
			most = new(big.Int).Neg(lo)
		}
		kids = append(kids, seq(text("-"), natural(least, most)))
	}
	if hi == nil || hi.Sign() >= 0 {
		least := new(big.Int)
		if lo != nil && lo.Sign() > 0 {
			least = lo
		}
		kids = append(kids, natural(least, hi))
	}
	return alt(kids...)
}

// natural is a whole number from lo ≥ 0 to hi (nil: of up to maxDigits digits), without leading zeros.
func natural(lo, hi *big.Int) *expr {
	first := lo.String()
	last := strings.Repeat("9", max(maxDigits, len(first)))
	if hi != nil {
		last = hi.String()
	}
	var kids []*expr
	for n := len(first); n <= len(last); n++ {
		from, to := "1"+strings.Repeat("0", n-1), strings.Repeat("9", n)
		if n == len(first) {
			from = first
		}
		if n == len(last) {
			to = last
		}
		if hi == nil && n > len(first) {
			return alt(append(kids, seq(digitRange('1', '9'), times(n-1, len(last)-1, digitRange('0', '9'))))...)
		}
		kids = append(kids, sameLength(from, to))
	}
	return alt(kids...)
}

func digitRange(lo, hi byte) *expr {
	if lo == hi {
		return text(string(lo))
	}
	return chars(peg.Range{Lo: rune(lo), Hi: rune(hi)})
}

// sameLength is every row of digits from lo to hi, which are equally long.
func sameLength(lo, hi string) *expr {
	n := len(lo) - 1
	if n < 0 {
		return empty
	}
	zeros, nines := strings.Repeat("0", n), strings.Repeat("9", n)
	if lo[0] == hi[0] {
		return seq(text(lo[:1]), sameLength(lo[1:], hi[1:]))
	}
	var kids []*expr
	from, to := lo[0], hi[0]
	if lo[1:] != zeros {
		kids = append(kids, seq(text(lo[:1]), sameLength(lo[1:], nines)))
		from++
	}
	if hi[1:] != nines {
		to--
	}
	if from <= to {
		kids = append(kids, seq(digitRange(from, to), times(n, n, digitRange('0', '9'))))
	}
	if hi[1:] != nines {
		kids = append(kids, seq(text(hi[:1]), sameLength(zeros, hi[1:])))
	}
	return alt(kids...)
}
