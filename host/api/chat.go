package api

import (
	"context"
	"sync/atomic"

	"github.com/dragoman-project/dragoman/host"
	"github.com/dragoman-project/dragoman/internal/wire/chatapi"
	"github.com/dragoman-project/dragoman/sdk/chat"
	dragomanv1 "github.com/dragoman-project/dragoman/sdk/proto/dragoman/v1"
	"github.com/dragoman-project/dragoman/sdk/proto/dragoman/v1/dragomanv1connect"
	"github.com/dragoman-project/dragoman/sdk/session"
	"github.com/dragoman-project/dragoman/sdk/tokenizer"
)

// chatService implements dragoman.v1.ChatService.
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

// Plan returns what an engine needs for a request.
func (s *chatService) Plan(ctx context.Context, m *dragomanv1.PlanRequest) (*dragomanv1.PlanResponse, error) {
	target, err := host.ParseTarget(m.Target)
	if err != nil {
		return nil, err
	}
	p, err := s.plan(ctx, m.Template, m.Request)
	if err != nil {
		return nil, err
	}
	if p, err = p.In(ctx, target); err != nil {
		return nil, err
	}
	return chatapi.EncodePlan(p.Plan, target), nil
}

// Parse parses a whole output.
func (s *chatService) Parse(ctx context.Context, m *dragomanv1.ParseRequest) (*dragomanv1.ParseResponse, error) {
	planned, err := s.plan(ctx, m.Template, m.Request)
	if err != nil {
		return nil, err
	}
	session, tokens, err := sessionOf(ctx, ctx, planned, m.Options, len(m.Ids) > 0 || m.Options.GetTokenIds())
	if err != nil {
		return nil, err
	}
	defer session.Close()
	if err := feedWhole(session, tokens, m); err != nil {
		return nil, err
	}
	result, err := session.Finish(m.Truncated)
	recordOf(ctx).noteReport(result.Report)
	if err != nil {
		return nil, err
	}
	return chatapi.EncodeResult(result)
}

// feedWhole feeds an output to a session, of token ids if tokens is not nil.
func feedWhole(session *host.Session, tokens *tokenizer.Tokenizer, m *dragomanv1.ParseRequest) error {
	if tokens != nil {
		if m.Output != nil || len(m.Special) > 0 {
			return invalid("ids", "excludes another field that is set", "send the output as ids, as text, or as data")
		}
		if err := tokens.Check("ids", m.Ids); err != nil {
			return err
		}
		_, err := session.AppendIDs(nil, m.Ids...)
		return err
	}
	text := m.GetData()
	if t, ok := m.Output.(*dragomanv1.ParseRequest_Text); ok {
		text = []byte(t.Text)
	}
	special, err := chatapi.DecodeRanges(m.Special, len(text), m.Options.GetSpecialKnown())
	if err != nil {
		return err
	}
	_, err = session.FeedSpecial(text, special)
	return err
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

// chatRequest returns the JSON of a chat request.
func chatRequest(j *dragomanv1.Json) ([]byte, error) {
	if j == nil {
		return nil, invalid("request", "missing chat request", `send "request": {"messages": [{"role": "user", "content": "Hello"}]}`)
	}
	return []byte(j.Text), nil
}

// sessionOf starts a session of a plan, of token ids if ids is set: then it waits for the model's tokenizer until soon has ended.
func sessionOf(soon, ctx context.Context, planned *host.Planned, o *dragomanv1.ParseOptions, ids bool) (*host.Session, *tokenizer.Tokenizer, error) {
	if !ids {
		return planned.Session(ctx, sessionOptions(o)), nil, nil
	}
	t, err := planned.Tokenizer(soon)
	if err != nil {
		return nil, nil, err
	}
	s, err := planned.TokenSession(ctx, t, sessionOptions(o))
	return s, t, err
}

func sessionOptions(o *dragomanv1.ParseOptions) session.Options {
	return session.Options{IDSeed: o.GetIdSeed(), NoIDs: o.GetNoIds(), NoMessage: o.GetDeliveredOnly(), NoSpans: o.GetDeliveredOnly()}
}
