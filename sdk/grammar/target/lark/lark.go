package lark

import (
	"regexp"
	"slices"
	"strings"

	"github.com/dragoman-project/dragoman/internal/cfg"
	"github.com/dragoman-project/dragoman/internal/cfg/regular"
	"github.com/dragoman-project/dragoman/internal/cfg/words"
	"github.com/dragoman-project/dragoman/sdk/grammar/notes"
)

// llguidance reads a dialect of Lark. Its rules are read by a parser, its terminals before that by a lexer, which takes the
// longest text that any terminal allowed at a place matches. So what is regular becomes one terminal, as long as possible;
// and where a terminal could swallow what follows it, as free text does with the beginning of a marker, it takes in the
// beginning of each of the ways to go on. Special tokens stand outside of text: no terminal matches them, they are named.

// Options say what a grammar in Lark covers.
type Options struct {
	Lazy     bool                  // the output begins with text that contains none of Words
	Words    []string              // what begins a lazy grammar
	Specials []string              // special tokens, where they are known
	Scans    map[string]words.Scan // rules that are text up to delimiters
}

// Write is a grammar for the whole output.
func Write(g *cfg.Grammar, o Options, n *notes.List) string {
	w := &writer{
		notes: n, specials: o.Specials, twins: map[*cfg.Rule]*cfg.Rule{},
		terminals: map[string]string{}, names: map[*cfg.Rule]string{}, taken: map[string]bool{"start": true},
	}
	root := g.Root
	for _, r := range g.Rules {
		if s, ok := o.Scans[r.Name]; ok && slices.ContainsFunc(s.Delims, w.special) {
			r.Body = w.scan(s, g)
		}
	}
	if o.Lazy {
		root = g.StartingAt(cfg.Seq(w.scan(words.Scan{Delims: o.Words}, g), cfg.Optional(g.Root.Call())))
	}
	if len(o.Specials) > 0 {
		for _, r := range cfg.Reachable(root) {
			r.Body = w.tokens(r.Body)
		}
	}
	w.regular = regular.New(root)
	_, calledFirst := cfg.Order(root)
	w.empty, _ = cfg.Fixpoint(calledFirst, cfg.Nullable)
	return w.write(root)
}

// writer writes a grammar in Lark.
type writer struct {
	notes     *notes.List
	specials  []string
	regular   *regular.Analysis
	empty     map[*cfg.Rule]bool      // the rules that may be empty
	twins     map[*cfg.Rule]*cfg.Rule // and those that match the same but may not
	rules     []string
	defined   []string          // terminals, as they are written
	terminals map[string]string // by their regular expressions
	names     map[*cfg.Rule]string
	taken     map[string]bool
	queue     []*cfg.Rule
	scope     string // the rule being written
	opened    int    // the ways to go on that divide wrote
}

// scan is text up to delimiters that may stand in text, which those with special tokens in them cannot.
func (w *writer) scan(s words.Scan, g *cfg.Grammar) *cfg.Expr {
	b := words.NewWriter(g.Names(), nil)
	delims := slices.DeleteFunc(slices.Clone(s.Delims), w.special)
	switch {
	case s.Last == "":
		return b.Until(delims)
	case w.special(s.Last):
		return cfg.Seq(b.Until(delims), cfg.Text(s.Last))
	}
	return b.Through(delims, s.Last)
}

// special says whether there is a special token in s.
func (w *writer) special(s string) bool {
	at, _ := w.find(s)
	return at >= 0
}

// nameable are the special tokens that Lark can name.
var nameable = regexp.MustCompile(`^<[^<>\s]+>$`)

// find is where the first special token in s begins, and it.
func (w *writer) find(s string) (at int, special string) {
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
func (w *writer) tokens(e *cfg.Expr) *cfg.Expr {
	switch e.Op {
	case cfg.OpLiteral:
		at, special := w.find(e.Text)
		if at < 0 {
			return e
		}
		return cfg.Seq(cfg.Text(e.Text[:at]), &cfg.Expr{Op: cfg.OpToken, Text: special}, w.tokens(cfg.Text(e.Text[at+len(special):])))
	case cfg.OpSequence, cfg.OpChoice:
		kids := make([]*cfg.Expr, len(e.Kids))
		for i, k := range e.Kids {
			kids[i] = w.tokens(k)
		}
		if e.Op == cfg.OpChoice {
			return cfg.Alt(kids...)
		}
		return cfg.Seq(kids...)
	case cfg.OpRepeat:
		return cfg.Times(e.Min, e.Max, w.tokens(e.Kids[0]))
	}
	return e
}

// write writes the rules reachable from root that are not regular, and then the terminals.
func (w *writer) write(root *cfg.Rule) string {
	w.names[root] = "start"
	w.queue = []*cfg.Rule{root}
	for len(w.queue) > 0 {
		r := w.queue[0]
		w.queue = w.queue[1:]
		w.scope = w.names[r]
		w.begun(r.Body)
		w.rules = append(w.rules, w.scope+": "+w.expr(w.separate(r.Body, 0), cfg.InNothing)+"\n")
	}
	return "%llguidance {}\n\n" + strings.Join(w.rules, "") + "\n" + strings.Join(w.defined, "")
}

// terminal says whether e is for the lexer alone.
func (w *writer) terminal(e *cfg.Expr) bool {
	switch e.Op {
	case cfg.OpToken:
		return false
	case cfg.OpCall:
		return w.regular.IsRegular(e.Rule)
	}
	return !slices.ContainsFunc(e.Kids, func(k *cfg.Expr) bool { return !w.terminal(k) })
}

// run is the number of expressions at the beginning of kids that are for the lexer alone.
func (w *writer) run(kids []*cfg.Expr) int {
	i := slices.IndexFunc(kids, func(k *cfg.Expr) bool { return !w.terminal(k) })
	if i < 0 {
		return len(kids)
	}
	return i
}
