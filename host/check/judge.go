package check

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"reflect"
	"slices"
	"strings"

	"github.com/dragoman-project/dragoman/sdk/cases"
	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/dragoman-project/dragoman/sdk/grammar"
	"github.com/dragoman-project/dragoman/sdk/handler"
	"github.com/dragoman-project/dragoman/sdk/session"
)

// judge runs one case. All errors are in the result.
func (r *runner) judge(ctx context.Context, c *cases.Case, result *Result) {
	defer func() {
		if fault := recover(); fault != nil {
			result.fail(fmt.Sprintf("internal error, please report it: %v", fault))
		}
	}()
	switch c.Kind {
	case cases.Parse:
		r.judgeParse(ctx, c, result)
	case cases.Plan:
		r.judgePlan(ctx, c, result)
	case cases.Template:
		r.judgeTemplate(ctx, c, result)
	}
}

func templateOf(c *cases.Case) Template {
	return Template{Name: c.Template, BOSToken: c.BOSToken, EOSToken: c.EOSToken, Handler: c.Handler}
}

// plan plans the case's request.
func (r *runner) plan(ctx context.Context, c *cases.Case, result *Result) (Planned, *chat.Request, error) {
	req, err := c.ChatRequest()
	if err != nil {
		return nil, nil, fmt.Errorf("request: %w", err)
	}
	planned, err := r.subject.Plan(ctx, templateOf(c), req)
	if err != nil {
		return nil, req, fmt.Errorf("no plan: %w", err)
	}
	result.Plan = planned.Plan()
	return planned, req, nil
}

func (r *runner) judgeParse(ctx context.Context, c *cases.Case, result *Result) {
	planned, req, err := r.plan(ctx, c, result)
	if err != nil {
		result.fail(err.Error())
		return
	}
	message, ok := r.parse(ctx, planned, c, result)
	if !ok {
		return
	}
	result.fail(cases.Compare(*c.Expect, *result.Actual))
	result.fail(judgeConstraint(c, planned.Plan()))
	if c.Reconstruct {
		result.fail(r.reconstruct(ctx, c, req, planned.Plan(), message))
	}
}

// parse parses the output at every cut. All results must equal the first.
func (r *runner) parse(ctx context.Context, planned Planned, c *cases.Case, result *Result) (whole chat.Message, ok bool) {
	for i, cut := range cases.Cuts(r.Splits, r.Seed) {
		message, report, err := planned.Parse(while(ctx, cut.Pieces([]byte(c.Output))), c.Partial)
		if err = cmp.Or(ctx.Err(), err); err != nil {
			result.fail(fmt.Sprintf("%s: %v", cut.Name, err))
			return whole, false
		}
		if i == 0 {
			actual := cases.MessageOf(message)
			whole, result.Actual, result.Report = message, &actual, report
			continue
		}
		if why := sameOutcome(*result.Actual, cases.MessageOf(message), result.Report, report); why != "" {
			result.fail(fmt.Sprintf("%s: the outcome differs from that of the whole output\n%s", cut.Name, why))
			break
		}
	}
	return whole, true
}

// while yields pieces until ctx ends, since megabytes take long byte by byte.
func while(ctx context.Context, pieces iter.Seq[[]byte]) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		for p := range pieces {
			if ctx.Err() != nil || !yield(p) {
				return
			}
		}
	}
}

// sameOutcome returns how the outcomes of two cuts of one output differ; empty if they do not.
func sameOutcome(whole, message cases.Message, wholeReport, report *chat.Report) string {
	var why []string
	if !reflect.DeepEqual(whole, message) {
		why = append(why, "expected "+quote(whole), "found    "+quote(message))
	}
	a, b := *wholeReport, *report
	a.MaxHeld, b.MaxHeld = 0, 0 // how much is held depends on the cut
	if !reflect.DeepEqual(a, b) {
		why = append(why, fmt.Sprintf("expected the report %+v\nfound    the report %+v", a, b))
	}
	return strings.Join(why, "\n")
}

func quote(m cases.Message) string {
	return fmt.Sprintf("content %q, reasoning %q, calls %q", m.Content, m.ReasoningContent, m.ToolCalls)
}

// judgeConstraint checks that there is a constraint if the reference has one, that it begins before the calls, and that it accepts
// the output.
func judgeConstraint(c *cases.Case, plan *session.Plan) string {
	switch {
	case c.Reference == nil || !c.Reference.Constrained:
		return ""
	case plan.Constraint == nil:
		return "constraint: the reference constrains this output, the plan does not"
	}
	start := 0
	if plan.Constraint.Lazy {
		start = reasoned(plan, c.Output)
		at, fired := grammar.FindTrigger(c.Output[start:], plan.Constraint.Triggers)
		switch {
		case !fired && len(c.Expect.ToolCalls) > 0:
			return fmt.Sprintf("constraint: no trigger fires in an output with calls; the triggers are %+v", plan.Constraint.Triggers)
		case !fired:
			return ""
		}
		start += at
	}
	if c.Partial {
		return ""
	}
	return acceptedBy(plan.Constraint.Grammar, c.Output[start:], start)
}

// reasoned returns where the reasoning of the output ends. Engines suspend a lazy grammar until then, so that the model may think
// about calls. If the end marker is missing, a call ended the reasoning.
func reasoned(plan *session.Plan, output string) int {
	begins := plan.ThinkingStart != "" && strings.HasPrefix(strings.TrimSpace(output), plan.ThinkingStart)
	if !begins && plan.ReasoningState != handler.ReasoningOpen {
		return 0
	}
	before := output
	for _, end := range plan.ThinkingEnds {
		before, _, _ = strings.Cut(before, end)
	}
	if before == output {
		return 0
	}
	return len(before)
}

func acceptedBy(source, text string, offset int) string {
	g, err := grammar.Parse(source)
	if err != nil {
		return fmt.Sprintf("constraint: invalid grammar: %v", err)
	}
	match := g.Match(text)
	switch match.Status {
	case grammar.Accepted:
		return ""
	case grammar.Incomplete:
		return fmt.Sprintf("constraint: the output ends too early for the grammar, which expects %s", strings.Join(match.Expected, " or "))
	}
	found := text[match.Offset:min(len(text), match.Offset+40)]
	return fmt.Sprintf("constraint: the grammar rejects the output at byte %d: expected %s, found %q",
		offset+match.Offset, strings.Join(match.Expected, " or "), found)
}

// reconstruct renders the conversation with the parsed message at its end.
func (r *runner) reconstruct(ctx context.Context, c *cases.Case, req *chat.Request, plan *session.Plan, message chat.Message) string {
	if message.Content.Text == nil && message.Content.Parts == nil {
		message.Content = chat.TextContent("")
	}
	again := *req
	again.Messages = slices.Clone(req.Messages)
	if req.ContinueFinalMessage != chat.ContinueNone {
		again.Messages = again.Messages[:len(again.Messages)-1] // the parsed message begins with it
	}
	again.Messages = append(again.Messages, message)
	again.AddGenerationPrompt, again.ContinueFinalMessage = false, chat.ContinueNone
	rendered, err := r.subject.Render(ctx, templateOf(c), &again)
	if err != nil {
		return fmt.Sprintf("reconstruct: the parsed message cannot be rendered: %v", err)
	}
	want := plan.Prompt + c.Output
	if strings.HasPrefix(rendered, want) {
		return ""
	}
	return cases.Difference("reconstruct: the rendered message", want, rendered[:min(len(rendered), len(want)+60)])
}

func (r *runner) judgePlan(ctx context.Context, c *cases.Case, result *Result) {
	planned, _, err := r.plan(ctx, c, result)
	switch {
	case err != nil && c.ReferenceError != "":
		result.remark("no plan, as in the reference: " + err.Error())
		return
	case err != nil:
		result.fail(err.Error())
		return
	case c.Reference == nil:
		return
	}
	want, got := c.Reference, planned.Plan()
	result.fail(cases.Difference("prompt", want.Prompt, got.Prompt))
	result.fail(cases.Difference("generation_prompt", want.GenerationPrompt, got.GenerationPrompt))
	if want.Constrained && got.Constraint == nil {
		result.fail("constraint: the reference constrains this output, the plan does not")
	}
	remarkPlan(result, want, got)
}

// remarkPlan remarks on differences that are no faults.
func remarkPlan(result *Result, want *cases.Reference, got *session.Plan) {
	if c := got.Constraint; c != nil {
		if !want.Constrained {
			result.remark("constraint: the plan has one, the reference has none")
		} else if want.Lazy != c.Lazy {
			result.remark(fmt.Sprintf("constraint: lazy is %t, in the reference %t", c.Lazy, want.Lazy))
		}
	}
	remarkList(result, "preserved_tokens", want.PreservedTokens, got.PreservedTokens)
	remarkList(result, "stops", want.Stops, got.Stops)
	remarkList(result, "thinking_ends", want.ThinkingEnds, got.ThinkingEnds)
	result.remark(cases.Difference("thinking_start", want.ThinkingStart, got.ThinkingStart))
}

// remarkList compares lists whose order does not matter.
func remarkList(result *Result, what string, want, got []string) {
	a, b := slices.Sorted(slices.Values(want)), slices.Sorted(slices.Values(got))
	if !slices.Equal(a, b) {
		result.remark(fmt.Sprintf("%s: %q, in the reference %q", what, b, a))
	}
}

func (r *runner) judgeTemplate(ctx context.Context, c *cases.Case, result *Result) {
	prompt, err := r.subject.RenderVariables(ctx, templateOf(c), c.Context, c.Now)
	if err == nil {
		result.Prompt = &prompt
	}
	switch {
	case c.Error != "" && err == nil:
		result.fail(fmt.Sprintf("prompt: expected the error %s\n  found    %q", c.Error, prompt[:min(len(prompt), 200)]))
	case c.Error != "":
		result.remark("fails as expected: " + err.Error())
	case err != nil:
		result.fail("no prompt: " + err.Error())
	default:
		result.fail(cases.Difference("prompt", c.Prompt, prompt))
	}
}
