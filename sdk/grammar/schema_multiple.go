package grammar

import (
	"math/big"
	"strings"
)

// Multiples are held to where they are few, or where the last digits tell them: those of 10 end in 0, those of 0.25 in .0,
// .25, .5 or .75.

// Bounds of multiples: how many are listed, and by how many digits they are told.
const (
	maxMultiples = 256
	maxEnding    = 6
)

// multiples are the numbers that follow s, which has "multipleOf"; nil where that cannot be said.
func (c *converter) multiples(s *value, path string) *expr {
	step := s.get("multipleOf").rational()
	kind := impliedType(s)
	if step == nil || step.Sign() <= 0 || kind != "integer" && kind != "number" {
		return nil
	}
	l, err := c.bounds(s, path)
	if err != nil {
		return nil
	}
	if kind == "integer" {
		step = new(big.Rat).SetInt(step.Num()) // of all multiples, only those are integers
	}
	if few := fewMultiples(l, step); few != nil {
		return few
	}
	all := endings(step)
	if all == nil || l.lo == nil && l.hi == nil {
		return all
	}
	within := decimals(l.written())
	if step.IsInt() {
		if within, err = c.integer(s, path); err != nil {
			return nil
		}
	}
	return c.b.product(c.b.scope+"-multiple", []*expr{within, all}, nil)
}

// fewMultiples are the multiples of step within l, if they are few; nothing where there are none.
func fewMultiples(l limits, step *big.Rat) *expr {
	if l.lo == nil || l.hi == nil {
		return nil
	}
	from, to := ceil(new(big.Rat).Quo(l.lo, step)), floor(new(big.Rat).Quo(l.hi, step))
	if new(big.Int).Sub(to, from).Cmp(big.NewInt(maxMultiples)) >= 0 {
		return nil
	}
	var kids []*expr
	for n := from; n.Cmp(to) <= 0; n = new(big.Int).Add(n, one) {
		v := new(big.Rat).Mul(new(big.Rat).SetInt(n), step)
		if l.loOpen && v.Cmp(l.lo) == 0 || l.hiOpen && v.Cmp(l.hi) == 0 {
			continue
		}
		places, exact := v.FloatPrec()
		if !exact {
			return nil
		}
		kids = append(kids, text(v.FloatString(places)))
	}
	return alt(kids...)
}

// endings are all multiples of step, told by their last digits; nil where these do not tell them, or in too many ways.
func endings(step *big.Rat) *expr {
	digit := digitRange('0', '9')
	whole := alt(text("0"), seq(digitRange('1', '9'), times(0, maxDigits-1, digit)))
	if !step.IsInt() {
		places, exact := step.FloatPrec()
		if !exact || places > maxEnding || !new(big.Rat).Inv(step).IsInt() {
			return nil
		}
		behind := fractions(step, places)
		if behind == nil {
			return nil
		}
		return seq(optional(text("-")), whole, optional(text("."), behind))
	}
	for n := range maxEnding {
		power := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(n)), nil)
		if new(big.Int).Mod(power, step.Num()).Sign() != 0 {
			continue
		}
		if n == 0 {
			return seq(optional(text("-")), whole)
		}
		rows := rowsOf(step.Num(), power, n)
		if rows == nil {
			return nil
		}
		var short, long []*expr
		for _, row := range rows {
			long = append(long, text(row))
			if trimmed := strings.TrimLeft(row, "0"); trimmed != "" {
				short = append(short, text(trimmed))
			}
		}
		return seq(optional(text("-")), alt(text("0"), alt(short...), seq(digitRange('1', '9'), times(0, maxDigits-1-n, digit), alt(long...))))
	}
	return nil
}

// rowsOf are the multiples of step below a power of ten, in n digits; nil if these are too many.
func rowsOf(step, power *big.Int, n int) []string {
	if new(big.Int).Quo(power, step).Cmp(big.NewInt(maxMultiples)) > 0 {
		return nil
	}
	var out []string
	for v := new(big.Int); v.Cmp(power) < 0; v = new(big.Int).Add(v, step) {
		digits := v.String()
		out = append(out, strings.Repeat("0", n-len(digits))+digits)
	}
	return out
}

// fractions are the digits behind the point of multiples of a step that divides 1 and has so many places, with zeros behind
// them or not; nil if these are too many.
func fractions(step *big.Rat, places int) *expr {
	power := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(places)), nil)
	scaled := new(big.Rat).Mul(step, new(big.Rat).SetInt(power)).Num()
	if scaled.Cmp(one) == 0 {
		return times(1, places, digitRange('0', '9'))
	}
	var kids []*expr
	rows := rowsOf(scaled, power, places)
	for _, row := range rows {
		shortest := max(1, len(strings.TrimRight(row, "0")))
		for n := shortest; n <= places; n++ {
			kids = append(kids, text(row[:n]))
		}
	}
	if len(rows) == 0 {
		return nil
	}
	return alt(kids...)
}
