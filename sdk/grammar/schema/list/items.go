// Package list writes lists with commas: the items of arrays and the members of objects, with
// bounds on their number, where some may be optional and others repeated.
package list

import (
	"github.com/dragoman-project/dragoman/internal/cfg"
	"github.com/dragoman-project/dragoman/sdk/grammar/rules"
)

// Comma returns a comma and white space, or nothing if not needed.
func Comma(b *rules.Set, needed bool) *cfg.Expr {
	if !needed {
		return cfg.Empty
	}
	return cfg.Seq(cfg.Text(","), b.Space.Call())
}

// maxNested bounds the items that are nested in one rule.
const maxNested = 32

// Items returns the fixed items and then more, lo to hi in total; hi < 0 means unbounded.
func Items(b *rules.Set, fixed []*cfg.Expr, more *cfg.Expr, lo, hi int) *cfg.Expr {
	if hi >= 0 && hi <= len(fixed) {
		fixed, more = fixed[:hi], nil
	}
	list := cfg.Empty
	if more != nil {
		list = More(b, more, len(fixed) > 0, max(lo-len(fixed), 0), max(hi-len(fixed), -1))
	}
	for i := len(fixed) - 1; i >= 0; i-- {
		if i%maxNested == maxNested-1 {
			list = b.Rule("items", list)
		}
		if list = cfg.Seq(Comma(b, i > 0), fixed[i], list); i >= lo {
			list = b.Repeat(0, 1, list)
		}
	}
	return list
}

// More returns lo to hi items; behind is set if others precede.
func More(b *rules.Set, item *cfg.Expr, behind bool, lo, hi int) *cfg.Expr {
	switch {
	case hi == 0:
		return cfg.Empty
	case behind:
		return b.Repeat(lo, hi, cfg.Seq(Comma(b, true), item))
	}
	list := cfg.Seq(item, b.Repeat(max(lo-1, 0), max(hi-1, -1), cfg.Seq(Comma(b, true), item)))
	if lo == 0 {
		return b.Repeat(0, 1, list)
	}
	return list
}
