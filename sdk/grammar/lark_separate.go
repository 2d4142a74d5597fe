package grammar

import "slices"

// How rules are rewritten so that a lexer which takes the longest text, and never goes back, reads what the grammar means.

// Limits of the ways to go on that are written behind free text: how often in a row, through how many rules, and how many
// in all.
const (
	maxDivided     = 3
	maxDepthOpened = 8
	maxOpened      = 128
)

// separate rewrites e so that no terminal can swallow the beginning of what follows it.
func (w *larkWriter) separate(e *expr, depth int) *expr {
	switch e.op {
	case choice:
		var kids []*expr
		for _, k := range e.kids {
			kids = append(kids, w.separate(k, depth))
		}
		return alt(kids...)
	case repeat:
		return times(e.min, e.max, w.separate(e.kids[0], depth))
	case sequence:
		return w.sequence(e.kids, depth)
	}
	return e
}

func (w *larkWriter) sequence(kids []*expr, depth int) *expr {
	n := w.run(kids)
	if n == len(kids) {
		return seq(kids...)
	}
	if n > 0 && w.beginsWithText(kids[n]) {
		return w.sequence(slices.Concat(kids[:n], kids[n].rule.body.kids, kids[n+1:]), depth)
	}
	if n > 0 && w.swallows(w.tail(kids[:n]), kids[n:]) {
		if rotated := rotate(kids, n); rotated != nil {
			return w.sequence(rotated, depth)
		}
		if depth < maxDivided && w.opened < maxOpened {
			return w.divide(kids, n, depth+1)
		}
		w.note("llguidance reads the longest text that it can, and so may miss what follows free text in rule %q", w.scope)
	}
	if depth < maxDivided && w.opened < maxOpened && w.endsOpen(kids[n], kids[n+1:]) {
		return w.divide(kids, n, depth+1)
	}
	before := append(w.apart(kids[:n], kids[n:]), w.separate(kids[n], 0))
	if len(kids) == n+1 {
		return seq(before...)
	}
	return seq(append(before, w.sequence(kids[n+1:], 0))...)
}

// apart gives the optional end of a run a terminal of its own, where the rule may end behind it. What follows then is not
// known here; but where that begins alike, both are terminals at one place, and the lexer takes the one that goes on.
func (w *larkWriter) apart(run, following []*expr) []*expr {
	last := len(run) - 1
	if last < 1 || !nullable(seq(following...), w.empty) || !nullable(run[last], w.empty) || len(w.begins(run[last:]).minus(blanks)) == 0 ||
		w.swallows(w.tail(run[:last]), run[last:]) {
		return slices.Clone(run)
	}
	return append(slices.Clone(run[:last]), &expr{op: token, text: w.lexeme(run[last])})
}

// beginsWithText says whether e calls a rule that begins with what is for the lexer. Joined to the text before it, it tells
// that apart from other texts which begin alike.
func (w *larkWriter) beginsWithText(e *expr) bool {
	return e.op == call && e.rule.body.op == sequence && !w.regular.recursive(e.rule) && w.run(e.rule.body.kids) > 0
}

// endsOpen says whether one of the ways through e ends in text that may swallow what follows.
func (w *larkWriter) endsOpen(e *expr, following []*expr) bool {
	if len(following) == 0 {
		return false
	}
	switch e.op {
	case choice:
		return slices.ContainsFunc(e.kids, func(k *expr) bool { return w.endsOpen(k, following) })
	case repeat:
		return e.max == 1 && w.endsOpen(e.kids[0], following)
	case sequence:
		last := e.kids[len(e.kids)-1]
		return w.endsOpen(last, following)
	}
	return w.terminal(e) && w.swallows(e, following)
}

// divide puts each way in which kids[n] may begin behind those before it.
func (w *larkWriter) divide(kids []*expr, n, depth int) *expr {
	var ways []*expr
	for _, way := range w.open(kids[n], maxDepthOpened) {
		w.opened++
		ways = append(ways, w.separate(seq(slices.Concat(kids[:n], way, kids[n+1:])...), depth))
	}
	return alt(ways...)
}

// rotate says `text (call text)*` as `(text call)* text`, in which each text stands before what it might swallow; nil if
// kids are not of that form at n.
func rotate(kids []*expr, n int) []*expr {
	loop, before := kids[n], kids[n-1]
	if loop.op != repeat || loop.min > 0 || loop.max >= 0 || loop.kids[0].op != sequence {
		return nil
	}
	inner := loop.kids[0].kids
	last := len(inner) - 1
	if !same(inner[last], before) {
		return nil
	}
	turned := star(seq(append([]*expr{before}, inner[:last]...)...))
	return slices.Concat(kids[:n-1], []*expr{turned, before}, kids[n+1:])
}

// tail is the end of a run, as far as it takes for some text to be there: what comes before it has been decided by then.
func (w *larkWriter) tail(kids []*expr) *expr {
	i := len(kids) - 1
	for i > 0 && nullable(kids[i], w.empty) {
		i--
	}
	return seq(kids[i:]...)
}

// swallows says whether a terminal may go on where what follows begins. White space that goes on as white space does no
// harm: however it is divided, the same texts are read.
func (w *larkWriter) swallows(e *expr, following []*expr) bool {
	flat := w.regular.expr(e)
	if flat == nil {
		return false
	}
	return len(goesOn(flat).intersect(w.begins(following)).minus(blanks)) > 0
}

// begins is the set of characters with which kids may begin.
func (w *larkWriter) begins(kids []*expr) charset {
	f := firsts{known: map[*rule]bool{}}
	for _, k := range kids {
		if !f.add(k) {
			break
		}
	}
	return f.set
}

// firsts gathers the characters with which expressions begin.
type firsts struct {
	set   charset
	known map[*rule]bool // seen, and whether it may be empty
}

// add adds those of e, and says whether e may be empty. A rule within itself is not taken for empty.
func (f *firsts) add(e *expr) bool {
	switch e.op {
	case literal:
		for _, r := range e.text {
			f.set = f.set.union(charset{{Lo: r, Hi: r}})
			break
		}
		return e.text == ""
	case class:
		f.set = f.set.union(e.set)
	case call:
		if empty, seen := f.known[e.rule]; seen {
			return empty
		}
		f.known[e.rule] = false
		f.known[e.rule] = f.add(e.rule.body)
		return f.known[e.rule]
	case repeat:
		return f.add(e.kids[0]) || e.min == 0
	case choice:
		empty := false
		for _, k := range e.kids {
			empty = f.add(k) || empty
		}
		return empty
	case sequence:
		for _, k := range e.kids {
			if !f.add(k) {
				return false
			}
		}
		return true
	}
	return false
}

// open lists the ways in which e may begin, each as a sequence that begins with what is for the lexer, unless rules call
// each other deeper than depth.
func (w *larkWriter) open(e *expr, depth int) [][]*expr {
	if depth == 0 || w.terminal(e) {
		return [][]*expr{{e}}
	}
	switch e.op {
	case call:
		return w.open(e.rule.body, depth-1)
	case choice:
		var out [][]*expr
		for _, k := range e.kids {
			out = append(out, w.open(k, depth)...)
		}
		return out
	case repeat:
		more := times(max(e.min-1, 0), max(e.max-1, -1), e.kids[0])
		once := w.followed(w.open(e.kids[0], depth), more)
		if e.min == 0 {
			return append(once, nil)
		}
		return once
	case sequence:
		return w.followed(w.open(e.kids[0], depth), e.kids[1:]...)
	}
	return [][]*expr{{e}}
}

// followed are ways with more behind each.
func (w *larkWriter) followed(ways [][]*expr, more ...*expr) [][]*expr {
	for i := range ways {
		ways[i] = append(slices.Clip(ways[i]), more...)
	}
	return ways
}

// begun notes parts of which a text may have the beginning and be something else, as a content that begins like a thought and
// does not end it. The lexer looks for the end up to the end of the text.
func (w *larkWriter) begun(e *expr) {
	for i, k := range e.kids {
		w.begun(k)
		if e.op != sequence || k.op != repeat || k.min > 0 || k.max != 1 {
			continue
		}
		rest := e.kids[i+1:]
		if first := opening(k.kids[0]); telling(first) && w.terminal(k) && w.reads(rest[:w.run(rest)], first) {
			w.note("llguidance refuses a text that begins with %q and lacks the end of what that begins", first)
		}
	}
}

// opening is the text with which e begins, white space left out; empty if it is not one.
func opening(e *expr) string {
	switch {
	case e.op == literal:
		return e.text
	case e.op == sequence && nullable(e.kids[0], nil) || e.op == sequence && e.kids[0].op == call && nullable(e.kids[0].rule.body, nil):
		return opening(seq(e.kids[1:]...))
	case e.op == sequence:
		return opening(e.kids[0])
	}
	return ""
}

// reads says whether a text of kids may begin with s.
func (w *larkWriter) reads(kids []*expr, s string) bool {
	flat := w.regular.expr(seq(kids...))
	if flat == nil {
		return false
	}
	c := &code{states: []state{{kind: stateEnd}}}
	states := c.closure([]int32{c.compile(flat, 0)})
	for _, r := range s {
		states = c.closure(c.read(states, r))
	}
	return len(states) > 0
}
