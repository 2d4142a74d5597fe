package autoparser

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/dragoman-project/dragoman/sdk/chat"
)

// wish is what a request says of thinking, in the words of a dial.
type wish struct {
	position string // off, on, adaptive, or "" to leave the dial where it is
	effort   string
	budget   int
}

// wishOf returns what a request says. How much to think is a wish to think. Whether to think is granted by any position but
// off.
func (d Dial) wishOf(r *chat.Request) wish {
	w := wish{effort: r.ReasoningEffort, budget: r.ThinkingBudget}
	thinks := w.effort != "" || w.budget > 0
	if r.EnableThinking != nil {
		thinks = *r.EnableThinking
	}
	switch {
	case r.EnableThinking != nil && !thinks:
		w.position = off
	case r.Thinking == chat.ThinkingAdaptive && d.of(adaptive) != nil:
		w.position = adaptive
	case thinks && (d.isOff() || r.Thinking == chat.ThinkingEnabled):
		w.position = on
	}
	if w.position == on && d.of(on) == nil && d.isOff() && w.effort == "" {
		w.effort = "medium" // thinking has no other switch
	}
	return w
}

// turn returns the variables that turn the dial where the request wants it.
func (d Dial) turn(r *chat.Request) []chat.Field {
	var vars []chat.Field
	w := d.wishOf(r)
	if p := d.of(w.position); p != nil && p.By != "" {
		vars = append(vars, setTo(p.By, p.Values[0]))
	}
	if p := d.of(budget); p != nil && w.budget > 0 {
		vars = append(vars, setTo(p.By, strconv.Itoa(w.budget)))
	}
	if w.effort == "" {
		return vars
	}
	p := d.of(effort)
	if p == nil {
		p = &Position{By: "reasoning_effort"}
	}
	return append(vars, chat.Field{Name: p.By, Value: p.nearest(w.effort)})
}

// nearest returns the JSON of an effort. If the template refuses it, it is the next higher one that it knows, or the highest.
func (p *Position) nearest(word string) json.RawMessage {
	wanted, _ := json.Marshal(word)
	at := slices.Index(efforts, word)
	if !p.Strict || at < 0 || slices.Contains(p.Values, string(wanted)) {
		return wanted
	}
	for _, higher := range efforts[at:] {
		if slices.Contains(p.Values, quoted(higher)) {
			return json.RawMessage(quoted(higher))
		}
	}
	return json.RawMessage(p.Values[len(p.Values)-1])
}

// sentence returns the words that turn the dial where the request wants it, or "".
func (d Dial) sentence(r *chat.Request) string {
	if p := d.of(d.wishOf(r).position); p != nil && p.By == "" {
		return strings.Trim(p.Values[0], `"`)
	}
	return ""
}

// lacks returns notes on what a request says and the dial has no position for. thinks reports whether the model is known to
// think.
func (d Dial) lacks(r *chat.Request, thinks bool) []string {
	var notes []string
	note := func(format string, args ...any) { notes = append(notes, fmt.Sprintf("the template "+format, args...)) }
	w := d.wishOf(r)
	switch p := d.of(w.position); {
	case w.position == off && p == nil && thinks:
		note("has no switch that turns thinking off: the model may begin to think nevertheless")
	case r.EnableThinking != nil && *r.EnableThinking && d.of(on) == nil && !thinks:
		note("has no switch that turns thinking on")
	case r.Thinking == chat.ThinkingAdaptive && d.of(adaptive) == nil:
		note("cannot leave it to the model whether to think: thinking is on")
	}
	switch p := d.of(effort); {
	case r.ReasoningEffort == "":
	case p == nil:
		note("has no switch for the effort of thinking: %q changes nothing", r.ReasoningEffort)
	case p.Strict && string(p.nearest(w.effort)) != quoted(w.effort):
		note("knows no effort %q: it is %s", w.effort, p.nearest(w.effort))
	case len(p.Values) > 0 && !slices.Contains(p.Values, quoted(w.effort)):
		note("knows no effort %q: it changes nothing", w.effort)
	}
	if d.of(budget) == nil && r.ThinkingBudget > 0 {
		note("has no switch for the budget of thinking: the model does not know that it is %d tokens", r.ThinkingBudget)
	}
	return notes
}

// dialled returns the variables of a request: those that turn the dial, and then the client's own.
func (t *Template) dialled(r *chat.Request) []chat.Field {
	vars := t.Dial.turn(r)
	for _, f := range r.TemplateKwargs {
		if p := t.Dial.of(effort); p != nil && f.Name == "reasoning_effort" {
			vars = append(vars, chat.Field{Name: p.By, Value: f.Value})
		}
	}
	return append(vars, r.TemplateKwargs...)
}
