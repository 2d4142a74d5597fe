package conformance

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"regexp"
	"slices"

	"github.com/dragoman-project/dragoman/sdk/cases"
	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/dragoman-project/dragoman/sdk/fault"
	"github.com/dragoman-project/dragoman/sdk/grammar"
	"github.com/dragoman-project/dragoman/sdk/handler"
)

var validName = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,63}$`)

// ownRequests are asked of every handler, besides those of its golden cases.
var ownRequests = []struct{ name, text string }{
	{"plain", `{"messages":[{"role":"user","content":"Hi"}]}`},
	{"system", `{"messages":[{"role":"system","content":"Be brief."},{"role":"user","content":[{"type":"text","text":"Hi"}]}]}`},
	{"tools", `{"messages":[{"role":"user","content":"Hi"}],` + ownTools + `}`},
	{"one call at a time", `{"messages":[{"role":"user","content":"Hi"}],"parallel_tool_calls":false,` + ownTools + `}`},
	{"a call required", `{"messages":[{"role":"user","content":"Hi"}],"tool_choice":"required",` + ownTools + `}`},
	{"a certain call required", `{"messages":[{"role":"user","content":"Hi"}],"tool_choice":{"type":"function","function":{"name":"now"}},` + ownTools + `}`},
	{"no call", `{"messages":[{"role":"user","content":"Hi"}],"tool_choice":"none",` + ownTools + `}`},
	{"a schema", `{"messages":[{"role":"user","content":"Hi"}],"json_schema":{"type":"object","properties":{"a":{"type":"integer"}}}}`},
	{"reasoning kept", `{"messages":[{"role":"user","content":"Hi"}],"reasoning_format":"none"}`},
	{"reasoning kept beside tools", `{"messages":[{"role":"user","content":"Hi"}],"reasoning_format":"none",` + ownTools + `}`},
	{"a history", `{"messages":[{"role":"user","content":"Hi"},{"role":"assistant","content":null,"reasoning_content":"Hm.","tool_calls":[
		{"id":"c1","type":"function","function":{"name":"weather","arguments":"{\"city\":\"Rome\"}"}}]},
		{"role":"tool","tool_call_id":"c1","content":"rain"},{"role":"assistant","content":"It rains."},{"role":"user","content":"And now?"}],` + ownTools + `}`},
}

const ownTools = `"tools":[
	{"type":"function","function":{"name":"weather","description":"of a city","parameters":{"type":"object","properties":{
		"city":{"type":"string"},"days":{"type":["integer","null"]},"units":{"enum":["C","F"]}},"required":["city"]}}},
	{"type":"function","function":{"name":"now","parameters":{"type":"object","properties":{}}}},
	{"type":"function","function":{"name":"nothing_said"}}]`

// show collects the requests that the handler is asked.
func (x *examination) show() error {
	prompt := x.GenerationPrompt
	for _, c := range x.golden {
		r, err := c.ChatRequest()
		if err != nil {
			return fmt.Errorf("case %s: request: %w", c.ID, err)
		}
		s := shown{name: "case " + c.ID, template: x.templateOf(c), request: r, prompt: promptOf(c)}
		if prompt == "" {
			prompt = s.prompt
		}
		x.requests = append(x.requests, s)
	}
	for _, own := range ownRequests {
		r, err := chat.ParseRequest([]byte(own.text))
		if err != nil {
			return fmt.Errorf("request %s: %w", own.name, err)
		}
		x.requests = append(x.requests, shown{name: "request with " + own.name, template: x.Template, request: r, prompt: prompt, own: true})
	}
	return nil
}

func (x *examination) templateOf(c *cases.Case) handler.Template {
	if c.Template == x.Template.Name {
		return x.Template
	}
	return templateOf(c)
}

func (x *examination) claims(context.Context) error {
	if x.CompileMatch == nil {
		return nil
	}
	return x.CompileMatch(x.handler.Describe().Match)
}

// answered reports whether err is an answer that a handler may give: a decline, or a fault of the request.
func answered(err error) bool {
	var declined *handler.Declined
	return errors.As(err, &declined) || fault.CodeOf(err) == fault.InvalidArgument
}

func (x *examination) plansAlike(ctx context.Context) error {
	var found faults
	for _, s := range x.requests {
		in := handler.Input{Template: s.template, Request: s.request}
		before, err := s.request.MarshalJSON()
		if err != nil {
			return err
		}
		first, err := x.handler.Plan(ctx, in)
		if err != nil && !answered(err) {
			found.add(s.name, err)
			continue
		}
		second, again := x.handler.Plan(ctx, in)
		if !reflect.DeepEqual(first, second) || !reflect.DeepEqual(err, again) {
			found.add(s.name, errors.New("the second plan differs from the first"))
		}
		if after, err := s.request.MarshalJSON(); err != nil || string(after) != string(before) {
			found.add(s.name, errors.New("planning changes the request; change a copy"))
		}
	}
	return found.join()
}

// eachPlan calls use for every request that the handler plans, and joins the faults.
func (x *examination) eachPlan(ctx context.Context, use func(shown, *planned) error) error {
	var found faults
	for i := range x.requests {
		s := x.requests[i]
		p, err := x.prepared(ctx, i)
		if err == nil {
			err = use(s, p)
		}
		if !answered(err) {
			found.add(s.name, err)
		}
	}
	return found.join()
}

// prepared returns the plan for a request, asked for once.
func (x *examination) prepared(ctx context.Context, i int) (*planned, error) {
	s := &x.requests[i]
	if s.plan == nil && s.fault == nil {
		s.plan, s.fault = prepare(ctx, x.handler, s.template, s.request, s.prompt)
	}
	return s.plan, s.fault
}

func (x *examination) programsAreValid(ctx context.Context) error {
	return x.eachPlan(ctx, func(_ shown, p *planned) error {
		_, err := p.constraint()
		return err
	})
}

// constraint returns the plan's constraint; nil if sampling is free.
func (p *planned) constraint() (*grammar.Constraint, error) {
	if err := p.plan.Unconstrained(); err != nil {
		return nil, fmt.Errorf("its constraint cannot be built: %w", err)
	}
	return p.plan.Constraint, nil
}

func (x *examination) casesHold(ctx context.Context) error {
	var found faults
	for _, c := range x.golden {
		found.add("case "+c.ID, replay(ctx, x.handler, c))
	}
	return found.join()
}

func (x *examination) grammarsAccept(ctx context.Context) error {
	var found faults
	for _, c := range x.golden {
		if err := accepted(ctx, x.handler, c); !answered(err) {
			found.add("case "+c.ID, err)
		}
	}
	return found.join()
}

// accepted checks that a constraint accepts the output of a case, if the case has reference.constrained. Cases of broken output do
// not have it.
func accepted(ctx context.Context, h handler.Handler, c *cases.Case) error {
	p, err := planFor(ctx, h, c)
	if err != nil {
		return err
	}
	constraint, err := p.constrained()
	if err != nil || constraint == nil || c.Reference == nil || !c.Reference.Constrained {
		return err
	}
	m, from, fired := constraint.try(c.Output)
	switch {
	case !fired:
		return fmt.Errorf("no trigger fires; the triggers are %+v", constraint.Triggers)
	case m.Status == grammar.Refused || m.Status == grammar.Incomplete && !c.Partial:
		return fmt.Errorf("the constraint does not accept the output: %v at byte %d of %q, expected %q", m.Status, m.Offset-from, c.Output[from:], m.Expected)
	}
	return nil
}

const (
	garbagePerRequest = 12
	garbageLength     = 200
)

func (x *examination) garbageIsRead(ctx context.Context) error {
	var outputs []string
	for _, c := range x.golden {
		outputs = append(outputs, c.Output)
	}
	random := rand.New(rand.NewPCG(1, 2))
	return x.eachPlan(ctx, func(_ shown, p *planned) error {
		for range garbagePerRequest {
			if err := p.reads(ctx, garbage(random, outputs)); err != nil {
				return err
			}
		}
		return nil
	})
}

// garbage returns a mixture of pieces of outputs and arbitrary bytes.
func garbage(random *rand.Rand, outputs []string) string {
	var out []byte
	for n := random.IntN(garbageLength); len(out) < n; {
		if len(outputs) == 0 || random.IntN(3) == 0 {
			out = append(out, byte(random.IntN(256)))
			continue
		}
		text := outputs[random.IntN(len(outputs))]
		from := random.IntN(len(text) + 1)
		out = append(out, text[from:min(len(text), from+random.IntN(40))]...)
	}
	return string(out)
}

// reads checks that an output is parsed to its end, every byte once, and the same however it is cut.
func (p *planned) reads(ctx context.Context, output string) error {
	whole, err := p.parse(ctx, slices.Values([][]byte{[]byte(output)}))
	if err != nil {
		return fmt.Errorf("output %q: %w", output, err)
	}
	if !p.streams() {
		at := 0
		for _, s := range whole.report.Spans {
			if s.Start != at {
				return fmt.Errorf("output %q: byte %d is in no span, or in two", output, at)
			}
			at = s.End
		}
		if at != len(p.plan.GenerationPrompt)+len(output) {
			return fmt.Errorf("output %q: the bytes from %d on are in no span", output, at)
		}
	}
	for _, cut := range cases.Cuts(2, 3)[1:] {
		if err := p.sameAs(ctx, whole, cut.Name, slices.Collect(cut.Pieces([]byte(output)))); err != nil {
			return fmt.Errorf("output %q: %w", output, err)
		}
	}
	return nil
}
