package number

import (
	"math/big"
	"strings"

	"github.com/dragoman-project/dragoman/internal/cfg"
)

// Decimals are compared with their bounds digit by digit: as long as all digits equal those of a
// bound, the next one decides. They have no exponent.

// MaxPlaces bounds the decimal places of a bound, which an exponent can make arbitrarily many.
const MaxPlaces = 64

// written narrows the limits to numbers of at most MaxPlaces decimal places.
func (l Limits) written() Limits {
	scale := new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(MaxPlaces), nil))
	round := func(r *big.Rat, whole func(*big.Rat) *big.Int) *big.Rat {
		return new(big.Rat).Quo(new(big.Rat).SetInt(whole(new(big.Rat).Mul(r, scale))), scale)
	}
	if l.Lo != nil {
		if lo := round(l.Lo, ceil); lo.Cmp(l.Lo) != 0 {
			l.Lo, l.LoOpen = lo, false
		}
	}
	if l.Hi != nil {
		if hi := round(l.Hi, floor); hi.Cmp(l.Hi) != 0 {
			l.Hi, l.HiOpen = hi, false
		}
	}
	return l
}

// Decimals returns the decimal numbers within l, or cfg.Nothing if none has few enough digits.
func Decimals(l Limits) *cfg.Expr {
	if l = l.written(); l.Empty() {
		return cfg.Nothing
	}
	var kids []*cfg.Expr
	if l.Lo == nil || l.Lo.Sign() < 0 {
		kids = append(kids, cfg.Seq(cfg.Text("-"), magnitude(l.negated().atLeastZero())))
	}
	if l.Hi == nil || l.Hi.Sign() >= 0 {
		kids = append(kids, magnitude(l.atLeastZero()))
	}
	return cfg.Alt(kids...)
}

// negated returns the limits of the negated numbers.
func (l Limits) negated() Limits {
	n := Limits{LoOpen: l.HiOpen, HiOpen: l.LoOpen}
	if l.Hi != nil {
		n.Lo = new(big.Rat).Neg(l.Hi)
	}
	if l.Lo != nil {
		n.Hi = new(big.Rat).Neg(l.Lo)
	}
	return n
}

// atLeastZero returns the limits of the numbers without a sign.
func (l Limits) atLeastZero() Limits {
	if l.Lo == nil || l.Lo.Sign() < 0 {
		l.Lo, l.LoOpen = new(big.Rat), false
	}
	return l
}

// magnitude returns the decimals within l, which must not be negative. An integer part strictly
// between those of the bounds may have any fraction.
func magnitude(l Limits) *cfg.Expr {
	from, fromPlaces := digits(l.Lo)
	least := fractionFrom(fromPlaces, l.LoOpen)
	if l.Hi == nil {
		return cfg.Alt(joined(from, least), cfg.Seq(natural(new(big.Int).Add(from, one), nil), cfg.Optional(cfg.Seq(cfg.Text("."), anyPlaces(1)))))
	}
	to, toPlaces := digits(l.Hi)
	if from.Cmp(to) == 0 {
		return joined(from, fractionBetween(fromPlaces, toPlaces, l))
	}
	kids := []*cfg.Expr{joined(from, least)}
	if next, last := new(big.Int).Add(from, one), new(big.Int).Sub(to, one); next.Cmp(last) <= 0 {
		kids = append(kids, cfg.Seq(natural(next, last), cfg.Optional(cfg.Seq(cfg.Text("."), anyPlaces(1)))))
	}
	return cfg.Alt(append(kids, joined(to, fractionTo(toPlaces, l.HiOpen)))...)
}

// digits returns the integer part and the decimal places of a number that is not negative.
func digits(r *big.Rat) (whole *big.Int, places string) {
	n, _ := r.FloatPrec()
	_, places, _ = strings.Cut(r.FloatString(n), ".")
	return floor(r), places
}

// joined returns an integer part followed by one of places. If these may be empty, the point is
// optional.
func joined(whole *big.Int, places *cfg.Expr) *cfg.Expr {
	if places.Op == cfg.OpNever {
		return cfg.Nothing
	}
	behind := cfg.Seq(cfg.Text("."), cfg.NonEmpty(places))
	if cfg.Nullable(places, nil) {
		behind = cfg.Optional(behind)
	}
	return cfg.Seq(cfg.Text(whole.String()), behind)
}

// anyPlaces returns at least that many decimal places.
func anyPlaces(least int) *cfg.Expr { return cfg.Times(least, maxDigits, digitRange('0', '9')) }

// fractionFrom returns the decimal places of numbers that are at least lo, or greater if open.
// Trailing zeros may be missing.
func fractionFrom(lo string, open bool) *cfg.Expr {
	if lo == "" && open {
		return cfg.Seq(cfg.Times(0, maxDigits-1, cfg.Text("0")), digitRange('1', '9'), cfg.Times(0, maxDigits-1, digitRange('0', '9')))
	}
	if lo == "" {
		return anyPlaces(0)
	}
	same := cfg.Seq(cfg.Text(lo[:1]), fractionFrom(lo[1:], open))
	if lo[0] == '9' {
		return same
	}
	return cfg.Alt(same, cfg.Seq(digitRange(lo[0]+1, '9'), anyPlaces(0)))
}

// fractionTo returns the decimal places of numbers that are at most hi, or less if open.
func fractionTo(hi string, open bool) *cfg.Expr {
	switch {
	case hi == "" && open:
		return cfg.Nothing
	case hi == "":
		return cfg.Times(0, maxDigits, cfg.Text("0"))
	}
	kids := []*cfg.Expr{cfg.Empty, cfg.Seq(cfg.Text(hi[:1]), fractionTo(hi[1:], open))}
	if hi[0] > '0' {
		kids = append(kids, cfg.Seq(digitRange('0', hi[0]-1), anyPlaces(0)))
	}
	return cfg.Alt(kids...)
}

// fractionBetween returns the decimal places of numbers from lo to hi; l says whether the bounds
// are excluded.
func fractionBetween(lo, hi string, l Limits) *cfg.Expr {
	switch {
	case hi == "":
		if l.LoOpen || l.HiOpen || strings.Trim(lo, "0") != "" {
			return cfg.Nothing
		}
		return fractionTo(hi, false)
	case lo == "" && l.LoOpen:
		lo = "0"
	case lo == "":
		return fractionTo(hi, l.HiOpen)
	}
	if lo[0] == hi[0] {
		return cfg.Seq(cfg.Text(lo[:1]), fractionBetween(lo[1:], hi[1:], l))
	}
	kids := []*cfg.Expr{cfg.Seq(cfg.Text(lo[:1]), fractionFrom(lo[1:], l.LoOpen))}
	if lo[0]+1 < hi[0] {
		kids = append(kids, cfg.Seq(digitRange(lo[0]+1, hi[0]-1), anyPlaces(0)))
	}
	return cfg.Alt(append(kids, cfg.Seq(cfg.Text(hi[:1]), fractionTo(hi[1:], l.HiOpen)))...)
}
