package lark

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/dragoman-project/dragoman/internal/cfg"
)

// How rules and terminals are printed, once it is decided which is which (lark.go).

// expr prints an expression of a rule. Adjacent parts for the lexer become one terminal.
func (w *writer) expr(e *cfg.Expr, around cfg.Binding) string {
	switch {
	case w.terminal(e):
		return w.lexeme(e)
	case e.Op == cfg.OpToken:
		return e.Text
	case e.Op == cfg.OpCall:
		return w.call(e.Rule)
	case e.Op == cfg.OpRepeat:
		return w.times(w.expr(e.Kids[0], cfg.InRepeat), e.Min, e.Max, around)
	case e.Op == cfg.OpSequence:
		return parens(w.items(e.Kids), " ", around > cfg.InSequence)
	}
	return parens(w.alternatives(e.Kids), " | ", around > cfg.InNothing)
}

func parens(items []string, between string, needed bool) string {
	s := strings.Join(items, between)
	if needed && len(items) > 1 {
		return "(" + s + ")"
	}
	return s
}

func (w *writer) items(kids []*cfg.Expr) []string {
	var out []string
	for len(kids) > 0 {
		n := max(w.leading(kids), 1)
		out = append(out, w.expr(cfg.Seq(kids[:n]...), cfg.InRepeat))
		kids = kids[n:]
	}
	return out
}

func (w *writer) alternatives(kids []*cfg.Expr) []string {
	var out []string
	var lexed []*cfg.Expr
	for _, k := range kids {
		if w.terminal(k) {
			lexed = append(lexed, k)
			continue
		}
		out = append(out, w.expr(k, cfg.InSequence))
	}
	if len(lexed) > 0 {
		out = append(out, w.lexeme(cfg.Alt(lexed...)))
	}
	return out
}

// repeated matches an item that ends in a quantifier; Lark requires parentheses to repeat it.
var repeated = regexp.MustCompile(`([?*+]|~[0-9]+(\.\.[0-9]+)?)$`)

// times prints a repetition of a printed item.
func (w *writer) times(item string, lo, hi int, around cfg.Binding) string {
	w.work.Spend(len(item) >> 3)
	if repeated.MatchString(item) {
		item = "(" + item + ")"
	}
	switch {
	case lo == 0 && hi == 1, lo < 2 && hi < 0:
		return item + cfg.Quantifier(lo, hi)
	case hi < 0:
		return parens([]string{fmt.Sprintf("%s~%d", item, lo), item + "*"}, " ", around > cfg.InSequence)
	case lo == hi:
		return fmt.Sprintf("%s~%d", item, lo)
	}
	return fmt.Sprintf("%s~%d..%d", item, lo, hi)
}

// call returns the name of a rule and queues the rule to be written.
func (w *writer) call(r *cfg.Rule) string {
	if w.names[r] == "" {
		w.names[r] = w.fresh(strings.ToLower(strings.ReplaceAll(r.Name, "-", "_")))
		w.queue = append(w.queue, r)
	}
	return w.names[r]
}

func (w *writer) fresh(name string) string {
	if name[0] >= '0' && name[0] <= '9' {
		name = "r" + name
	}
	unique := name
	for w.taken[unique] > 0 {
		unique = name + "_" + strconv.Itoa(w.taken[name])
		w.taken[name]++
	}
	w.taken[unique]++
	return unique
}

// lexeme returns a literal or the name of a terminal. Terminals do not match the empty text; a
// nullable one becomes optional.
func (w *writer) lexeme(e *cfg.Expr) string {
	if e.Op == cfg.OpLiteral {
		return quotedText(e.Text)
	}
	if cfg.Nullable(e, w.empty) {
		if e = w.nonEmpty(e); e.Op == cfg.OpNever {
			return `""`
		}
		return w.lexeme(e) + "?"
	}
	if e.Op == cfg.OpCall {
		return w.named(e.Rule)
	}
	text := w.text(e, cfg.InNothing)
	w.work.Spend(4 * len(text))
	return w.define(w.scope+"_text", text)
}

// nonEmpty returns e without the empty text. Nullable rules get variants that are not.
func (w *writer) nonEmpty(e *cfg.Expr) *cfg.Expr {
	return cfg.NonEmptyGiven(e, w.empty, func(r *cfg.Rule) *cfg.Expr {
		twin := w.twins[r]
		if twin == nil {
			twin = &cfg.Rule{Name: r.Name + "-some"}
			w.twins[r] = twin
			if w.regular.Recursive(r) {
				twin.Body = cfg.NonEmpty(w.regular.FlatRule(r))
			} else {
				twin.Body = w.nonEmpty(r.Body)
			}
		}
		return twin.Call()
	})
}

// define returns the name of a terminal, defining it on first use.
func (w *writer) define(name, body string) string {
	if w.terminals[body] == "" {
		w.terminals[body] = w.fresh(strings.ToUpper(name))
		w.defined = append(w.defined, w.terminals[body]+": "+body+"\n")
	}
	return w.terminals[body]
}

// named returns the terminal of a regular rule.
func (w *writer) named(r *cfg.Rule) string {
	switch {
	case w.names[r] != "":
	case w.regular.Recursive(r):
		w.names[r] = w.define(strings.ReplaceAll(r.Name, "-", "_"), regex(w.regular.FlatRule(r)))
	case r.Body.Op == cfg.OpCall:
		w.names[r] = w.named(r.Body.Rule)
	default:
		w.names[r] = w.define(strings.ReplaceAll(r.Name, "-", "_"), w.text(r.Body, cfg.InNothing))
	}
	return w.names[r]
}

// text prints the inside of a terminal, which may refer to others.
func (w *writer) text(e *cfg.Expr, around cfg.Binding) string {
	w.work.Spend(8)
	var kids []string
	for _, k := range e.Kids {
		inner := cfg.InSequence
		if e.Op == cfg.OpRepeat {
			inner = cfg.InRepeat
		}
		kids = append(kids, w.text(k, inner))
	}
	switch e.Op {
	case cfg.OpLiteral:
		return quotedText(e.Text)
	case cfg.OpCall:
		return w.named(e.Rule)
	case cfg.OpSequence:
		return parens(kids, " ", around > cfg.InSequence)
	case cfg.OpChoice:
		return parens(kids, " | ", around > cfg.InNothing)
	case cfg.OpRepeat:
		return w.times(kids[0], e.Min, e.Max, around)
	}
	return regex(e)
}

// quotedText returns a literal in JSON.
func quotedText(s string) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(s); err != nil {
		return `""`
	}
	return strings.TrimSpace(b.String())
}
