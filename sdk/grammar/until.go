package grammar

import (
	"slices"
	"strings"
)

// Where programs have text up to delimiters, and which rules say it. What the rules are is in scanner.go.

// untils are the rules for text up to delimiters, each made once.
type untils struct {
	rules map[string]*expr
	scans map[*rule]scan
}

// scan is text up to the nearest of delims; if last is not empty, the text and that delimiter.
type scan struct {
	delims []string
	last   string
}

func newUntils() untils { return untils{map[string]*expr{}, map[*rule]scan{}} }

// named lists the scans by the names of their rules. Rules that are written the same have the same name, and say the same.
func (u untils) named() map[string]scan {
	out := make(map[string]scan, len(u.scans))
	for r, s := range u.scans {
		out[r.name] = s
	}
	return out
}

// until is the rule for text up to the nearest of delims.
func (b *builder) until(delims []string) *expr {
	delims = slices.Compact(slices.Sorted(slices.Values(delims)))
	switch {
	case len(delims) == 0:
		return star(oneOf(everyChar))
	case delims[0] == "":
		return empty
	}
	return b.scan("until", delims, "")
}

// through is text up to the nearest of delims, and that delimiter, which must be last.
func (b *builder) through(delims []string, last string) *expr { return b.scan("through", delims, last) }

func (b *builder) scan(name string, delims []string, last string) *expr {
	key := strings.Join(delims, "\x00") + "\x00\x00" + last
	if e, ok := b.untils.rules[key]; ok {
		return e
	}
	e := newScanner(delims, last).rules(name, b.named)
	b.untils.rules[key] = e
	b.untils.scans[e.rule] = scan{delims, last}
	return e
}

// guarded is text up to the nearest of delims where one of them may follow; nil unless e is text up to delimiters that can
// overlap.
func (b *builder) guarded(e *expr) *expr {
	if e.op != call {
		return nil
	}
	delims := b.untils.open(e.rule)
	key := strings.Join(delims, "\x00") + "\x00\x00\x00"
	if known, ok := b.untils.rules[key]; ok || len(delims) == 0 {
		return known
	}
	b.untils.rules[key] = nil
	if overlap(delims) {
		b.untils.rules[key] = newGuarded(delims).rules("until", b.named)
	}
	return b.untils.rules[key]
}

// guard keeps text from ending in what would be the beginning of a delimiter with what follows it.
func (b *builder) guard(kids []*expr) []*expr {
	for i := range max(len(kids)-1, 0) {
		text := b.guarded(kids[i])
		if text == nil {
			continue
		}
		rest := seq(b.guard(kids[i+1:])...)
		way := seq(text, rest)
		if nullable(rest, map[*rule]bool{b.space: true}) {
			way = alt(way, kids[i])
		}
		return append(slices.Clone(kids[:i]), way)
	}
	return kids
}

// turns repeats e any number of times, from lo on, where it ends in text that the next time must not be mistaken to begin in.
func (b *builder) turns(lo int, e *expr) *expr {
	kids := e.kids
	if e.op != sequence || lo > 1 {
		return nil
	}
	text := b.guarded(kids[len(kids)-1])
	if text == nil {
		return nil
	}
	before := seq(kids[:len(kids)-1]...)
	all := seq(before, star(seq(text, before)), kids[len(kids)-1])
	if lo == 0 {
		return optional(all)
	}
	return all
}

// open are the delimiters of a rule for text alone.
func (u untils) open(r *rule) []string {
	if s := u.scans[r]; s.last == "" {
		return s.delims
	}
	return nil
}

// closed joins text with the delimiter behind it, where kids have one after the other.
func (b *builder) closed(kids []*expr) []*expr {
	var out []*expr
	for _, k := range kids {
		if n := len(out); n > 0 && k.op == literal && out[n-1].op == call {
			delims := b.untils.open(out[n-1].rule)
			if i := slices.IndexFunc(delims, func(d string) bool { return strings.HasPrefix(k.text, d) }); i >= 0 {
				out[n-1] = b.through(delims, delims[i])
				k = text(k.text[len(delims[i]):])
			}
		}
		out = append(out, k)
	}
	return out
}
