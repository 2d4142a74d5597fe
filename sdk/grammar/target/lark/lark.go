// Package lark writes grammars in the dialect of Lark that llguidance reads.
//
// llguidance reads terminals with a lexer and rules with a parser. The lexer takes the longest text
// that any terminal allowed at this place matches, and never goes back. So what is regular becomes
// one terminal, as long as possible; and where a terminal could swallow the beginning of what
// follows, as free text does with a marker, it includes the beginnings of all continuations
// (separate.go). Special tokens are not text: no terminal matches them, and rules refer to them by
// name.
package lark

import (
	"regexp"
	"slices"
	"strings"

	"github.com/dragoman-project/dragoman/internal/cfg"
	"github.com/dragoman-project/dragoman/internal/cfg/charset"
	"github.com/dragoman-project/dragoman/internal/cfg/regular"
	"github.com/dragoman-project/dragoman/internal/cfg/words"
	"github.com/dragoman-project/dragoman/internal/work"
	"github.com/dragoman-project/dragoman/sdk/grammar/notes"
)

// Options describe the grammar to write.
type Options struct {
	Lazy     bool                  // the output begins with text that contains none of Words
	Words    []string              // the texts that start a lazy grammar
	Specials []string              // special tokens, if known
	Scans    map[string]words.Scan // rules for text up to delimiters, by name
	Work     *work.Meter           // counts what is looked at and written; nil: unbounded
}

// Write returns a grammar in Lark for the whole output, adding to n what is lost.
func Write(g *cfg.Grammar, o Options, n *notes.List) string {
	w := &writer{
		work: o.Work, notes: n, specials: o.Specials, twins: map[*cfg.Rule]*cfg.Rule{}, continued: map[*cfg.Rule]charset.Set{},
		terminals: map[string]string{}, names: map[*cfg.Rule]string{}, taken: map[string]int{"start": 1},
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
	w.work.Check()
	w.regular = regular.New(root)
	w.work.Check()
	_, calledFirst := cfg.Order(root)
	w.empty, _ = cfg.Fixpoint(calledFirst, cfg.Nullable)
	return w.write(root)
}

// writer holds the state of one translation.
type writer struct {
	work      *work.Meter
	notes     *notes.List
	specials  []string
	regular   *regular.Analysis
	empty     map[*cfg.Rule]bool // the nullable rules
	continued map[*cfg.Rule]charset.Set
	twins     map[*cfg.Rule]*cfg.Rule // their variants without the empty text
	rules     []string
	defined   []string          // definitions of terminals
	terminals map[string]string // names of terminals by definition
	names     map[*cfg.Rule]string
	taken     map[string]int // how often, by the name without a number; names with numbers count, too
	queue     []*cfg.Rule
	scope     string // the rule being written
	expanded  int    // the expansions made by divide
}

// scan returns the rule for s within text. Delimiters with special tokens do not occur there.
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

// special reports whether s contains a special token.
func (w *writer) special(s string) bool {
	at, _ := w.find(s)
	return at >= 0
}

// nameable matches the special tokens that have a name in Lark.
var nameable = regexp.MustCompile(`^<[^<>\s]+>$`)

// find returns the first special token in s and its offset, or -1.
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

// tokens returns e with the spelling of special tokens replaced by their names.
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

// write writes the rules reachable from root that are not regular, then the terminals.
func (w *writer) write(root *cfg.Rule) string {
	w.names[root] = "start"
	w.queue = []*cfg.Rule{root}
	for len(w.queue) > 0 {
		r := w.queue[0]
		w.queue = w.queue[1:]
		w.scope = w.names[r]
		w.noteUnterminated(r.Body)
		w.rules = append(w.rules, w.scope+": "+w.expr(w.separate(r.Body, 0), cfg.InNothing)+"\n")
	}
	return "%llguidance {}\n\n" + strings.Join(w.rules, "") + "\n" + strings.Join(w.defined, "")
}

// terminal reports whether e can be read by the lexer alone.
func (w *writer) terminal(e *cfg.Expr) bool {
	w.work.Spend(1)
	switch e.Op {
	case cfg.OpToken:
		return false
	case cfg.OpCall:
		return w.regular.IsRegular(e.Rule)
	}
	return !slices.ContainsFunc(e.Kids, func(k *cfg.Expr) bool { return !w.terminal(k) })
}

// leading returns how many of kids, from the first on, can be read by the lexer alone.
func (w *writer) leading(kids []*cfg.Expr) int {
	i := slices.IndexFunc(kids, func(k *cfg.Expr) bool { return !w.terminal(k) })
	if i < 0 {
		return len(kids)
	}
	return i
}
