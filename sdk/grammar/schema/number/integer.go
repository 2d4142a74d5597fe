// Package number writes numbers within bounds, and multiples, as rows of digits.
package number

import (
	"math/big"
	"strings"

	"github.com/dragoman-project/dragoman/internal/cfg"
	"github.com/dragoman-project/dragoman/internal/cfg/charset"
)

// maxDigits bounds the digits before and after the point unless a bound has more.
const maxDigits = 16

// Limits are the bounds of a number; nil means unbounded.
type Limits struct {
	Lo, Hi         *big.Rat
	LoOpen, HiOpen bool // the bound itself is excluded
}

// Beyond is larger than any number that is written out: a bound beyond it is ignored.
var Beyond = new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(64), nil))

// Empty reports whether no number is within the limits.
func (l Limits) Empty() bool {
	if l.Lo == nil || l.Hi == nil {
		return false
	}
	d := l.Lo.Cmp(l.Hi)
	return d > 0 || d == 0 && (l.LoOpen || l.HiOpen)
}

func ceil(r *big.Rat) *big.Int {
	return new(big.Int).Neg(floor(new(big.Rat).Neg(r)))
}

func floor(r *big.Rat) *big.Int {
	return new(big.Int).Div(r.Num(), r.Denom()) // Euclidean division; the denominator is positive
}

var one = big.NewInt(1)

// Integers returns the integers within l, or cfg.Nothing if there are none.
func Integers(l Limits) *cfg.Expr {
	var lo, hi *big.Int
	if l.Lo != nil {
		lo = ceil(l.Lo)
		if l.LoOpen && l.Lo.IsInt() {
			lo.Add(lo, one)
		}
	}
	if l.Hi != nil {
		hi = floor(l.Hi)
		if l.HiOpen && l.Hi.IsInt() {
			hi.Sub(hi, one)
		}
	}
	if lo != nil && hi != nil && lo.Cmp(hi) > 0 {
		return cfg.Nothing
	}
	return signed(lo, hi)
}

// signed returns the integers from lo to hi (nil: unbounded), split at zero.
func signed(lo, hi *big.Int) *cfg.Expr {
	var kids []*cfg.Expr
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
		kids = append(kids, cfg.Seq(cfg.Text("-"), natural(least, most)))
	}
	if hi == nil || hi.Sign() >= 0 {
		least := new(big.Int)
		if lo != nil && lo.Sign() > 0 {
			least = lo
		}
		kids = append(kids, natural(least, hi))
	}
	return cfg.Alt(kids...)
}

// natural returns the integers from lo ≥ 0 to hi (nil: any of up to maxDigits digits) without
// leading zeros.
func natural(lo, hi *big.Int) *cfg.Expr {
	first := lo.String()
	last := strings.Repeat("9", max(maxDigits, len(first)))
	if hi != nil {
		last = hi.String()
	}
	var kids []*cfg.Expr
	for n := len(first); n <= len(last); n++ {
		from, to := "1"+strings.Repeat("0", n-1), strings.Repeat("9", n)
		if n == len(first) {
			from = first
		}
		if n == len(last) {
			to = last
		}
		if hi == nil && n > len(first) {
			return cfg.Alt(append(kids, cfg.Seq(digitRange('1', '9'), cfg.Times(n-1, len(last)-1, digitRange('0', '9'))))...)
		}
		kids = append(kids, sameLength(from, to))
	}
	return cfg.Alt(kids...)
}

func digitRange(lo, hi byte) *cfg.Expr {
	if lo == hi {
		return cfg.Text(string(lo))
	}
	return cfg.Chars(charset.Range{Lo: rune(lo), Hi: rune(hi)})
}

// sameLength returns the digit strings from lo to hi, which have the same length.
func sameLength(lo, hi string) *cfg.Expr {
	n := len(lo) - 1
	if n < 0 {
		return cfg.Empty
	}
	zeros, nines := strings.Repeat("0", n), strings.Repeat("9", n)
	if lo[0] == hi[0] {
		return cfg.Seq(cfg.Text(lo[:1]), sameLength(lo[1:], hi[1:]))
	}
	var kids []*cfg.Expr
	from, to := lo[0], hi[0]
	if lo[1:] != zeros {
		kids = append(kids, cfg.Seq(cfg.Text(lo[:1]), sameLength(lo[1:], nines)))
		from++
	}
	if hi[1:] != nines {
		to--
	}
	if from <= to {
		kids = append(kids, cfg.Seq(digitRange(from, to), cfg.Times(n, n, digitRange('0', '9'))))
	}
	if hi[1:] != nines {
		kids = append(kids, cfg.Seq(cfg.Text(hi[:1]), sameLength(zeros, hi[1:])))
	}
	return cfg.Alt(kids...)
}
