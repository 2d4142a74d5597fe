package grammar

import (
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/dragoman-project/dragoman/sdk/peg"
)

// fromTriggers is what node id can still match from one of its Trigger rules on: the trigger, and what follows it.
func (b *builder) fromTriggers(id peg.ID) *expr {
	if e, ok := b.tails[id]; ok {
		return e
	}
	n := &b.p.Nodes[id]
	if n.Op == peg.Rule && !tolerance(n.Text) {
		return b.ruleTail(id, n)
	}
	e := b.tail(id, n)
	if b.parents[id] > 1 && heavy(e) {
		e = b.rule("from-trigger", e)
	}
	b.tails[id] = e
	return e
}

func (b *builder) tail(id peg.ID, n *peg.Node) *expr {
	switch n.Op {
	case peg.Trigger:
		b.from = append(b.from, id)
		return b.expr(id)
	case peg.Atomic, peg.Tag:
		return b.fromTriggers(n.Kids[0])
	case peg.Choice:
		var kids []*expr
		for _, k := range n.Kids {
			kids = append(kids, b.fromTriggers(k))
		}
		return alt(kids...)
	case peg.Sequence:
		return b.sequenceTail(n)
	case peg.Repeat:
		return b.repeatTail(n)
	}
	return nothing
}

// ruleTail is a rule too, for the sake of rules that recur.
func (b *builder) ruleTail(id peg.ID, n *peg.Node) *expr {
	r := b.named(n.Text + "-from-trigger")
	b.tails[id] = r.call()
	if r.body = b.fromTriggers(n.Kids[0]); r.body.op == never {
		b.tails[id] = nothing
	}
	return b.tails[id]
}

func (b *builder) sequenceTail(n *peg.Node) *expr {
	var kids []*expr
	for i, k := range n.Kids {
		if tail := b.fromTriggers(k); tail.op != never {
			kids = append(kids, b.seq(append([]*expr{tail}, b.all(n.Kids[i+1:])...)...))
		}
	}
	return alt(kids...)
}

// repeatTail is the rest of one time and the times left after it, of which it is not known how many there were before.
func (b *builder) repeatTail(n *peg.Node) *expr {
	tail := b.fromTriggers(n.Kids[0])
	if tail.op == never || n.Max == 0 {
		return nothing
	}
	more := n.Max
	if more > 0 {
		more--
	}
	return b.seq(tail, b.repeat(max(n.Min-1, 0), more, b.expr(n.Kids[0])))
}

// triggers derives the triggers from the beginnings of the Trigger rules that fromTriggers met: the first literal of each
// alternative, or, where that is too common a text to fire on, a pattern of the first literals up to a telling one.
func (b *builder) triggers() []Trigger {
	var out []Trigger
	known := map[Trigger]bool{}
	for _, id := range b.from {
		for _, h := range b.headers(b.p.Nodes[id].Kids[0]) {
			t, ok := h.trigger()
			if !ok {
				b.note("rule %q: it may begin with text that is no literal, where no trigger can fire", b.p.Nodes[id].Text)
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

// header is how a rule may begin: literals, with "" for white space between them. Closed says that it ends here: something
// else follows, or what it has is enough for a trigger.
type header struct {
	parts  []string
	closed bool
}

// telling says whether text is more than punctuation of JSON and white space, and so fit to fire on.
func telling(text string) bool {
	return strings.Trim(text, " \t\r\n{}[]\":,'") != ""
}

func (h header) trigger() (Trigger, bool) {
	parts := h.parts
	for len(parts) > 0 && strings.TrimSpace(parts[0]) == "" {
		parts = parts[1:]
	}
	if len(parts) == 0 {
		return Trigger{}, false
	}
	if telling(parts[0]) || len(parts) == 1 {
		return Trigger{Type: TriggerWord, Value: parts[0]}, true
	}
	var pattern strings.Builder
	for _, p := range parts {
		if p == "" {
			pattern.WriteString(`\s*`)
			continue
		}
		pattern.WriteString(regexp.QuoteMeta(p))
		if telling(p) {
			break
		}
	}
	return Trigger{Type: TriggerPattern, Value: "(" + strings.TrimSuffix(pattern.String(), `\s*`) + ")"}, true
}

// Limits of headers. Beyond them a rule begins with something that is no literal.
const (
	maxHeaders = 256
	maxParts   = 16
	maxLooks   = 1 << 12
)

// headers are the ways in which node id may begin.
func (b *builder) headers(id peg.ID) []header {
	n := &b.p.Nodes[id]
	if b.looks++; b.looks > maxLooks {
		return []header{{closed: true}}
	}
	switch n.Op {
	case peg.Empty, peg.End, peg.Peek, peg.Not:
		return []header{{}}
	case peg.Literal:
		return []header{{parts: []string{n.Text}, closed: telling(n.Text)}} // no trigger needs more
	case peg.Space:
		return []header{{parts: []string{""}}}
	case peg.Rule, peg.Trigger:
		if tolerance(n.Text) {
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
				joined := header{parts: joinParts(h.parts, more.parts), closed: more.closed}
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

// joinParts appends more to parts; literals next to each other become one.
func joinParts(parts, more []string) []string {
	parts = slices.Clip(parts)
	for _, m := range more {
		if n := len(parts); n > 0 && m != "" && parts[n-1] != "" && !telling(parts[n-1]) {
			parts = append(slices.Clone(parts[:n-1]), parts[n-1]+m)
			continue
		}
		parts = append(parts, m)
	}
	return parts
}

// repeatHeaders are those of the first time, and the empty one where there need be none: then the rule begins with what
// follows. A repetition of white space alone is white space.
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

// maxFullPrefixes bounds the prefixes of an output on which an anchored pattern is tried.
const maxFullPrefixes = 64 << 10

// FindTrigger says where a lazy grammar starts in output, as llama.cpp does while the output grows: at the first trigger
// to occur. A word starts it at the word, a pattern at its first group that matched anything, or at its match. A pattern
// that begins with ^ and ends with $, or is of the type TriggerFull, must match the whole output so far.
// Patterns that do not compile never fire.
func FindTrigger(output string, triggers []Trigger) (start int, ok bool) {
	fired := len(output) + 1
	for _, t := range triggers {
		if at, end, found := t.find(output); found && end < fired {
			start, fired, ok = at, end, true
		}
	}
	return start, ok
}

// find says where the grammar starts, and how much of output must be there for the trigger to fire.
func (t Trigger) find(output string) (start, end int, ok bool) {
	if t.Type == TriggerWord {
		start = strings.Index(output, t.Value)
		return start, start + len(t.Value), start >= 0
	}
	re, err := regexp.Compile(t.Value)
	if err != nil {
		return 0, 0, false
	}
	if t.Type == TriggerFull || strings.HasPrefix(t.Value, "^") && strings.HasSuffix(t.Value, "$") {
		return findFull(output, t.Value)
	}
	if re.FindStringIndex(output) == nil {
		return 0, 0, false
	}
	// A longer prefix matches where a shorter one does, so that the shortest can be searched for by halves.
	lo, hi := 0, len(output)
	for lo < hi {
		if mid := (lo + hi) / 2; re.MatchString(output[:mid]) {
			hi = mid
		} else {
			lo = mid + 1
		}
	}
	return groupStart(re.FindStringSubmatchIndex(output[:lo])), lo, true
}

func findFull(output, pattern string) (start, end int, ok bool) {
	re, err := regexp.Compile(`\A(?:` + strings.TrimSuffix(strings.TrimPrefix(pattern, "^"), "$") + `)\z`)
	if err != nil {
		return 0, 0, false
	}
	for end := 0; end <= min(len(output), maxFullPrefixes); end++ {
		if end < len(output) && !utf8.RuneStart(output[end]) {
			continue
		}
		if m := re.FindStringSubmatchIndex(output[:end]); m != nil {
			return groupStart(m), end, true
		}
	}
	return 0, 0, false
}

// groupStart is where the first group that matched anything begins, or the match.
func groupStart(m []int) int {
	for i := 2; i < len(m); i += 2 {
		if m[i] >= 0 && m[i+1] > m[i] {
			return m[i]
		}
	}
	return m[0]
}
