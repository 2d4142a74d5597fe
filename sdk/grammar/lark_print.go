package grammar

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// How rules and terminals are written in Lark, once it is clear what is in which (lark.go).

// expr writes what a rule matches. Neighbours that are for the lexer alone are one terminal.
func (w *larkWriter) expr(e *expr, around binding) string {
	switch {
	case w.terminal(e):
		return w.lexeme(e)
	case e.op == token:
		return e.text
	case e.op == call:
		return w.call(e.rule)
	case e.op == repeat:
		return w.times(w.expr(e.kids[0], tight), e.min, e.max, around)
	case e.op == sequence:
		return parens(w.items(e.kids), " ", around > looseSequence)
	}
	return parens(w.alternatives(e.kids), " | ", around > looseChoice)
}

func parens(items []string, between string, needed bool) string {
	s := strings.Join(items, between)
	if needed && len(items) > 1 {
		return "(" + s + ")"
	}
	return s
}

func (w *larkWriter) items(kids []*expr) []string {
	var out []string
	for len(kids) > 0 {
		n := max(w.run(kids), 1)
		out = append(out, w.expr(seq(kids[:n]...), tight))
		kids = kids[n:]
	}
	return out
}

func (w *larkWriter) alternatives(kids []*expr) []string {
	var out []string
	var lexed []*expr
	for _, k := range kids {
		if w.terminal(k) {
			lexed = append(lexed, k)
			continue
		}
		out = append(out, w.expr(k, looseSequence))
	}
	if len(lexed) > 0 {
		out = append(out, w.lexeme(alt(lexed...)))
	}
	return out
}

// repeated is an item that is a repetition, which Lark wants in parentheses to be repeated.
var repeated = regexp.MustCompile(`([?*+]|~[0-9]+(\.\.[0-9]+)?)$`)

// times repeats an item that is written as one.
func (w *larkWriter) times(item string, lo, hi int, around binding) string {
	if repeated.MatchString(item) {
		item = "(" + item + ")"
	}
	switch {
	case lo == 0 && hi == 1, lo < 2 && hi < 0:
		return item + quantifier(lo, hi)
	case hi < 0:
		return parens([]string{fmt.Sprintf("%s~%d", item, lo), item + "*"}, " ", around > looseSequence)
	case lo == hi:
		return fmt.Sprintf("%s~%d", item, lo)
	}
	return fmt.Sprintf("%s~%d..%d", item, lo, hi)
}

// call is the name of a rule, which will be written.
func (w *larkWriter) call(r *rule) string {
	if w.names[r] == "" {
		w.names[r] = w.fresh(strings.ToLower(strings.ReplaceAll(r.name, "-", "_")))
		w.queue = append(w.queue, r)
	}
	return w.names[r]
}

func (w *larkWriter) fresh(name string) string {
	if name[0] >= '0' && name[0] <= '9' {
		name = "r" + name
	}
	unique := name
	for n := 1; w.taken[unique]; n++ {
		unique = name + "_" + strconv.Itoa(n)
	}
	w.taken[unique] = true
	return unique
}

// lexeme is what the lexer reads as one: a literal, or the name of a terminal. None matches the empty text; one that might
// is optional.
func (w *larkWriter) lexeme(e *expr) string {
	if e.op == literal {
		return quotedText(e.text)
	}
	if nullable(e, w.empty) {
		if e = w.solid(e); e.op == never {
			return `""`
		}
		return w.lexeme(e) + "?"
	}
	if e.op == call {
		return w.named(e.rule)
	}
	return w.define(w.scope+"_text", w.text(e, looseChoice))
}

// solid is e without the empty text. Rules that may be empty get twins that may not.
func (w *larkWriter) solid(e *expr) *expr {
	return solidly(e, w.empty, func(r *rule) *expr {
		twin := w.twins[r]
		if twin == nil {
			twin = &rule{name: r.name + "-some"}
			w.twins[r] = twin
			if w.regular.recursive(r) {
				twin.body = solid(w.regular.rule(r))
			} else {
				twin.body = w.solid(r.body)
			}
		}
		return twin.call()
	})
}

// define gives a terminal a name, unless it has one.
func (w *larkWriter) define(name, body string) string {
	if w.terminals[body] == "" {
		w.terminals[body] = w.fresh(strings.ToUpper(name))
		w.defined = append(w.defined, w.terminals[body]+": "+body+"\n")
	}
	return w.terminals[body]
}

// named is the terminal of a regular rule.
func (w *larkWriter) named(r *rule) string {
	switch {
	case w.names[r] != "":
	case w.regular.recursive(r):
		w.names[r] = w.define(strings.ReplaceAll(r.name, "-", "_"), regex(w.regular.rule(r)))
	case r.body.op == call:
		w.names[r] = w.named(r.body.rule)
	default:
		w.names[r] = w.define(strings.ReplaceAll(r.name, "-", "_"), w.text(r.body, looseChoice))
	}
	return w.names[r]
}

// text writes the inside of a terminal, which may name others.
func (w *larkWriter) text(e *expr, around binding) string {
	var kids []string
	for _, k := range e.kids {
		inner := looseSequence
		if e.op == repeat {
			inner = tight
		}
		kids = append(kids, w.text(k, inner))
	}
	switch e.op {
	case literal:
		return quotedText(e.text)
	case call:
		return w.named(e.rule)
	case sequence:
		return parens(kids, " ", around > looseSequence)
	case choice:
		return parens(kids, " | ", around > looseChoice)
	case repeat:
		return w.times(kids[0], e.min, e.max, around)
	}
	return regex(e)
}

// quotedText is a literal as JSON writes it.
func quotedText(s string) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(s); err != nil {
		return `""`
	}
	return strings.TrimSpace(b.String())
}
