package grammar

import (
	"regexp"
	"slices"
	"strings"
)

// llguidance reads a dialect of Lark. Its rules are read by a parser, its terminals before that by a lexer, which takes the
// longest text that any terminal allowed at a place matches. So what is regular becomes one terminal, as long as possible;
// and where a terminal could swallow what follows it, as free text does with the beginning of a marker, it takes in the
// beginning of each of the ways to go on. Special tokens stand outside of text: no terminal matches them, they are named.

// Limits of the ways to go on that are written behind free text: how often in a row, through how many rules, and how many
// in all.
const (
	maxDivided     = 3
	maxDepthOpened = 8
	maxOpened      = 128
)

// lark is the constraint as one grammar for the whole output. A lazy one begins with text that contains no trigger.
func (tr *translation) lark(c *Constraint, specials []string) (string, error) {
	g := tr.grammar
	w := &larkWriter{
		translation: tr,
		specials:    specials, twins: map[*rule]*rule{},
		terminals: map[string]string{}, names: map[*rule]string{}, taken: map[string]bool{"start": true},
	}
	root := g.root
	for _, r := range g.rules {
		if s, ok := c.scans[r.name]; ok && slices.ContainsFunc(s.delims, w.special) {
			r.body = w.scan(s, g)
		}
	}
	if c.Lazy {
		words, err := tr.triggerWords(c.Triggers)
		if err != nil {
			return "", err
		}
		root = g.beginning(seq(w.scan(scan{delims: words}, g), optional(g.root.call())))
	}
	for _, r := range reachable(root) {
		r.body = w.tokens(r.body)
	}
	w.regular = newRegulars(root)
	_, calledFirst := orders(root)
	w.empty, _ = settle(calledFirst, nullable)
	return w.write(root), nil
}

// larkWriter writes a grammar in Lark.
type larkWriter struct {
	*translation
	specials  []string
	regular   *regulars
	empty     map[*rule]bool  // the rules that may be empty
	twins     map[*rule]*rule // and those that match the same but may not
	rules     []string
	defined   []string          // terminals, as they are written
	terminals map[string]string // by their regular expressions
	names     map[*rule]string
	taken     map[string]bool
	queue     []*rule
	scope     string // the rule being written
	opened    int    // the ways to go on that divide wrote
}

// scan is text up to delimiters that may stand in text, which those with special tokens in them cannot.
func (w *larkWriter) scan(s scan, g *Grammar) *expr {
	b := &builder{names: g.names(), untils: newUntils()}
	delims := slices.DeleteFunc(slices.Clone(s.delims), w.special)
	switch {
	case s.last == "":
		return b.until(delims)
	case w.special(s.last):
		return seq(b.until(delims), text(s.last))
	}
	return b.through(delims, s.last)
}

// special says whether there is a special token in s.
func (w *larkWriter) special(s string) bool {
	at, _ := w.find(s)
	return at >= 0
}

// nameable are the special tokens that Lark can name.
var nameable = regexp.MustCompile(`^<[^<>\s]+>$`)

// find is where the first special token in s begins, and it.
func (w *larkWriter) find(s string) (at int, special string) {
	at = -1
	for _, t := range w.specials {
		i := strings.Index(s, t)
		if i >= 0 && nameable.MatchString(t) && (at < 0 || i < at || i == at && len(t) > len(special)) {
			at, special = i, t
		}
	}
	return at, special
}

// tokens is e with special tokens in the place of their spelling.
func (w *larkWriter) tokens(e *expr) *expr {
	switch e.op {
	case literal:
		at, special := w.find(e.text)
		if at < 0 {
			return e
		}
		return seq(text(e.text[:at]), &expr{op: token, text: special}, w.tokens(text(e.text[at+len(special):])))
	case sequence, choice:
		kids := make([]*expr, len(e.kids))
		for i, k := range e.kids {
			kids[i] = w.tokens(k)
		}
		if e.op == choice {
			return alt(kids...)
		}
		return seq(kids...)
	case repeat:
		return times(e.min, e.max, w.tokens(e.kids[0]))
	}
	return e
}

// write writes the rules reachable from root that are not regular, and then the terminals.
func (w *larkWriter) write(root *rule) string {
	w.names[root] = "start"
	w.queue = []*rule{root}
	for len(w.queue) > 0 {
		r := w.queue[0]
		w.queue = w.queue[1:]
		w.scope = w.names[r]
		w.rules = append(w.rules, w.scope+": "+w.expr(w.separate(r.body, 0), looseChoice)+"\n")
	}
	return "%llguidance {}\n\n" + strings.Join(w.rules, "") + "\n" + strings.Join(w.defined, "")
}

// terminal says whether e is for the lexer alone.
func (w *larkWriter) terminal(e *expr) bool {
	switch e.op {
	case token:
		return false
	case call:
		return w.regular.rule(e.rule) != nil
	}
	return !slices.ContainsFunc(e.kids, func(k *expr) bool { return !w.terminal(k) })
}

// run is the number of expressions at the beginning of kids that are for the lexer alone.
func (w *larkWriter) run(kids []*expr) int {
	i := slices.IndexFunc(kids, func(k *expr) bool { return !w.terminal(k) })
	if i < 0 {
		return len(kids)
	}
	return i
}

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
	before := append(slices.Clone(kids[:n]), w.separate(kids[n], 0))
	if len(kids) == n+1 {
		return seq(before...)
	}
	return seq(append(before, w.sequence(kids[n+1:], 0))...)
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
