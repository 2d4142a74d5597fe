package words

import (
	"slices"
	"strings"

	"github.com/dragoman-project/dragoman/internal/cfg"
	"github.com/dragoman-project/dragoman/internal/cfg/charset"
)

// Where programs have text up to delimiters, and which rules say it. What the rules are is in scanner.go.

// Writer are the rules for text up to delimiters, each made once.
type Writer struct {
	names cfg.Names
	space *cfg.Rule
	rules map[string]*cfg.Expr
	scans map[*cfg.Rule]Scan
}

// Scan is text up to the nearest of delims; if last is not empty, the text and that delimiter.
type Scan struct {
	Delims []string
	Last   string
}

func NewWriter(n cfg.Names, space *cfg.Rule) *Writer {
	return &Writer{n, space, map[string]*cfg.Expr{}, map[*cfg.Rule]Scan{}}
}

// Scans lists the scans by the names of their rules. Rules that are written the same have the same name, and say the same.
func (u *Writer) Scans() map[string]Scan {
	out := make(map[string]Scan, len(u.scans))
	for r, s := range u.scans {
		out[r.Name] = s
	}
	return out
}

// Until is the rule for text up to the nearest of delims.
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

// Through is text up to the nearest of delims, and that delimiter, which must be last.
func (u *Writer) Through(delims []string, last string) *cfg.Expr {
	return u.scan("through", delims, last)
}

func (u *Writer) scan(name string, delims []string, last string) *cfg.Expr {
	key := strings.Join(delims, "\x00") + "\x00\x00" + last
	if e, ok := u.rules[key]; ok {
		return e
	}
	e := newScanner(delims, last).rules(name, u.names.NewRule)
	u.rules[key] = e
	u.scans[e.Rule] = Scan{delims, last}
	return e
}

// guarded is text up to the nearest of delims where one of them may follow; nil unless e is text up to delimiters that can
// overlap.
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
	if overlap(delims) {
		u.rules[key] = newGuarded(delims).rules("until", u.names.NewRule)
	}
	return u.rules[key]
}

// guard keeps text from ending in what would be the beginning of a delimiter with what follows it.
func (u *Writer) guard(kids []*cfg.Expr) []*cfg.Expr {
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

// Repeated repeats e any number of times, from lo on, where it ends in text that the next time must not be mistaken to begin in.
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

// open are the delimiters of a rule for text alone.
func (u *Writer) open(r *cfg.Rule) []string {
	if s := u.scans[r]; s.Last == "" {
		return s.Delims
	}
	return nil
}

// closed joins text with the delimiter behind it, where kids have one after the other.
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

// Seq is kids one after the other, as one writes them: white space once, and text together with the delimiter behind it.
func (u *Writer) Seq(kids ...*cfg.Expr) *cfg.Expr {
	e := cfg.Seq(kids...)
	if e.Op != cfg.OpSequence {
		return e
	}
	blank := func(k *cfg.Expr) bool { return k.Op == cfg.OpCall && k.Rule == u.space }
	kids = u.closed(slices.CompactFunc(slices.Clone(e.Kids), func(k, l *cfg.Expr) bool { return blank(k) && blank(l) }))
	return cfg.Seq(u.guard(kids)...)
}
