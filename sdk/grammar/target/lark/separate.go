package lark

import (
	"slices"

	"github.com/dragoman-project/dragoman/internal/cfg"
	"github.com/dragoman-project/dragoman/internal/cfg/automaton"
	"github.com/dragoman-project/dragoman/internal/cfg/charset"
	"github.com/dragoman-project/dragoman/internal/cfg/regular"
	"github.com/dragoman-project/dragoman/internal/cfg/words"
	"github.com/dragoman-project/dragoman/internal/work"
)

// How rules are rewritten so that a longest-match lexer that never goes back reads what the grammar
// means.

// Limits of the continuations written after free text: how many in a row, through how many rules,
// and how many in total.
const (
	maxDivided  = 3
	maxDepth    = 8
	maxExpanded = 128
)

// separate rewrites e so that no terminal can swallow the beginning of what follows it.
func (w *writer) separate(e *cfg.Expr, depth int) *cfg.Expr {
	switch e.Op {
	case cfg.OpChoice:
		var kids []*cfg.Expr
		for _, k := range e.Kids {
			kids = append(kids, w.separate(k, depth))
		}
		return cfg.Alt(kids...)
	case cfg.OpRepeat:
		return cfg.Times(e.Min, e.Max, w.separate(e.Kids[0], depth))
	case cfg.OpSequence:
		return w.sequence(e.Kids, depth)
	}
	return e
}

func (w *writer) sequence(kids []*cfg.Expr, depth int) *cfg.Expr {
	w.work.Spend(len(kids))
	n := w.leading(kids)
	for n > 0 && n < len(kids) && w.beginsWithText(kids[n]) {
		w.work.Spend(len(kids))
		kids = slices.Concat(kids[:n], kids[n].Rule.Body.Kids, kids[n+1:])
		n += w.leading(kids[n:])
	}
	if n == len(kids) {
		return cfg.Seq(kids...)
	}
	if n > 0 && w.swallows(w.tail(kids[:n]), kids[n:]) {
		if rotated := rotate(kids, n); rotated != nil {
			return w.sequence(rotated, depth)
		}
		if depth < maxDivided && w.expanded < maxExpanded {
			return w.divide(kids, n, depth+1)
		}
		w.notes.Add("llguidance matches the longest text, so it may miss what follows free text in rule %q", w.scope)
	}
	if depth < maxDivided && w.expanded < maxExpanded && w.endsOpen(kids[n], kids[n+1:]) {
		return w.divide(kids, n, depth+1)
	}
	before := append(w.splitOptionalEnd(kids[:n], kids[n:]), w.separate(kids[n], 0))
	if len(kids) == n+1 {
		return cfg.Seq(before...)
	}
	return cfg.Seq(append(before, w.sequence(kids[n+1:], 0))...)
}

// splitOptionalEnd gives the optional end of a run its own terminal if the rule may end after it.
// What follows then is unknown here; but if it begins alike, both terminals are allowed at the same
// place, and the lexer takes the one that continues.
func (w *writer) splitOptionalEnd(run, following []*cfg.Expr) []*cfg.Expr {
	last := len(run) - 1
	if last < 1 || !cfg.Nullable(cfg.Seq(following...), w.empty) || !cfg.Nullable(run[last], w.empty) || len(w.begins(run[last:]).Minus(charset.Blanks)) == 0 ||
		w.swallows(w.tail(run[:last]), run[last:]) {
		return slices.Clone(run)
	}
	return append(slices.Clone(run[:last]), &cfg.Expr{Op: cfg.OpToken, Text: w.lexeme(run[last])})
}

// beginsWithText reports whether e calls a rule that begins with a part for the lexer. Joined with
// the preceding text, that part distinguishes it from other texts that begin alike.
func (w *writer) beginsWithText(e *cfg.Expr) bool {
	return e.Op == cfg.OpCall && e.Rule.Body.Op == cfg.OpSequence && !w.regular.Recursive(e.Rule) && w.leading(e.Rule.Body.Kids) > 0
}

// endsOpen reports whether e may end in text that may swallow what follows.
func (w *writer) endsOpen(e *cfg.Expr, following []*cfg.Expr) bool {
	if len(following) == 0 {
		return false
	}
	switch e.Op {
	case cfg.OpChoice:
		return slices.ContainsFunc(e.Kids, func(k *cfg.Expr) bool { return w.endsOpen(k, following) })
	case cfg.OpRepeat:
		return e.Max == 1 && w.endsOpen(e.Kids[0], following)
	case cfg.OpSequence:
		last := e.Kids[len(e.Kids)-1]
		return w.endsOpen(last, following)
	}
	return w.terminal(e) && w.swallows(e, following)
}

// divide distributes kids[:n] over the expansions of kids[n].
func (w *writer) divide(kids []*cfg.Expr, n, depth int) *cfg.Expr {
	var ways []*cfg.Expr
	for _, way := range w.expand(kids[n], maxDepth) {
		w.expanded++
		ways = append(ways, w.separate(cfg.Seq(slices.Concat(kids[:n], way, kids[n+1:])...), depth))
	}
	return cfg.Alt(ways...)
}

// rotate rewrites `text (call text)*` as `(text call)* text`, where each text precedes what it
// might swallow. It returns nil if kids do not have that form at n.
func rotate(kids []*cfg.Expr, n int) []*cfg.Expr {
	loop, before := kids[n], kids[n-1]
	if loop.Op != cfg.OpRepeat || loop.Min > 0 || loop.Max >= 0 || loop.Kids[0].Op != cfg.OpSequence {
		return nil
	}
	inner := loop.Kids[0].Kids
	last := len(inner) - 1
	if !cfg.Equal(inner[last], before) {
		return nil
	}
	turned := cfg.Star(cfg.Seq(append([]*cfg.Expr{before}, inner[:last]...)...))
	return slices.Concat(kids[:n-1], []*cfg.Expr{turned, before}, kids[n+1:])
}

// tail returns the end of a run from its last part that is not nullable.
func (w *writer) tail(kids []*cfg.Expr) *cfg.Expr {
	i := len(kids) - 1
	for i > 0 && cfg.Nullable(kids[i], w.empty) {
		i--
	}
	return cfg.Seq(kids[i:]...)
}

// swallows reports whether a terminal may continue into what follows. Shared white space is
// harmless: however it is divided, the same texts are read.
func (w *writer) swallows(e *cfg.Expr, following []*cfg.Expr) bool {
	return len(w.continuations(e).Intersect(w.begins(following)).Minus(charset.Blanks)) > 0
}

// maxWhole is the largest size of an expression whose continuations are found in its automaton, as
// the many parts of a large sequence have.
const maxWhole = 1000

// continuations returns the characters that may follow a text of e within a longer one. Those of a
// large sequence come from its parts: from each that only nullable parts follow, and from what these
// begin with. Objects with many optional members are chains of such rules, each of which is looked at
// once.
func (w *writer) continuations(e *cfg.Expr) (set charset.Set) {
	if e.Op == cfg.OpCall && !w.regular.Recursive(e.Rule) {
		known, ok := w.continued[e.Rule]
		if !ok {
			known = w.continuations(e.Rule.Body)
			w.continued[e.Rule] = known
		}
		return known
	}
	if e.Op != cfg.OpSequence || w.regular.Written(e) <= maxWhole {
		flat := w.regular.Flat(e)
		if flat == nil {
			return nil
		}
		w.work.Spend(4 * w.regular.Written(flat))
		return regular.Continuations(flat)
	}
	for _, k := range slices.Backward(e.Kids) {
		set = set.Union(w.continuations(k))
		if !cfg.Nullable(k, w.empty) {
			break
		}
		set = set.Union(w.begins([]*cfg.Expr{k}))
	}
	return set
}

// begins returns the characters that kids may begin with.
func (w *writer) begins(kids []*cfg.Expr) charset.Set {
	f := firsts{work: w.work, known: map[*cfg.Rule]bool{}}
	for _, k := range kids {
		if !f.add(k) {
			break
		}
	}
	return f.set
}

// firsts collects the characters that expressions begin with.
type firsts struct {
	work  *work.Meter
	set   charset.Set
	known map[*cfg.Rule]bool // visited rules, and whether they are nullable
}

// add adds the first characters of e and reports whether e is nullable. Recursive rules count as
// not nullable.
func (f *firsts) add(e *cfg.Expr) bool {
	f.work.Spend(1 + len(f.set) + len(e.Set))
	switch e.Op {
	case cfg.OpLiteral:
		for _, r := range e.Text {
			f.set = f.set.Union(charset.Set{{Lo: r, Hi: r}})
			break
		}
		return e.Text == ""
	case cfg.OpClass:
		f.set = f.set.Union(e.Set)
	case cfg.OpCall:
		if empty, seen := f.known[e.Rule]; seen {
			return empty
		}
		f.known[e.Rule] = false
		f.known[e.Rule] = f.add(e.Rule.Body)
		return f.known[e.Rule]
	case cfg.OpRepeat:
		return f.add(e.Kids[0]) || e.Min == 0
	case cfg.OpChoice:
		empty := false
		for _, k := range e.Kids {
			empty = f.add(k) || empty
		}
		return empty
	case cfg.OpSequence:
		for _, k := range e.Kids {
			if !f.add(k) {
				return false
			}
		}
		return true
	}
	return false
}

// expand returns the ways in which e may begin, each as a sequence that begins with a part for the
// lexer, expanding rules down to depth.
func (w *writer) expand(e *cfg.Expr, depth int) [][]*cfg.Expr {
	if depth == 0 || w.terminal(e) {
		return [][]*cfg.Expr{{e}}
	}
	switch e.Op {
	case cfg.OpCall:
		return w.expand(e.Rule.Body, depth-1)
	case cfg.OpChoice:
		var out [][]*cfg.Expr
		for _, k := range e.Kids {
			out = append(out, w.expand(k, depth)...)
		}
		return out
	case cfg.OpRepeat:
		more := cfg.Times(max(e.Min-1, 0), max(e.Max-1, -1), e.Kids[0])
		once := w.followed(w.expand(e.Kids[0], depth), more)
		if e.Min == 0 {
			return append(once, nil)
		}
		return once
	case cfg.OpSequence:
		return w.followed(w.expand(e.Kids[0], depth), e.Kids[1:]...)
	}
	return [][]*cfg.Expr{{e}}
}

// followed appends more to each of ways.
func (w *writer) followed(ways [][]*cfg.Expr, more ...*cfg.Expr) [][]*cfg.Expr {
	for i := range ways {
		ways[i] = append(slices.Clip(ways[i]), more...)
	}
	return ways
}

// noteUnterminated notes optional parts whose beginning may also be the beginning of something
// else, such as content that begins like a thought which never ends. The lexer looks for the end of
// such a part up to the end of the text.
func (w *writer) noteUnterminated(e *cfg.Expr) {
	w.work.Spend(1)
	for i, k := range e.Kids {
		w.noteUnterminated(k)
		if e.Op != cfg.OpSequence || k.Op != cfg.OpRepeat || k.Min > 0 || k.Max != 1 {
			continue
		}
		rest := e.Kids[i+1:]
		if first := firstText(k.Kids[0]); words.IsTelling(first) && w.terminal(k) && w.mayStartWith(rest[:w.leading(rest)], first) {
			w.notes.Add("llguidance rejects a text that begins with %q without the matching end", first)
		}
	}
}

// firstText returns the literal that e begins with, ignoring white space, or "".
func firstText(e *cfg.Expr) string {
	switch {
	case e.Op == cfg.OpLiteral:
		return e.Text
	case e.Op == cfg.OpSequence && cfg.Nullable(e.Kids[0], nil) || e.Op == cfg.OpSequence && e.Kids[0].Op == cfg.OpCall && cfg.Nullable(e.Kids[0].Rule.Body, nil):
		return firstText(cfg.Seq(e.Kids[1:]...))
	case e.Op == cfg.OpSequence:
		return firstText(e.Kids[0])
	}
	return ""
}

// mayStartWith reports whether a text of kids may begin with s.
func (w *writer) mayStartWith(kids []*cfg.Expr, s string) bool {
	flat := w.regular.Flat(cfg.Seq(kids...))
	if flat == nil {
		return false
	}
	w.work.Spend(4 * w.regular.Written(flat))
	c, states := automaton.Of(flat)
	for _, r := range s {
		states = c.Step(states, r)
	}
	return len(states) > 0
}
