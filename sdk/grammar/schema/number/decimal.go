package number

import (
	"math/big"
	"strings"

	"github.com/dragoman-project/dragoman/internal/cfg"
)

// Numbers with a fraction are held to their bounds digit by digit, from the first on: as long as all digits are those of a
// bound, the next one decides. Such numbers have no exponent.

// MaxPlaces bounds the digits behind the point of a bound. Schemas may write more of them with an exponent.
const MaxPlaces = 64

// written are the limits as they are for numbers of at most maxPlaces digits behind the point: within those that have more.
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

// Decimals are the numbers within l, those below zero and the others; nothing where none has few enough digits.
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

// negated are the limits of the opposite numbers.
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

// atLeastZero are the limits of those numbers that have no sign.
func (l Limits) atLeastZero() Limits {
	if l.Lo == nil || l.Lo.Sign() < 0 {
		l.Lo, l.LoOpen = new(big.Rat), false
	}
	return l
}

// magnitude are the decimals within l, which begins at zero or above. Whole numbers strictly between the whole parts of the
// bounds take any fraction.
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

// digits are the whole part of a number that is not below zero, and its digits behind the point.
func digits(r *big.Rat) (whole *big.Int, places string) {
	n, _ := r.FloatPrec()
	_, places, _ = strings.Cut(r.FloatString(n), ".")
	return floor(r), places
}

// joined is a whole number with one of the rows of digits behind the point. If those may be empty, so may the point be left out.
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

// anyPlaces are rows of at least that many digits.
func anyPlaces(least int) *cfg.Expr { return cfg.Times(least, maxDigits, digitRange('0', '9')) }

// fractionFrom are the rows of digits that mean no less than those of lo, or more if it is open. A row that ends means the
// same with zeros behind it.
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

// fractionTo are the rows of digits that mean no more than those of hi, or less if it is open.
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

// fractionBetween are the rows of digits from lo to hi, of which l says whether they are out.
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
