package conformance

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/dragoman-project/dragoman/sdk/cases"
	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/dragoman-project/dragoman/sdk/grammar"
)

// The grammar and the parser are one program: what the grammar accepts is parsed without a fault, and what a handler's format
// writes is accepted and parsed back. The first direction is tested with texts drawn from the grammar, the second with generated
// messages that Options.Write writes.

const (
	drawnPerRequest = 6
	drawnLength     = 80 // characters, before a drawn text is completed
	madePerRequest  = 25
)

// drawnAreRead parses texts that constraints accept, whole and cut off at several places.
func (x *examination) drawnAreRead(ctx context.Context) error {
	seen := map[string]bool{}
	return x.eachPlan(ctx, func(s shown, p *planned) error {
		text, err := s.request.MarshalJSON()
		key := s.prompt + string(text)
		if err != nil || seen[key] {
			return err
		}
		seen[key] = true
		c, err := p.constrained()
		if err != nil || c == nil {
			return err
		}
		sampler := c.grammar.Sampler(rand.New(rand.NewPCG(1, 3)))
		for range drawnPerRequest {
			if output, ok := sampler.Text(drawnLength); ok {
				if err := p.readsDrawn(ctx, c, output); err != nil {
					return fmt.Errorf("output %q, which the constraint accepts: %w", output, err)
				}
			}
		}
		return nil
	})
}

// readsDrawn parses a text drawn from the grammar.
func (p *planned) readsDrawn(ctx context.Context, c *constrained, output string) error {
	if _, fired := grammar.FindTrigger(output, c.Triggers); c.Lazy && !fired {
		return fmt.Errorf("no trigger fires; the triggers are %+v", c.Triggers)
	}
	whole, err := p.parse(ctx, slices.Values([][]byte{[]byte(output)}))
	if err != nil {
		return err
	}
	if whole.report.Status != chat.Complete {
		return fmt.Errorf("its status is %s", whole.report.Status)
	}
	m := whole.message()
	if len(m.ToolCalls) == 0 && (c.Lazy && !p.thinking() || mustCall(p.request)) {
		return errors.New("no call is found in it")
	}
	for _, call := range m.ToolCalls {
		if err := sound(p.request, call); err != nil {
			return err
		}
	}
	for _, share := range []int{1, 2, 3} {
		part := output[:len(output)*share/4]
		if got, err := p.parse(ctx, slices.Values([][]byte{[]byte(part)})); err != nil || got.report.Status == chat.Malformed {
			return errors.Join(err, fmt.Errorf("cut off to %q it is %s", part, got.report.Status))
		}
	}
	return p.sameAs(ctx, whole, "byte by byte", slices.Collect(cases.Cuts(0, 1)[1].Pieces([]byte(output))))
}

// thinking reports whether the prompt ends within reasoning, where a format may not allow calls.
func (p *planned) thinking() bool {
	_, begun, found := strings.Cut(p.plan.GenerationPrompt, p.plan.ThinkingStart)
	ended := slices.ContainsFunc(p.plan.ThinkingEnds, func(end string) bool { return strings.Contains(begun, end) })
	return p.plan.SupportsThinking && found && !ended
}

// sound returns why the request does not allow a call; nil if it does.
func sound(r *chat.Request, call cases.Call) error {
	known := slices.ContainsFunc(r.Tools, func(t chat.Tool) bool { return t.Name == call.Name })
	switch {
	case !known:
		return fmt.Errorf("it calls %q, which the request does not have", call.Name)
	case r.ToolChoice.Mode == chat.ToolNamed && r.ToolChoice.Name != call.Name:
		return fmt.Errorf("it calls %q, but the request asks for %q", call.Name, r.ToolChoice.Name)
	case !json.Valid([]byte(call.Arguments)):
		return fmt.Errorf("the arguments of %s are not JSON: %s", call.Name, call.Arguments)
	}
	return nil
}

// mustCall reports whether the request demands a call.
func mustCall(r *chat.Request) bool {
	mode := r.ToolChoice.Mode
	return len(r.Tools) > 0 && (mode == chat.ToolRequired || mode == chat.ToolNamed)
}

// constrained is the constraint of a plan, ready for matching.
type constrained struct {
	*grammar.Constraint
	grammar *grammar.Grammar
}

// constrained returns the constraint; nil if sampling is free.
func (p *planned) constrained() (*constrained, error) {
	c, err := p.constraint()
	if err != nil || c == nil {
		return nil, err
	}
	g, err := grammar.Parse(c.Grammar)
	return &constrained{c, g}, err
}

// try matches the part of an output that the constraint covers, which begins at byte from. If no trigger fires, fired is false.
func (c *constrained) try(output string) (m grammar.Result, from int, fired bool) {
	if c.Lazy {
		if from, fired = grammar.FindTrigger(output, c.Triggers); !fired {
			return m, 0, false
		}
	}
	m = c.grammar.Match(output[from:])
	m.Offset += from
	return m, from, true
}

// writtenAreRead checks that generated messages, written by Options.Write, are accepted and parsed back, and that wrong calls are
// rejected where they are wrong.
func (x *examination) writtenAreRead(ctx context.Context) error {
	return x.eachPlan(ctx, func(s shown, p *planned) error {
		switch {
		case !s.own:
			return nil
		case !s.request.ReasoningFormat.Extract():
			return x.reasoningIsKept(ctx, s, p)
		}
		c, err := p.constrained()
		if err != nil {
			return err
		}
		a := &author{random: rand.New(rand.NewPCG(1, 4)), request: s.request, thinks: p.plan.SupportsThinking}
		written := 0
		for range madePerRequest {
			m := a.message()
			if x.Write(m) == "" && !isEmpty(m) {
				continue
			}
			written++
			if err := p.readsWritten(ctx, c, m, x.Write(m)); err != nil {
				return err
			}
			if err := a.refused(c, m, x.Write); err != nil {
				return err
			}
		}
		if written == 0 {
			return fmt.Errorf("Options.Write writes none of %d messages", madePerRequest)
		}
		return nil
	})
}

// reasoningIsKept checks that a request gets reasoning as content if it asks for that: all of it, before the content, beside the
// same calls.
func (x *examination) reasoningIsKept(ctx context.Context, s shown, p *planned) error {
	if !p.plan.SupportsThinking {
		return nil
	}
	a := &author{random: rand.New(rand.NewPCG(1, 8)), request: s.request}
	for range madePerRequest {
		m := a.message()
		m.ReasoningContent = thoughts[1+a.random.IntN(len(thoughts)-1)]
		output := x.Write(m)
		if output == "" {
			continue
		}
		whole, err := p.parse(ctx, slices.Values([][]byte{[]byte(output)}))
		if err != nil {
			return fmt.Errorf("message written %q: %w", output, err)
		}
		found := whole.message()
		_, behind, kept := strings.Cut(found.Content, m.ReasoningContent)
		if !kept || found.ReasoningContent != "" || !strings.HasSuffix(behind, m.Content.Join("")) || len(found.ToolCalls) != len(m.ToolCalls) {
			return fmt.Errorf("message written %q, for a request with reasoning_format none: reasoning %q, content %q, %d calls",
				output, found.ReasoningContent, found.Content, len(found.ToolCalls))
		}
	}
	return nil
}

// isEmpty reports whether there is nothing to write.
func isEmpty(m chat.Message) bool {
	return m.ReasoningContent == "" && m.Content.Join("") == "" && len(m.ToolCalls) == 0
}

// readsWritten checks that the constraint accepts a written message, and that it is parsed back.
func (p *planned) readsWritten(ctx context.Context, c *constrained, m chat.Message, output string) error {
	fail := func(format string, args ...any) error {
		return fmt.Errorf("message written %q: %w", output, fmt.Errorf(format, args...))
	}
	whole, err := p.parse(ctx, slices.Values([][]byte{[]byte(output)}))
	if err != nil {
		return fail("%w", err)
	}
	found := whole.message()
	for i := range found.ToolCalls {
		found.ToolCalls[i].ID = ""
	}
	if difference := cases.Compare(cases.MessageOf(m), found); difference != "" {
		return fail("%s", difference)
	}
	for _, cut := range cases.Cuts(2, 5)[1:] {
		if err := p.sameAs(ctx, whole, cut.Name, slices.Collect(cut.Pieces([]byte(output)))); err != nil {
			return fail("%w", err)
		}
	}
	if c == nil {
		return nil
	}
	result, _, fired := c.try(output)
	switch {
	case fired != (len(m.ToolCalls) > 0 || !c.Lazy):
		return fail("it has %d calls, and that a trigger fires is %t", len(m.ToolCalls), fired)
	case fired && result.Status != grammar.Accepted:
		return fail("the constraint does not accept it: %v at byte %d, expected %q", result.Status, result.Offset, result.Expected)
	}
	return nil
}

// refused checks that a constraint rejects every spoiled version of a message, an unknown function at its first character.
func (a *author) refused(c *constrained, m chat.Message, write func(chat.Message) string) error {
	if c == nil || len(m.ToolCalls) == 0 {
		return nil
	}
	valid := write(m)
	for _, wrong := range a.spoiled(m) {
		output := write(wrong)
		if output == "" {
			continue
		}
		at := 0 // the first wrong byte
		for at < min(len(valid), len(output)) && valid[at] == output[at] {
			at++
		}
		result, from, fired := c.try(output)
		switch {
		case !fired || from > at: // for the engine it is not a call
		case result.Status != grammar.Refused:
			return fmt.Errorf("message written %q: the constraint accepts it, although the call is not allowed", output)
		case result.Offset != at && wrong.ToolCalls[0].Name != m.ToolCalls[0].Name:
			return fmt.Errorf("message written %q: the constraint rejects it at byte %d, but the first wrong byte is %d", output, result.Offset, at)
		}
	}
	return nil
}

// spoiled returns versions of a message with a wrong call: an unknown function, missing arguments, and one call more than the
// request allows.
func (a *author) spoiled(m chat.Message) []chat.Message {
	change := func(call chat.Call) chat.Message {
		out := m
		out.ToolCalls = append([]chat.Call{call}, m.ToolCalls[1:]...)
		return out
	}
	call := m.ToolCalls[0]
	unknown := call
	unknown.Name = "zz" + call.Name
	out := []chat.Message{change(unknown)}
	if less, ok := a.without(call); ok {
		out = append(out, change(less))
	}
	if !a.request.ParallelToolCalls {
		twice := m
		twice.ToolCalls = append(slices.Clone(m.ToolCalls), call)
		out = append(out, twice)
	}
	return out
}

// without returns a call without the required arguments, and whether there are any.
func (a *author) without(call chat.Call) (chat.Call, bool) {
	s := a.parameters(call.Name)
	required := s.Required()
	var given []string
	for name := range Members(call.Arguments) {
		if !slices.Contains(required, name) {
			given = append(given, name)
		}
	}
	call.Arguments = a.object(s, given)
	return call, len(required) > 0
}
