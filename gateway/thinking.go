package gateway

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/dragoman-project/dragoman/gateway/engine"
	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/dragoman-project/dragoman/sdk/handler"
	"github.com/dragoman-project/dragoman/sdk/peg/match"
	"github.com/dragoman-project/dragoman/sdk/session"
)

// grace is how many tokens later the gateway ends the thinking on an engine that is to end it itself.
const grace = 32

// thought watches an output for its reasoning, to end it at a budget of tokens:
//
//	engine writes:   <think> Hm, so … | stopped     goes on from there: content
//	session is fed:  <think> Hm, so … </think>      content
//
// The output is stopped between two pieces of the engine, and not within a character. What the engine has begun of the end of reasoning
// is completed.
type thought struct {
	start   string
	ends    []string // the first is written
	budget  int
	grace   int  // tokens more, for the engine to end reasoning itself
	extract bool // reasoning is delivered as such

	state handler.ReasoningState
	text  []byte // the output so far
	at    int    // of text: where reasoning began
	from  int    // tokens of the output before that
	spent int    // tokens of reasoning
}

// newThought returns what holds an output of the plan to the budget of its request; nil: it has none.
func newThought(p *session.Plan, r *chat.Request) *thought {
	off := r.EnableThinking != nil && !*r.EnableThinking
	if !p.SupportsThinking || len(p.ThinkingEnds) == 0 || r.ThinkingBudget == 0 && !off || p.ReasoningState == handler.ReasoningClosed {
		return nil
	}
	return &thought{start: strings.TrimSpace(p.ThinkingStart), ends: p.ThinkingEnds, budget: r.ThinkingBudget, extract: r.ReasoningFormat.Extract(), state: p.ReasoningState}
}

// limit returns what an engine needs to know that ends reasoning itself.
func (t *thought) limit() *engine.Thinking {
	return &engine.Thinking{Budget: t.budget, Start: t.start, Ends: t.ends, Open: t.state == handler.ReasoningOpen}
}

// thoughtless returns the beginning of an output that has not thought.
func (t *thought) thoughtless() string {
	if t.state == handler.ReasoningOpen {
		return t.ends[0]
	}
	return t.start + t.ends[0]
}

// wrote takes the next text of the engine, what the session decided, and how many tokens the output has. It reports whether reasoning
// must end here.
func (t *thought) wrote(text []byte, decided []chat.Piece, tokens, before int) bool {
	if t.state == handler.ReasoningClosed {
		return false
	}
	t.text = append(t.text, text...)
	if t.state == handler.ReasoningIdle && t.begins(len(text), decided) {
		t.state, t.from = handler.ReasoningOpen, before
	}
	if t.ended(len(text), decided) {
		t.state, t.text = handler.ReasoningClosed, nil
		return false
	}
	t.spent = tokens - t.from
	last, size := utf8.DecodeLastRune(t.text)
	return t.state == handler.ReasoningOpen && t.spent >= t.budget+t.grace && (last != utf8.RuneError || size != 1)
}

// begins reports whether reasoning begins within the last n bytes: its marker begins the output, or the session has read some.
func (t *thought) begins(n int, decided []chat.Piece) bool {
	const blanks = 64 // at most before the marker
	if at := bytes.Index(t.text[:min(len(t.text), blanks+len(t.start))], []byte(t.start)); t.start != "" && at >= 0 && len(bytes.TrimSpace(t.text[:at])) == 0 {
		t.at = at + len(t.start)
		return true
	}
	t.at = len(t.text) - n
	return slices.ContainsFunc(decided, func(p chat.Piece) bool { return p.Kind == chat.ReasoningText })
}

// ended reports whether reasoning has ended within the last n bytes, or the answer has begun without any.
func (t *thought) ended(n int, decided []chat.Piece) bool {
	for _, end := range t.ends {
		if t.state == handler.ReasoningOpen && bytes.Contains(t.text[max(t.at, len(t.text)-n-len(end)):], []byte(end)) {
			return true
		}
	}
	return t.extract && slices.ContainsFunc(decided, func(p chat.Piece) bool { return p.Kind != chat.ReasoningText && p.Kind != 0 })
}

// end returns what ends the reasoning behind the output so far, and those of its bytes that are special tokens if the engine tells them
// from text.
func (t *thought) end(told bool, preserved []string) (text []byte, special []match.Range) {
	t.state = handler.ReasoningClosed
	end := t.ends[0]
	if !told {
		n := min(len(end)-1, len(t.text)-t.at)
		for n > 0 && !bytes.HasSuffix(t.text, []byte(end[:n])) {
			n--
		}
		return []byte(end[n:]), nil
	}
	special = []match.Range{}
	for _, token := range preserved {
		if at := strings.Index(end, token); at >= 0 {
			special = append(special, match.Range{Start: at, End: at + len(token)})
		}
	}
	slices.SortFunc(special, func(a, b match.Range) int { return a.Start - b.Start })
	return []byte(end), special
}

// note says what was done.
func (t *thought) note() string {
	return fmt.Sprintf("the gateway ended the thinking after %d tokens: the budget is %d", t.spent, t.budget)
}

// limitThinking holds the output to the budget of its request, if it has one.
func (o *Output) limitThinking(ctx context.Context) (err error) {
	a := o.answer
	t := newThought(a.planned.Plan, a.Request())
	if t == nil {
		return nil
	}
	if o.rest, err = a.planned.After(ctx, t.thoughtless()); err != nil {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		o.notes = append(o.notes, "the budget of thinking is not held: no constraint can be built for what follows: "+err.Error())
		return nil
	}
	o.thought = t
	if t.budget == 0 && t.state == handler.ReasoningOpen {
		o.endThinking()
	}
	return nil
}

// endThinking stops the engine, and ends reasoning in its place.
func (o *Output) endThinking() {
	if o.release != nil {
		o.release()
		o.release = nil
	}
	t := o.thought
	o.before = &engine.Usage{Completion: o.tokens, Reasoning: &t.spent}
	if o.usage != nil {
		o.before.Prompt, o.before.Cached = o.usage.Prompt, o.usage.Cached
	}
	var end []byte
	end, o.special = t.end(o.told, o.answer.planned.PreservedTokens)
	o.due = slices.Concat(o.tail.held, end)
	o.written = slices.Concat(t.text, end)
	if o.likely != nil {
		o.likely.skip(end)
	}
	o.stream, o.usage, o.tail.held, t.text = nil, nil, nil, nil
}
