package api

import (
	"context"
	"sync/atomic"

	"github.com/dragoman-project/dragoman/host"
	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/dragoman-project/dragoman/sdk/grammar"
	dragomanv1 "github.com/dragoman-project/dragoman/sdk/proto/dragoman/v1"
	"github.com/dragoman-project/dragoman/sdk/proto/dragoman/v1/dragomanv1connect"
	"github.com/dragoman-project/dragoman/sdk/session"
)

// chatService is dragoman.v1.ChatService.
type chatService struct {
	host     *host.Host
	sessions *atomic.Int64 // outputs being parsed
	faults   faults
	ending   context.Context // until the server shuts down
	workers  workers         // for outputs that share a stream
}

var _ dragomanv1connect.ChatServiceHandler = (*chatService)(nil)

// Render renders the prompt of a request.
func (s *chatService) Render(ctx context.Context, m *dragomanv1.RenderRequest) (*dragomanv1.RenderResponse, error) {
	recordOf(ctx).noteTemplate(m.Template)
	text, err := chatRequest(m.Request)
	if err != nil {
		return nil, err
	}
	req, err := chat.ParseRequest(text)
	if err != nil {
		return nil, err
	}
	r, err := s.host.Render(ctx, m.Template, req)
	if err != nil {
		return nil, err
	}
	return &dragomanv1.RenderResponse{Prompt: r.Prompt, GenerationPrompt: r.GenerationPrompt}, nil
}

// Plan gives what an engine needs for a request.
func (s *chatService) Plan(ctx context.Context, m *dragomanv1.PlanRequest) (*dragomanv1.PlanResponse, error) {
	target, err := host.ParseTarget(m.Target)
	if err != nil {
		return nil, err
	}
	p, err := s.plan(ctx, m.Template, m.Request)
	if err != nil {
		return nil, err
	}
	if p, err = p.In(target); err != nil {
		return nil, err
	}
	return planResponse(p, target), nil
}

// Parse turns a whole output into a message.
func (s *chatService) Parse(ctx context.Context, m *dragomanv1.ParseRequest) (*dragomanv1.ParseResponse, error) {
	planned, err := s.plan(ctx, m.Template, m.Request)
	if err != nil {
		return nil, err
	}
	text := m.GetData()
	if t, ok := m.Output.(*dragomanv1.ParseRequest_Text); ok {
		text = []byte(t.Text)
	}
	special, err := ranges(m.Special, len(text), m.Options.GetSpecialKnown())
	if err != nil {
		return nil, err
	}
	session := planned.Session(ctx, sessionOptions(m.Options))
	defer session.Close()
	if _, err := session.FeedSpecial(text, special); err != nil {
		return nil, err
	}
	result, err := session.Finish(m.Truncated)
	recordOf(ctx).noteReport(result.Report)
	if err != nil {
		return nil, err
	}
	return parsed(result)
}

// plan plans a chat request for a template.
func (s *chatService) plan(ctx context.Context, template string, request *dragomanv1.Json) (*host.Planned, error) {
	rec := recordOf(ctx)
	rec.noteTemplate(template)
	text, err := chatRequest(request)
	if err != nil {
		return nil, err
	}
	planned, err := s.host.PlanJSON(ctx, template, text)
	if err == nil {
		rec.handler = planned.Handler
	}
	return planned, err
}

// chatRequest is the text of a chat request.
func chatRequest(j *dragomanv1.Json) ([]byte, error) {
	if j == nil {
		return nil, invalid("request", "there is no chat request", `send "request": {"messages": [{"role": "user", "content": "Hello"}]}`)
	}
	return []byte(j.Text), nil
}

func sessionOptions(o *dragomanv1.ParseOptions) session.Options {
	return session.Options{IDSeed: o.GetIdSeed(), NoIDs: o.GetNoIds()}
}

func planResponse(p *host.Planned, target grammar.Target) *dragomanv1.PlanResponse {
	out := &dragomanv1.PlanResponse{
		Prompt:           p.Plan.Prompt,
		GenerationPrompt: p.Plan.GenerationPrompt,
		PreservedTokens:  p.Plan.PreservedTokens,
		Stops:            p.Plan.Stops,
		SupportsThinking: p.Plan.SupportsThinking,
		ThinkingStart:    p.Plan.ThinkingStart,
		ThinkingEnds:     p.Plan.ThinkingEnds,
		ReasoningState:   string(p.Plan.ReasoningState),
		Notes:            p.Plan.Notes,
		Handler:          p.Handler,
		Generation:       p.Generation,
		Constraint:       constraint(p.Plan, target),
	}
	for _, d := range p.Plan.Delimiters {
		out.Delimiters = append(out.Delimiters, &dragomanv1.Delimiter{Role: d.Role, Delimiter: d.Delimiter})
	}
	return out
}

func constraint(p *session.Plan, target grammar.Target) *dragomanv1.Constraint {
	c := p.Constraint
	if c == nil {
		return nil
	}
	out := &dragomanv1.Constraint{Grammar: c.Grammar, Lazy: &c.Lazy, Notes: c.Notes, Target: string(target), Content: c.Content}
	for _, t := range c.Triggers {
		out.Triggers = append(out.Triggers, &dragomanv1.Trigger{Type: string(t.Type), Value: t.Value})
	}
	return out
}

func parsed(r session.Result) (*dragomanv1.ParseResponse, error) {
	message, err := r.Message.MarshalJSON() // json.Marshal would escape what models write as markup
	if err != nil {
		return nil, err
	}
	return &dragomanv1.ParseResponse{
		Message:      &dragomanv1.Json{Text: string(message)},
		FinishReason: string(r.FinishReason),
		Report:       report(r.Report),
	}, nil
}

func report(r *chat.Report) *dragomanv1.Report {
	out := &dragomanv1.Report{
		Status:       string(r.Status),
		Length:       uint32(r.Length),
		PromptLength: uint32(r.PromptLength),
		UnknownTools: r.UnknownTools,
		Notes:        r.Notes,
		MaxHeld:      uint32(r.MaxHeld),
	}
	for _, s := range r.Spans {
		start := uint32(s.Start)
		out.Spans = append(out.Spans, &dragomanv1.Span{Region: string(s.Region), Start: &start, End: uint32(s.End)})
	}
	for _, m := range r.MissingMarkers {
		at := uint32(m.At)
		out.MissingMarkers = append(out.MissingMarkers, &dragomanv1.MissingMarker{Marker: m.Marker, At: &at, Count: uint32(m.Count)})
	}
	for _, f := range r.Faults {
		at, farthest := uint32(f.At), uint32(f.Farthest)
		out.Faults = append(out.Faults, &dragomanv1.Fault{At: &at, Farthest: &farthest, Message: f.Message})
	}
	return out
}
