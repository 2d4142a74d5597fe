package autoparser

import (
	"context"
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
	rendered, err := l.Render(ctx, req)
	if err != nil {
		return nil, err
	}
	assembled := assemble.Assemble(assemble.Input{
		Dialect: l.Dialect, Request: req,
		GenerationPrompt: rendered.GenerationPrompt, TemplatePrompt: rendered.TemplatePrompt,
	})
	return &handler.Plan{
		Request:          req,
		Program:          assembled.Program,
		Grammar:          assembled.Grammar,
		PreservedTokens:  l.Dialect.PreservedTokens(),
		Stops:            l.Dialect.Stop,
		SupportsThinking: l.Dialect.Reasoning.Mode != dialect.ReasoningNone,
		ThinkingStart:    l.thinkingStart(),
		ThinkingEnds:     assembled.ThinkingEnds,
		Delimiters:       l.Delimiters(),
		Notes:            assembled.Notes,
		Prompt:           rendered.Prompt,
		GenerationPrompt: rendered.GenerationPrompt,
		ReasoningState:   assembled.State,
	}, nil
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
