package conformance

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/dragoman-project/dragoman/sdk/fault"
	"github.com/dragoman-project/dragoman/sdk/grammar"
	"github.com/dragoman-project/dragoman/sdk/session"
)

// cutPerRequest is how many of the outputs drawn for a request are cut off everywhere.
const cutPerRequest = 2

// cutCallsStayOpen cuts outputs off at every byte: golden ones, and those drawn from constraints or written by Options.Write.
func (x *examination) cutCallsStayOpen(ctx context.Context) error {
	var found faults
	for _, c := range x.golden {
		if p, err := planFor(ctx, x.handler, c); err == nil {
			found.add("case "+c.ID, CutOff(ctx, p.plan, c.Output))
		}
	}
	return errors.Join(found.join(), x.eachPlan(ctx, func(s shown, p *planned) error {
		for _, output := range x.outputs(s, p) {
			if err := CutOff(ctx, p.plan, output); err != nil {
				return err
			}
		}
		return nil
	}))
}

// outputs returns some outputs that answer a request with calls, as far as any are known.
func (x *examination) outputs(s shown, p *planned) (outputs []string) {
	if len(s.request.Tools) == 0 {
		return nil
	}
	if c, err := p.constrained(); err == nil && c != nil {
		sampler := c.grammar.Sampler(rand.New(rand.NewPCG(1, 6)))
		for range cutPerRequest {
			if output, ok := sampler.Text(drawnLength); ok {
				outputs = append(outputs, output)
			}
		}
	}
	if s.own && x.Write != nil {
		a := &author{random: rand.New(rand.NewPCG(1, 7)), request: s.request, thinks: p.plan.SupportsThinking}
		for range 2 * cutPerRequest {
			outputs = append(outputs, x.Write(a.message()))
		}
	}
	return outputs
}

// CutOff cuts an output off at every byte, and returns an error if that makes a complete call which is not one of the whole
// output. The engine stopped there for length or, in an output that the constraint allows, for an unknown reason; then the call
// may be complete where the constraint allows the output to end. An output that breaks the format is not cut.
func CutOff(ctx context.Context, plan *session.Plan, output string) error {
	whole, err := callsIn(ctx, plan, output, false)
	if err != nil || whole.report.Status != chat.Complete || len(whole.calls) == 0 {
		return err
	}
	c, err := (&planned{plan: plan}).constrained()
	if err != nil {
		return err
	}
	reasons := []bool{true}
	if c == nil || c.allows(output) {
		reasons = append(reasons, false)
	}
	for n := range len(output) {
		for _, truncated := range reasons {
			if err := ctx.Err(); err != nil {
				return err // parsing does not stop by itself
			}
			cut, err := callsIn(ctx, plan, output[:n], truncated)
			if err == nil {
				err = cut.within(whole, truncated)
			}
			if err != nil && (truncated || c == nil || !c.allows(output[:n])) {
				return fmt.Errorf("output %q, cut off after %q, truncated %t: %w", output, output[:n], truncated, err)
			}
		}
	}
	return nil
}

// allows reports whether an output may end like this. Before a trigger anything may.
func (c *constrained) allows(output string) bool {
	m, _, fired := c.try(output)
	return !fired || m.Status == grammar.Accepted
}

// cutOutput is what became of an output that may be cut off.
type cutOutput struct {
	calls  []cutCall
	reason chat.FinishReason
	report *chat.Report
}

// cutCall is a call of an output, as its events tell it.
type cutCall struct {
	name, arguments string
	complete        bool
}

// callsIn parses an output. A refusal by a policy of the request is not an error here.
func callsIn(ctx context.Context, plan *session.Plan, output string, truncated bool) (*cutOutput, error) {
	o := new(cutOutput)
	result, err := plan.Parse(ctx, []byte(output), truncated, session.Options{NoIDs: true, Events: o.take})
	if fault.CodeOf(err) == fault.OutputRefused {
		err = nil
	}
	o.reason, o.report = result.FinishReason, result.Report
	return o, err
}

func (o *cutOutput) take(e chat.Event) {
	if e.Kind == chat.CallBegin {
		o.calls = append(o.calls, cutCall{})
	}
	if len(o.calls) == 0 {
		return
	}
	switch c := &o.calls[len(o.calls)-1]; e.Kind {
	case chat.CallName:
		c.name = string(e.Text)
	case chat.CallArguments:
		c.arguments += string(e.Text)
	case chat.CallEnd:
		c.complete = !e.Open && json.Valid([]byte(c.arguments))
	}
}

// within returns an error if a call is complete that the whole output lacks, or if the output ends like a complete one although
// a call is not.
func (o *cutOutput) within(whole *cutOutput, truncated bool) error {
	for i, c := range o.calls {
		if c.complete && (i >= len(whole.calls) || c != whole.calls[i]) {
			return fmt.Errorf("the call of %s is complete, with the arguments %s", c.name, c.arguments)
		}
	}
	open := slices.ContainsFunc(o.calls, func(c cutCall) bool { return !c.complete })
	switch {
	case truncated && o.reason != chat.FinishLength, open && o.reason == chat.FinishToolCalls:
		return fmt.Errorf("its finish reason is %s", o.reason)
	case open && o.report.Status == chat.Complete:
		return errors.New("a call is not complete, but the output is")
	}
	return nil
}
