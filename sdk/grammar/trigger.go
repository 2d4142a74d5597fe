package grammar

import (
	"regexp"
	"slices"
	"strings"

	"github.com/dragoman-project/dragoman/internal/cfg"
	"github.com/dragoman-project/dragoman/internal/cfg/words"
	"github.com/dragoman-project/dragoman/sdk/grammar/rules"
	"github.com/dragoman-project/dragoman/sdk/peg"
)

// fromTriggers returns what a node can match from one of its Trigger rules on.
func (b *builder) fromTriggers(id peg.ID) *cfg.Expr {
	if e, ok := b.tails[id]; ok {
		return e
	}
	n := &b.p.Nodes[id]
	if n.Op == peg.Rule && !n.Tolerates() {
		return b.ruleTail(id, n)
	}
	e := b.tail(id, n)
	if b.parents[id] > 1 && rules.IsCompound(e) {
		e = b.Rule("from-trigger", e)
	}
	b.tails[id] = e
	return e
}

func (b *builder) tail(id peg.ID, n *peg.Node) *cfg.Expr {
	switch n.Op {
	case peg.Trigger:
		b.from = append(b.from, id)
		return b.expr(id)
	case peg.Atomic, peg.Tag:
		return b.fromTriggers(n.Kids[0])
	case peg.Choice:
		var kids []*cfg.Expr
		for _, k := range n.Kids {
			kids = append(kids, b.fromTriggers(k))
		}
		return b.alt(kids)
	case peg.Sequence:
		return b.sequenceTail(n)
	case peg.Repeat:
		return b.repeatTail(n)
	}
	return cfg.Nothing
}

// ruleTail creates a rule, since rules may be recursive.
func (b *builder) ruleTail(id peg.ID, n *peg.Node) *cfg.Expr {
	r := b.NewRule(n.Text + "-from-trigger")
	b.tails[id] = r.Call()
	if r.Body = b.fromTriggers(n.Kids[0]); r.Body.Op == cfg.OpNever {
		b.tails[id] = cfg.Nothing
	}
	return b.tails[id]
}

func (b *builder) sequenceTail(n *peg.Node) *cfg.Expr {
	var kids []*cfg.Expr
	for i, k := range n.Kids {
		if tail := b.fromTriggers(k); tail.Op != cfg.OpNever {
			kids = append(kids, b.untils.Seq(append([]*cfg.Expr{tail}, b.all(n.Kids[i+1:])...)...))
		}
	}
	return b.alt(kids)
}

// repeatTail returns the rest of one iteration and the remaining ones; how many came before is
// unknown.
func (b *builder) repeatTail(n *peg.Node) *cfg.Expr {
	tail := b.fromTriggers(n.Kids[0])
	if tail.Op == cfg.OpNever || n.Max == 0 {
		return cfg.Nothing
	}
	more := n.Max
	if more > 0 {
		more--
	}
	return b.untils.Seq(tail, b.repeat(max(n.Min-1, 0), more, b.expr(n.Kids[0])))
}

// triggers derives triggers from the beginnings of the Trigger rules in b.from: the first literal
// of each alternative or, if that is too common, a pattern up to the first literal that is specific
// enough.
func (b *builder) triggers() []Trigger {
	var out []Trigger
	known := map[Trigger]bool{}
	for _, id := range b.from {
		for _, h := range b.headers(b.p.Nodes[id].Kids[0]) {
			t, ok := h.trigger()
			if !ok {
				b.Notes.Add("rule %q may begin with text that is not a literal, for which there is no trigger", b.p.Nodes[id].Text)
				continue
			}
			if !known[t] {
				known[t] = true
				out = append(out, t)
			}
		}
	}
	return out
}

// header is a beginning of a rule: its literals, with "" for white space between them. Closed is
// set if nothing can be added: something else follows, or the literals suffice for a trigger.
type header struct {
	parts  []string
	closed bool
}

func (h header) trigger() (Trigger, bool) {
	parts := h.parts
	for len(parts) > 0 && strings.TrimSpace(parts[0]) == "" {
		parts = parts[1:]
	}
	if len(parts) == 0 {
		return Trigger{}, false
	}
	if words.IsTelling(parts[0]) || len(parts) == 1 {
		return Trigger{Type: TriggerWord, Value: parts[0]}, true
	}
	var pattern strings.Builder
	for _, p := range parts {
		if p == "" {
			pattern.WriteString(`\s*`)
			continue
		}
		pattern.WriteString(regexp.QuoteMeta(p))
		if words.IsTelling(p) {
			break
		}
	}
	return Trigger{Type: TriggerPattern, Value: "(" + strings.TrimSuffix(pattern.String(), `\s*`) + ")"}, true
}

// Limits of headers; beyond them a rule counts as beginning with something other than a literal.
const (
	maxHeaders = 256
	maxParts   = 16
	maxLooks   = 1 << 12
)

// headers returns the ways in which a node may begin.
func (b *builder) headers(id peg.ID) []header {
	n := &b.p.Nodes[id]
	if b.visits++; b.visits > maxLooks {
		return []header{{closed: true}}
	}
	switch n.Op {
	case peg.Empty, peg.End, peg.Peek, peg.Not:
		return []header{{}}
	case peg.Literal:
		return []header{{parts: []string{n.Text}, closed: words.IsTelling(n.Text)}} // enough for a trigger
	case peg.Space:
		return []header{{parts: []string{""}}}
	case peg.Rule, peg.Trigger:
		if n.Tolerates() {
			return nil
		}
		return b.headers(n.Kids[0])
	case peg.Atomic, peg.Tag:
		return b.headers(n.Kids[0])
	case peg.Choice:
		return b.choiceHeaders(n)
	case peg.Sequence:
		return b.sequenceHeaders(n)
	case peg.Repeat:
		return b.repeatHeaders(n)
	}
	return []header{{closed: true}}
}

func (b *builder) choiceHeaders(n *peg.Node) []header {
	var out []header
	for _, k := range n.Kids {
		out = append(out, b.headers(k)...)
	}
	return out
}

func (b *builder) sequenceHeaders(n *peg.Node) []header {
	out := []header{{}}
	for _, k := range n.Kids {
		var next []header
		done := true
		kids := b.headers(k)
		for _, h := range out {
			if h.closed || len(next) > maxHeaders {
				next = append(next, h)
				continue
			}
			for _, more := range kids {
				joined := header{parts: b.joinParts(h.parts, more.parts), closed: more.closed}
				joined.closed = joined.closed || len(joined.parts) >= maxParts
				next = append(next, joined)
				done = done && joined.closed
			}
		}
		if out = next; done {
			break
		}
	}
	return out
}

// joinParts appends more to parts, joining adjacent literals.
func (b *builder) joinParts(parts, more []string) []string {
	b.Work.Spend(1 + len(parts) + len(more))
	parts = slices.Clip(parts)
	for _, m := range more {
		if n := len(parts); n > 0 && m != "" && parts[n-1] != "" && !words.IsTelling(parts[n-1]) {
			b.Work.Spend((len(parts[n-1]) + len(m)) >> 3)
			parts = append(slices.Clone(parts[:n-1]), parts[n-1]+m)
			continue
		}
		parts = append(parts, m)
	}
	return parts
}

// repeatHeaders returns the headers of the first iteration and, if there may be none, the empty
// header. A repetition of white space only is white space.
func (b *builder) repeatHeaders(n *peg.Node) []header {
	kids := b.headers(n.Kids[0])
	if n.Min > 0 {
		return kids
	}
	out := []header{{}}
	for _, h := range kids {
		if strings.TrimSpace(strings.Join(h.parts, "")) != "" || h.closed {
			out = append(out, h)
		}
	}
	return out
}
