package number

import (
	"math/big"
	"strings"

	"github.com/dragoman-project/dragoman/internal/cfg"
)

// Multiples can be expressed if they are few, or if their last digits determine them: multiples of
// 10 end in 0, those of 0.25 in .0, .25, .5 or .75.

// The number of multiples that are listed, and of digits that may determine them.
const (
	maxMultiples = 256
	maxEnding    = 6
)

// Multiples lists the multiples of step within l if they are few, and returns nil otherwise.
func Multiples(l Limits, step *big.Rat) *cfg.Expr {
	if l.Lo == nil || l.Hi == nil {
		return nil
	}
	from, to := ceil(new(big.Rat).Quo(l.Lo, step)), floor(new(big.Rat).Quo(l.Hi, step))
	if new(big.Int).Sub(to, from).Cmp(big.NewInt(maxMultiples)) >= 0 {
		return nil
	}
	var kids []*cfg.Expr
	for n := from; n.Cmp(to) <= 0; n = new(big.Int).Add(n, one) {
		v := new(big.Rat).Mul(new(big.Rat).SetInt(n), step)
		if l.LoOpen && v.Cmp(l.Lo) == 0 || l.HiOpen && v.Cmp(l.Hi) == 0 {
			continue
		}
		places, exact := v.FloatPrec()
		if !exact {
			return nil
		}
		kids = append(kids, cfg.Text(v.FloatString(places)))
	}
	return cfg.Alt(kids...)
}

// AllMultiples returns all multiples of step, determined by their last digits; nil if that is
// impossible or takes too many cases.
func AllMultiples(step *big.Rat) *cfg.Expr {
	digit := digitRange('0', '9')
	whole := cfg.Alt(cfg.Text("0"), cfg.Seq(digitRange('1', '9'), cfg.Times(0, maxDigits-1, digit)))
	if !step.IsInt() {
		places, exact := step.FloatPrec()
		if !exact || places > maxEnding || !new(big.Rat).Inv(step).IsInt() {
			return nil
		}
		behind := fractions(step, places)
		if behind == nil {
			return nil
		}
		return cfg.Seq(cfg.Optional(cfg.Text("-")), whole, cfg.Optional(cfg.Text("."), behind))
	}
	for n := range maxEnding {
		power := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(n)), nil)
		if new(big.Int).Mod(power, step.Num()).Sign() != 0 {
			continue
		}
		if n == 0 {
			return cfg.Seq(cfg.Optional(cfg.Text("-")), whole)
		}
		rows := rowsOf(step.Num(), power, n)
		if rows == nil {
			return nil
		}
		var short, long []*cfg.Expr
		for _, row := range rows {
			long = append(long, cfg.Text(row))
			if trimmed := strings.TrimLeft(row, "0"); trimmed != "" {
				short = append(short, cfg.Text(trimmed))
			}
		}
		return cfg.Seq(cfg.Optional(cfg.Text("-")), cfg.Alt(cfg.Text("0"), cfg.Alt(short...), cfg.Seq(digitRange('1', '9'), cfg.Times(0, maxDigits-1-n, digit), cfg.Alt(long...))))
	}
	return nil
}

// rowsOf returns the multiples of step below a power of ten as n digits; nil if there are too many.
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

// fractions returns the decimal places of the multiples of a step that divides 1, with or without
// trailing zeros; nil if there are too many.
func fractions(step *big.Rat, places int) *cfg.Expr {
	power := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(places)), nil)
	scaled := new(big.Rat).Mul(step, new(big.Rat).SetInt(power)).Num()
	if scaled.Cmp(one) == 0 {
		return cfg.Times(1, places, digitRange('0', '9'))
	}
	var kids []*cfg.Expr
	rows := rowsOf(scaled, power, places)
	for _, row := range rows {
		shortest := max(1, len(strings.TrimRight(row, "0")))
		for n := shortest; n <= places; n++ {
			kids = append(kids, cfg.Text(row[:n]))
		}
	}
	if len(rows) == 0 {
		return nil
	}
	return cfg.Alt(kids...)
}
