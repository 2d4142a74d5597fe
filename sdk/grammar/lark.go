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
	if len(specials) > 0 {
		for _, r := range reachable(root) {
			r.body = w.tokens(r.body)
		}
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
		w.begun(r.body)
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
		return w.regular.regular(e.rule)
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
