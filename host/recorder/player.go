package recorder

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"google.golang.org/protobuf/proto"

	"github.com/dragoman-project/dragoman/internal/cache"
	"github.com/dragoman-project/dragoman/internal/wire"
	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/dragoman-project/dragoman/sdk/fault"
	"github.com/dragoman-project/dragoman/sdk/handler"
	"github.com/dragoman-project/dragoman/sdk/peg"
	"github.com/dragoman-project/dragoman/sdk/peg/match"
	pb "github.com/dragoman-project/dragoman/sdk/proto/dragoman/plugin/v1"
	"github.com/dragoman-project/dragoman/sdk/session"
)

// Player plays recordings under the plans that were recorded. Programs are decoded and compiled once. It is safe for concurrent use.
type Player struct {
	programs cache.Cache[cache.Key, *peg.Program]
	codes    *match.Cache
}

// playerBytes bounds the compiled programs of a player.
const playerBytes = 64 << 20

// NewPlayer returns a player.
func NewPlayer() *Player { return &Player{codes: match.NewCache(playerBytes)} }

// ErrStream is the error for a recording without a program.
var ErrStream = errors.New("the process of a plugin parsed this output; there is no program to run again")

// ChatRequest returns the request, as far as it is not redacted, at the time that the template saw.
func (r *Recording) ChatRequest() (*chat.Request, error) {
	req, err := chat.ParseRequest(r.Request)
	if err != nil {
		return nil, fmt.Errorf("recording %s: its request cannot be read: %w", r.ID, err)
	}
	if req.Now = r.Now; r.Now.IsZero() {
		req.Now = r.At
	}
	return req, nil
}

// Plan returns the plan that was recorded, without a constraint.
func (p *Player) Plan(ctx context.Context, r *Recording) (*session.Plan, error) {
	if r.Parser.Stream {
		return nil, ErrStream
	}
	program, err := p.program(r)
	if err != nil {
		return nil, err
	}
	req, err := r.ChatRequest()
	if err != nil {
		return nil, err
	}
	specials := r.Parser.Specials
	if specials == nil {
		specials = []string{} // known, and none
	}
	draft := &session.Draft{Handler: r.Handler, Prompt: r.PromptTail + r.GenerationPrompt, GenerationPrompt: r.GenerationPrompt, Plan: handler.Plan{
		Request: req, Program: program, PreservedTokens: r.Parser.PreservedTokens,
		SupportsThinking: r.Parser.SupportsThinking, ThinkingStart: r.Parser.ThinkingStart, ThinkingEnds: r.Parser.ThinkingEnds,
	}}
	return session.New(ctx, draft, req, session.PlanOptions{SpecialTokens: r.Source.SpecialTokens, Specials: specials, Codes: p.codes, ParseOnly: true})
}

func (p *Player) program(r *Recording) (*peg.Program, error) {
	return p.programs.Get(cache.KeyOf(r.Program), func() (*peg.Program, int, error) {
		var m pb.Program
		if err := proto.Unmarshal(r.Program, &m); err != nil {
			return nil, 0, fmt.Errorf("recording %s: its program cannot be read: %w", r.ID, err)
		}
		program, err := wire.DecodeProgram(&m)
		if err != nil {
			return nil, 0, fmt.Errorf("recording %s: %w", r.ID, err)
		}
		return program.Sealed(), program.Size(), nil
	})
}

// Play parses a recorded output in the pieces that it came in.
func Play(ctx context.Context, r *Recording, plan *session.Plan, o session.Options) (*session.Session, session.Result, error) {
	s := plan.Session(ctx, o)
	var pieces []chat.Piece
	for p, text := range r.Each() {
		var err error
		if pieces, err = s.Append(pieces[:0], text, p.Special); err != nil {
			return s, session.Result{}, err
		}
	}
	result, err := s.Finish(r.Limited)
	var refused *fault.Error
	if errors.As(err, &refused) && refused.Code == fault.OutputRefused {
		err = nil // by a policy of the request, with the result beside it
	}
	return s, result, err
}

// Claim is a run of bytes that one rule of a program read as one region.
type Claim struct {
	Region chat.Region `json:"region"`
	Start  int         `json:"start"` // offsets into generation prompt + output, End exclusive
	End    int         `json:"end"`
	Rule   string      `json:"rule,omitempty"` // the innermost rule that read them; empty: none did
	Node   string      `json:"node,omitempty"` // the node of the rule, as programs are printed
	Text   string      `json:"text"`           // the bytes; what is not UTF-8 is replaced
}

// Explanation is who reads what of an output.
type Explanation struct {
	Summary Summary      `json:"recording"`
	Claims  []Claim      `json:"claims"`
	Report  *chat.Report `json:"report"`
	Message chat.Message `json:"message"`
	Program []string     `json:"program,omitempty"` // for people, a rule a line
}

// Explain explains each byte of a recording under a plan.
func Explain(ctx context.Context, r *Recording, plan *session.Plan) (*Explanation, error) {
	if plan.Program == nil {
		return nil, ErrStream
	}
	s, result, err := Play(ctx, r, plan, session.Options{NoIDs: true, Claims: true})
	if err != nil {
		return nil, err
	}
	text := plan.GenerationPrompt + string(r.Output)
	return &Explanation{
		Summary: r.Summary, Report: result.Report, Message: result.Message, Program: strings.Split(strings.TrimSpace(plan.Program.String()), "\n"),
		Claims: claims(text, result.Report.Spans, s.Claims()),
	}, nil
}

// claims cuts spans where another node reads on.
func claims(text string, spans []chat.Span, by []match.Claim) (all []Claim) {
	add := func(region chat.Region, start, end int, c match.Claim) {
		if start < end {
			all = append(all, Claim{Region: region, Start: start, End: end, Rule: c.Rule, Node: c.Node, Text: strings.ToValidUTF8(text[start:end], "\uFFFD")})
		}
	}
	for _, s := range spans {
		at := s.Start
		for len(by) > 0 && by[0].Start < s.End {
			c := by[0]
			add(s.Region, at, max(at, c.Start), match.Claim{})
			add(s.Region, max(at, c.Start), min(c.End, s.End), c)
			at = max(at, min(c.End, s.End))
			if c.End > s.End {
				break // it goes on in the next span
			}
			by = by[1:]
		}
		add(s.Region, at, s.End, match.Claim{})
	}
	return all
}
