// Package words writes rules for texts in which certain words do not occur.
//
// Most of what a program reads is text up to a delimiter. GBNF has no notation for that, so it
// becomes an automaton, one rule per state: Writer has the rules, scanner.go the automaton. The
// same trie of words serves for the names that an object's further members must not have
// (OtherThan).
package words

import (
	"slices"
	"strings"

	"github.com/dragoman-project/dragoman/internal/cfg"
	"github.com/dragoman-project/dragoman/internal/cfg/charset"
	"github.com/dragoman-project/dragoman/internal/work"
)

// Writer writes the rules for text up to delimiters, each once.
type Writer struct {
	names cfg.Names
	space *cfg.Rule
	rules map[string]*cfg.Expr
	scans map[*cfg.Rule]Scan
	Work  *work.Meter // counts the states that are compared; nil: unbounded
}

// Scan describes such a rule: text up to the nearest of Delims, including that delimiter if it is
// given as Last.
type Scan struct {
	Delims []string
	Last   string
}

// NewWriter returns a writer whose rules get names from n. The rule for white space may be nil.
func NewWriter(n cfg.Names, space *cfg.Rule) *Writer {
	return &Writer{names: n, space: space, rules: map[string]*cfg.Expr{}, scans: map[*cfg.Rule]Scan{}}
}

// Scans returns the descriptions by rule name. Rules with equal bodies have the same name after
// cfg.Merge, and the same description.
func (u *Writer) Scans() map[string]Scan {
	out := make(map[string]Scan, len(u.scans))
	for r, s := range u.scans {
		out[r.Name] = s
	}
	return out
}

// Until returns text up to the nearest of delims.
func (u *Writer) Until(delims []string) *cfg.Expr {
	delims = slices.Compact(slices.Sorted(slices.Values(delims)))
	switch {
	case len(delims) == 0:
		return cfg.Star(cfg.Class(charset.All))
	case delims[0] == "":
		return cfg.Empty
	}
	return u.scan("until", delims, "")
}

// Through returns text up to the nearest of delims, which must be last, and that delimiter.
func (u *Writer) Through(delims []string, last string) *cfg.Expr {
	return u.scan("through", delims, last)
}

func (u *Writer) scan(name string, delims []string, last string) *cfg.Expr {
	key := strings.Join(delims, "\x00") + "\x00\x00" + last
	if e, ok := u.rules[key]; ok {
		return e
	}
	for _, d := range delims {
		u.Work.Spend(16 * len(d)) // a state for each character
	}
	e := newScanner(u.Work, delims, last).rules(name, u.names.NewRule)
	u.rules[key] = e
	u.scans[e.Rule] = Scan{delims, last}
	return e
}

// guarded returns the variant of e that is safe where one of its delimiters follows. It returns nil
// unless e is text up to delimiters that may overlap.
func (u *Writer) guarded(e *cfg.Expr) *cfg.Expr {
	if e.Op != cfg.OpCall {
		return nil
	}
	delims := u.open(e.Rule)
	key := strings.Join(delims, "\x00") + "\x00\x00\x00"
	if known, ok := u.rules[key]; ok || len(delims) == 0 {
		return known
	}
	u.rules[key] = nil
	if overlap(u.Work, delims) {
		u.rules[key] = newGuarded(u.Work, delims).rules("until", u.names.NewRule)
	}
	return u.rules[key]
}

// guard keeps text from ending in what would complete a delimiter together with what follows.
func (u *Writer) guard(kids []*cfg.Expr) []*cfg.Expr {
	u.Work.Spend(len(kids))
	for i := range max(len(kids)-1, 0) {
		text := u.guarded(kids[i])
		if text == nil {
			continue
		}
		rest := cfg.Seq(u.guard(kids[i+1:])...)
		way := cfg.Seq(text, rest)
		if cfg.Nullable(rest, map[*cfg.Rule]bool{u.space: true}) {
			way = cfg.Alt(way, kids[i])
		}
		return append(slices.Clone(kids[:i]), way)
	}
	return kids
}

// Repeated returns at least lo repetitions of e where the end of one could be mistaken for the
// beginning of the next, and nil where Times will do.
func (u *Writer) Repeated(lo int, e *cfg.Expr) *cfg.Expr {
	kids := e.Kids
	if e.Op != cfg.OpSequence || lo > 1 {
		return nil
	}
	text := u.guarded(kids[len(kids)-1])
	if text == nil {
		return nil
	}
	before := cfg.Seq(kids[:len(kids)-1]...)
	all := cfg.Seq(before, cfg.Star(cfg.Seq(text, before)), kids[len(kids)-1])
	if lo == 0 {
		return cfg.Optional(all)
	}
	return all
}

// open returns the delimiters of a rule for text without the delimiter.
func (u *Writer) open(r *cfg.Rule) []string {
	if s := u.scans[r]; s.Last == "" {
		return s.Delims
	}
	return nil
}

// closed joins each text with the delimiter after it.
func (u *Writer) closed(kids []*cfg.Expr) []*cfg.Expr {
	var out []*cfg.Expr
	for _, k := range kids {
		if n := len(out); n > 0 && k.Op == cfg.OpLiteral && out[n-1].Op == cfg.OpCall {
			delims := u.open(out[n-1].Rule)
			if i := slices.IndexFunc(delims, func(d string) bool { return strings.HasPrefix(k.Text, d) }); i >= 0 {
				out[n-1] = u.Through(delims, delims[i])
				k = cfg.Text(k.Text[len(delims[i]):])
			}
		}
		out = append(out, k)
	}
	return out
}

// Seq returns the sequence of kids as programs mean it: white space in a row is written once, and
// text includes the delimiter that follows it.
func (u *Writer) Seq(kids ...*cfg.Expr) *cfg.Expr {
	for _, k := range kids {
		u.Work.Spend(1 + len(k.Kids) + len(k.Text)>>5)
	}
	e := cfg.Seq(kids...)
	if e.Op != cfg.OpSequence {
		return e
	}
	blank := func(k *cfg.Expr) bool { return k.Op == cfg.OpCall && k.Rule == u.space }
	kids = u.closed(slices.CompactFunc(slices.Clone(e.Kids), func(k, l *cfg.Expr) bool { return blank(k) && blank(l) }))
	return cfg.Seq(u.guard(kids)...)
}
