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
)

// HandlerName is the name of the generic path among handlers.
const HandlerName = "autoparser"

// Plan answers a request: prompt, program, and what an engine is told beside it. The constraint is left to the host, which
// makes it of every handler's program alike. The error is that of rendering.
func (l *Learned) Plan(ctx context.Context, req *chat.Request) (*handler.Plan, error) {
	return l.PlanWith(ctx, req, new(assemble.Cache))
}

// PlanWith is Plan, with programs that were made before.
func (l *Learned) PlanWith(ctx context.Context, req *chat.Request, made *assemble.Cache) (*handler.Plan, error) {
	rendered, err := l.Render(ctx, req)
	if err != nil {
		return nil, err
	}
	assembled := made.Assemble(assemble.Input{
		Dialect: l.begun(rendered), Request: req,
		GenerationPrompt: rendered.GenerationPrompt, TemplatePrompt: rendered.TemplatePrompt,
	})
	return &handler.Plan{
		Request:          req,
		Program:          assembled.Program,
		Grammar:          assembled.Grammar,
		PreservedTokens:  l.Dialect.PreservedTokens(),
		Stops:            l.stops(),
		SupportsThinking: l.Dialect.Reasoning.Mode != dialect.ReasoningNone,
		ThinkingStart:    l.thinkingStart(),
		ThinkingEnds:     slices.Clone(assembled.ThinkingEnds),
		Delimiters:       l.Delimiters(),
		Notes:            slices.Concat(assembled.Notes, l.untold(req)),
		Prompt:           rendered.Prompt,
		GenerationPrompt: rendered.GenerationPrompt,
		ReasoningState:   assembled.State,
	}, nil
}

// begun is the dialect behind a prompt. One that ends in open reasoning, which its template writes whether it is asked to or
// not, has no generation prompt in which that could be seen: then reasoning needs no opening. The token that ends a text ends the
// turn, too, though the template may not write it.
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

// untold notes what of a request the template does not tell the model: its tools, and the calls of earlier answers.
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

// stops are those of the dialect, and an end of turn that is the closing tag of an element: hardly a tokenizer has such a text
// as the token at which generation ends.
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

// Delimiters are the texts that start messages, as far as they are known.
func (l *Learned) Delimiters() []handler.Delimiter {
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
