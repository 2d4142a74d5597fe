package grammar

import (
	"math/big"
	"strings"
)

// Numbers with a fraction are held to their bounds digit by digit, from the first on: as long as all digits are those of a
// bound, the next one decides. Such numbers have no exponent.

// maxPlaces bounds the digits behind the point of a bound. Schemas may write more of them with an exponent.
const maxPlaces = 64

// number is a number with or without a fraction. One with bounds has no exponent.
func (c *converter) number(s *value, path string) (*expr, error) {
	l, err := c.bounds(s, path)
	if err != nil {
		return nil, err
	}
	if l.lo == nil && l.hi == nil {
		return c.b.primitive("number", spelling{}), nil
	}
	if l = l.written(); l.empty() {
		return nil, contradiction(path, "no number of at most %d digits behind the point is between these bounds", maxPlaces)
	}
	return decimals(l), nil
}

// written are the limits as they are for numbers of at most maxPlaces digits behind the point: within those that have more.
func (l limits) written() limits {
	scale := new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(maxPlaces), nil))
	round := func(r *big.Rat, whole func(*big.Rat) *big.Int) *big.Rat {
		return new(big.Rat).Quo(new(big.Rat).SetInt(whole(new(big.Rat).Mul(r, scale))), scale)
	}
	if l.lo != nil {
		if lo := round(l.lo, ceil); lo.Cmp(l.lo) != 0 {
			l.lo, l.loOpen = lo, false
		}
	}
	if l.hi != nil {
		if hi := round(l.hi, floor); hi.Cmp(l.hi) != 0 {
			l.hi, l.hiOpen = hi, false
		}
	}
	return l
}

// decimals are the numbers within l, those below zero and the others.
func decimals(l limits) *expr {
	var kids []*expr
	if l.lo == nil || l.lo.Sign() < 0 {
		kids = append(kids, seq(text("-"), magnitude(l.negated().atLeastZero())))
	}
	if l.hi == nil || l.hi.Sign() >= 0 {
		kids = append(kids, magnitude(l.atLeastZero()))
	}
	return alt(kids...)
}

// negated are the limits of the opposite numbers.
func (l limits) negated() limits {
	n := limits{loOpen: l.hiOpen, hiOpen: l.loOpen}
	if l.hi != nil {
		n.lo = new(big.Rat).Neg(l.hi)
	}
	if l.lo != nil {
		n.hi = new(big.Rat).Neg(l.lo)
	}
	return n
}

// atLeastZero are the limits of those numbers that have no sign.
func (l limits) atLeastZero() limits {
	if l.lo == nil || l.lo.Sign() < 0 {
		l.lo, l.loOpen = new(big.Rat), false
	}
	return l
}

// magnitude are the decimals within l, which begins at zero or above. Whole numbers strictly between the whole parts of the
// bounds take any fraction.
func magnitude(l limits) *expr {
	from, fromPlaces := digits(l.lo)
	least := fractionFrom(fromPlaces, l.loOpen)
	if l.hi == nil {
		return alt(joined(from, least), seq(natural(new(big.Int).Add(from, one), nil), optional(seq(text("."), anyPlaces(1)))))
	}
	to, toPlaces := digits(l.hi)
	if from.Cmp(to) == 0 {
		return joined(from, fractionBetween(fromPlaces, toPlaces, l))
	}
	kids := []*expr{joined(from, least)}
	if next, last := new(big.Int).Add(from, one), new(big.Int).Sub(to, one); next.Cmp(last) <= 0 {
		kids = append(kids, seq(natural(next, last), optional(seq(text("."), anyPlaces(1)))))
	}
	return alt(append(kids, joined(to, fractionTo(toPlaces, l.hiOpen)))...)
}

// digits are the whole part of a number that is not below zero, and its digits behind the point.
func digits(r *big.Rat) (whole *big.Int, places string) {
	n, _ := r.FloatPrec()
	_, places, _ = strings.Cut(r.FloatString(n), ".")
	return floor(r), places
}

// joined is a whole number with one of the rows of digits behind the point. If those may be empty, so may the point be left out.
func joined(whole *big.Int, places *expr) *expr {
	if places.op == never {
		return nothing
	}
	behind := seq(text("."), solid(places))
	if nullable(places, nil) {
		behind = optional(behind)
	}
	return seq(text(whole.String()), behind)
}

// anyPlaces are rows of at least that many digits.
func anyPlaces(least int) *expr { return times(least, maxDigits, digitRange('0', '9')) }

// fractionFrom are the rows of digits that mean no less than those of lo, or more if it is open. A row that ends means the
// same with zeros behind it.
func fractionFrom(lo string, open bool) *expr {
	if lo == "" && open {
		return seq(times(0, maxDigits-1, text("0")), digitRange('1', '9'), times(0, maxDigits-1, digitRange('0', '9')))
	}
	if lo == "" {
		return anyPlaces(0)
	}
	same := seq(text(lo[:1]), fractionFrom(lo[1:], open))
	if lo[0] == '9' {
		return same
	}
	return alt(same, seq(digitRange(lo[0]+1, '9'), anyPlaces(0)))
}

// fractionTo are the rows of digits that mean no more than those of hi, or less if it is open.
func fractionTo(hi string, open bool) *expr {
	switch {
	case hi == "" && open:
		return nothing
	case hi == "":
		return times(0, maxDigits, text("0"))
	}
	kids := []*expr{empty, seq(text(hi[:1]), fractionTo(hi[1:], open))}
	if hi[0] > '0' {
		kids = append(kids, seq(digitRange('0', hi[0]-1), anyPlaces(0)))
	}
	return alt(kids...)
}

// fractionBetween are the rows of digits from lo to hi, of which l says whether they are out.
func fractionBetween(lo, hi string, l limits) *expr {
	switch {
	case hi == "":
		if l.loOpen || l.hiOpen || strings.Trim(lo, "0") != "" {
			return nothing
		}
		return fractionTo(hi, false)
	case lo == "" && l.loOpen:
		lo = "0"
	case lo == "":
		return fractionTo(hi, l.hiOpen)
	}
	if lo[0] == hi[0] {
		return seq(text(lo[:1]), fractionBetween(lo[1:], hi[1:], l))
	}
	kids := []*expr{seq(text(lo[:1]), fractionFrom(lo[1:], l.loOpen))}
	if lo[0]+1 < hi[0] {
		kids = append(kids, seq(digitRange(lo[0]+1, hi[0]-1), anyPlaces(0)))
	}
	return alt(append(kids, seq(text(hi[:1]), fractionTo(hi[1:], l.hiOpen)))...)
}
