package autoparser

import (
	"context"
	"regexp"
	"slices"
	"strings"

	"github.com/dragoman-project/dragoman/autoparser/assemble"
	"github.com/dragoman-project/dragoman/autoparser/dialect"
	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/dragoman-project/dragoman/sdk/handler"
	"github.com/dragoman-project/dragoman/sdk/session"
)

// HandlerName is the name of the generic path among handlers.
const HandlerName = "autoparser"

// Plan plans a request with a program assembled from the dialect. Errors come from rendering.
func (l *Learned) Plan(ctx context.Context, req *chat.Request) (*session.Draft, error) {
	return l.PlanWith(ctx, req, nil)
}

// PlanWith is Plan with a cache.
func (l *Learned) PlanWith(ctx context.Context, req *chat.Request, cache *Cache) (*session.Draft, error) {
	ctx = requested(ctx, req)
	read, unproven, err := l.speech(req)
	if err != nil {
		return nil, err
	}
	rendered, err := l.RenderWith(ctx, req, cache)
	if err != nil {
		return nil, err
	}
	assembled := cache.assemble(assemble.Input{
		Dialect: l.begun(rendered), Request: read,
		GenerationPrompt: rendered.GenerationPrompt, TemplatePrompt: rendered.TemplatePrompt,
	})
	d := &session.Draft{
		Plan: handler.Plan{
			Request:          req,
			Program:          assembled.Program,
			Grammar:          assembled.Grammar,
			PreservedTokens:  l.Dialect.PreservedTokens(),
			Stops:            l.stops(),
			SupportsThinking: l.Dialect.Reasoning.Mode != dialect.ReasoningNone,
			ThinkingStart:    l.thinkingStart(),
			ThinkingEnds:     slices.Clone(assembled.ThinkingEnds),
			Delimiters:       l.delimiters(),
			Notes:            slices.Concat(assembled.Notes, unproven, l.untold(req)),
		},
		Handler: HandlerName,
		Prompt:  rendered.Prompt,
		Render: func(ctx context.Context, req *chat.Request) (string, error) {
			again, err := l.RenderWith(requested(ctx, req), req, cache)
			return again.Prompt, err
		},
		GenerationPrompt: rendered.GenerationPrompt,
		ReasoningState:   assembled.State,
	}
	if d.GenerationPrompt == "" && d.ReasoningState == handler.ReasoningIdle {
		d.ReasoningState = reasoningState(d)
	}
	l.noteLosses(ctx, d, cache)
	return d, nil
}

// PlanBy has another handler plan a request, and completes its plan: it renders the prompt of the request in the plan, binds
// the program to the generation prompt, and fills in what the handler left empty. Errors come from the handler or from
// rendering. The cache may be nil.
func (l *Learned) PlanBy(ctx context.Context, by handler.Handler, req *chat.Request, cache *Cache) (*session.Draft, error) {
	t := l.Template
	plan, err := by.Plan(ctx, handler.Input{
		Template: handler.Template{Name: t.Name, Source: t.Source, BOSToken: t.BOS, EOSToken: t.EOS},
		Request:  req,
	})
	if err != nil {
		return nil, err
	}
	d := &session.Draft{Plan: *plan, Handler: by.Describe().Name}
	d.Streams, _ = by.(handler.StreamHandler)
	d.Render = func(ctx context.Context, req *chat.Request) (string, error) {
		again, err := l.PlanBy(ctx, by, req, cache)
		if err != nil {
			return "", err
		}
		return again.Prompt, nil
	}
	return d, l.complete(ctx, d, req, cache)
}

// complete renders the prompt of another handler's plan for req.
func (l *Learned) complete(ctx context.Context, d *session.Draft, req *chat.Request, cache *Cache) error {
	if d.Request == nil {
		d.Request = req
	}
	ctx = requested(ctx, req)
	rendered, err := l.RenderWith(ctx, d.Request, cache)
	if err != nil {
		return err
	}
	d.Prompt, d.GenerationPrompt = d.Continue(rendered.Prompt), d.Continue(rendered.GenerationPrompt)
	if d.Program != nil {
		d.Program = cache.bind(d.Program, rendered.TemplatePrompt)
	}
	if d.Delimiters == nil {
		d.Delimiters = l.delimiters()
	}
	d.ReasoningState = reasoningState(d)
	l.noteLosses(ctx, d, cache)
	return nil
}

// noteLosses notes where the prompt misrepresents the request.
func (l *Learned) noteLosses(ctx context.Context, d *session.Draft, cache *Cache) {
	d.Notes = slices.Concat(d.Notes, l.Template.Dial.lacks(d.Request, d.SupportsThinking),
		l.spelled(d.Request.Messages, d.PreservedTokens), l.leftOut(ctx, d.Request, d.Prompt, cache))
}

// reasoningState returns whether the generation prompt opened reasoning, and whether it closed it, perhaps without opening it.
// Where the template always writes the same end of the prompt, the last marker of the prompt decides.
func reasoningState(d *session.Draft) handler.ReasoningState {
	start, text := strings.TrimSpace(d.ThinkingStart), d.GenerationPrompt
	if text == "" {
		text = lastMarker(d.Prompt, start, d.ThinkingEnds)
	}
	opened := start != "" && strings.Contains(text, start)
	if opened {
		_, text, _ = strings.Cut(text, start)
	}
	switch {
	case start != "" && slices.ContainsFunc(d.ThinkingEnds, func(end string) bool { return !blank(end) && strings.Contains(text, strings.TrimSpace(end)) }):
		return handler.ReasoningClosed
	case opened:
		return handler.ReasoningOpen
	}
	return handler.ReasoningIdle
}

// lastMarker returns the marker of reasoning that ends a prompt, or "".
func lastMarker(prompt, start string, ends []string) string {
	prompt = strings.TrimSpace(prompt)
	for _, marker := range append([]string{start}, ends...) {
		if marker = strings.TrimSpace(marker); marker != "" && strings.HasSuffix(prompt, marker) {
			return marker
		}
	}
	return ""
}

// begun returns the dialect of the output after a prompt. If the template always ends prompts in open reasoning, the generation
// prompt does not show that, and the output does not open reasoning. The EOS token ends a turn, too, even if the template does
// not write it.
func (l *Learned) begun(r Rendered) dialect.Dialect {
	d := l.Dialect
	if eos := strings.TrimSpace(l.Template.EOS); eos != "" && eos != d.EndOfTurn && eos != d.EndOfCalls && !slices.Contains(d.Stop, eos) {
		d.Stop = append(slices.Clone(d.Stop), eos)
	}
	start := strings.TrimSpace(d.Reasoning.Start)
	if r.GenerationPrompt == "" && start != "" && strings.HasSuffix(strings.TrimSpace(r.Prompt), start) {
		d.Reasoning.Start = ""
	}
	return d
}

// untold notes if the template renders neither the tools of a request nor the calls of earlier answers.
func (l *Learned) untold(req *chat.Request) []string {
	var notes []string
	can := l.Template.Capabilities
	if len(req.Tools) > 0 && req.ToolChoice.Mode != chat.ToolNone && !can.Tools {
		notes = append(notes, "the template does not render tools: the model knows of those of the request only what its messages say")
	}
	if !can.ToolCalls && slices.ContainsFunc(req.Messages, func(m chat.Message) bool { return len(m.ToolCalls) > 0 }) {
		notes = append(notes, "the template does not render calls: the prompt leaves out those of earlier answers")
	}
	return notes
}

// closingTag is a closing tag alone.
var closingTag = regexp.MustCompile(`^</\w{2,}>$`)

// stops returns the stops of the dialect, and the end of turn if that is a closing tag: few tokenizers have such a text as
// a token that ends generation.
func (l *Learned) stops() []string {
	stops := slices.Clone(l.Dialect.Stop)
	end := strings.TrimSpace(l.Dialect.EndOfTurn)
	if closingTag.MatchString(end) && end != l.Template.EOS && !slices.Contains(stops, end) {
		stops = append(stops, end)
	}
	return stops
}

func (l *Learned) thinkingStart() string {
	if l.Dialect.Reasoning.Mode == dialect.ReasoningNone {
		return ""
	}
	return strings.TrimSpace(l.Dialect.Reasoning.Start)
}

// delimiters returns the known texts that start messages.
func (l *Learned) delimiters() []handler.Delimiter {
	var out []handler.Delimiter
	for _, d := range []handler.Delimiter{
		{Role: chat.RoleUser, Delimiter: l.Dialect.UserStart},
		{Role: chat.RoleAssistant, Delimiter: l.Dialect.AssistantStart},
	} {
		if d.Delimiter != "" {
			out = append(out, d)
		}
	}
	return out
}
