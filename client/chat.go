package client

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"iter"

	"connectrpc.com/connect"

	"github.com/dragoman-project/dragoman/internal/wire/chatapi"
	"github.com/dragoman-project/dragoman/sdk/grammar"
	"github.com/dragoman-project/dragoman/sdk/peg/match"
	dragomanv1 "github.com/dragoman-project/dragoman/sdk/proto/dragoman/v1"
	"github.com/dragoman-project/dragoman/sdk/session"
)

// Option sets how an output is parsed and delivered.
type Option func(*dragomanv1.ParseOptions)

// IDSeed determines the ids of calls whose format has none: equal seeds give equal ids. Without it they are random.
func IDSeed(seed string) Option { return func(o *dragomanv1.ParseOptions) { o.IdSeed = seed } }

// NoIDs leaves the ids of calls whose format has none empty.
func NoIDs() Option { return func(o *dragomanv1.ParseOptions) { o.NoIds = true } }

// SpecialKnown states that SendSpecial lists all bytes that came from special tokens. Prose may then spell a marker.
func SpecialKnown() Option { return func(o *dragomanv1.ParseOptions) { o.SpecialKnown = true } }

// Deltas reduces chunks to what they add to the message, such as {"content":"text"}: a fraction of the bytes, for programs that
// write the rest of the chunk themselves.
func Deltas() Option { return func(o *dragomanv1.ParseOptions) { o.Deltas = true } }

// DeliveredOnly keeps nothing of what was delivered: the result has an empty message, and its report no spans. The daemon's memory
// for an output then does not depend on its length.
func DeliveredOnly() Option { return func(o *dragomanv1.ParseOptions) { o.DeliveredOnly = true } }

// TokenIDs states that the output comes as the token ids of the template's model: send it with SendIDs. See ParseOptions.token_ids.
func TokenIDs() Option { return func(o *dragomanv1.ParseOptions) { o.TokenIds = true } }

func parseOptions(options []Option) *dragomanv1.ParseOptions {
	out := new(dragomanv1.ParseOptions)
	for _, set := range options {
		set(out)
	}
	return out
}

// Plan plans a request for a template, with a constraint in GBNF. The request is a *chat.Request, or its JSON as a string, bytes
// or any value that marshals to it. The plan cannot parse outputs itself; use Parse or ParseStream.
func (c *Client) Plan(ctx context.Context, template string, request any) (*session.Plan, error) {
	return c.PlanFor(ctx, grammar.TargetGBNF, template, request)
}

// PlanFor is like Plan for an engine that takes constraints in another notation.
func (c *Client) PlanFor(ctx context.Context, target grammar.Target, template string, request any) (*session.Plan, error) {
	text, err := requestJSON(request)
	if err != nil {
		return nil, err
	}
	m, err := c.chats.Plan(ctx, &dragomanv1.PlanRequest{Template: template, Request: text, Target: string(target)})
	if err != nil {
		return nil, remoteError(err)
	}
	return chatapi.DecodePlan(m), nil
}

// Parse parses a whole output, without the prompt. The output need not be valid UTF-8.
func (c *Client) Parse(ctx context.Context, template string, request any, output string, options ...Option) (*session.Result, error) {
	text, err := requestJSON(request)
	if err != nil {
		return nil, err
	}
	m, err := c.chats.Parse(ctx, &dragomanv1.ParseRequest{Template: template, Request: text, Output: &dragomanv1.ParseRequest_Data{Data: []byte(output)},
		Options: parseOptions(options)})
	if err != nil {
		return nil, remoteError(err)
	}
	return chatapi.DecodeResult(m)
}

// ParseIDs is Parse of an output that is the token ids of the template's model. The report counts them.
func (c *Client) ParseIDs(ctx context.Context, template string, request any, ids []uint32, options ...Option) (*session.Result, error) {
	text, err := requestJSON(request)
	if err != nil {
		return nil, err
	}
	m, err := c.chats.Parse(ctx, &dragomanv1.ParseRequest{Template: template, Request: text, Ids: ids, Options: parseOptions(append(options, TokenIDs()))})
	if err != nil {
		return nil, remoteError(err)
	}
	return chatapi.DecodeResult(m)
}

// Stream parses an output while it arrives. One goroutine may send while another one receives.
type Stream struct {
	Sender
	receiving
	result *session.Result
	ids    *dragomanv1.IDRange // of the last chunk
}

// Sender sends an output to the daemon.
type Sender struct{ sending }

// sending is the connection to the daemon for one output.
type sending interface {
	// send returns io.EOF if the output has ended; the receiver gets the reason.
	send(*dragomanv1.ParseStreamRequest) error
	closeSend() error
}

// receiving is the connection from the daemon for one output.
type receiving interface {
	receive() (*dragomanv1.ParseStreamResponse, error)
	// close ends the output: nothing more is received.
	close()
}

// own is a stream with a single output.
type own struct {
	stream *connect.BidiStreamForClientSimple[dragomanv1.ParseStreamRequest, dragomanv1.ParseStreamResponse]
}

func (o own) send(m *dragomanv1.ParseStreamRequest) error       { return o.stream.Send(m) }
func (o own) closeSend() error                                  { return o.stream.CloseRequest() }
func (o own) receive() (*dragomanv1.ParseStreamResponse, error) { return o.stream.Receive() }
func (o own) close()                                            { _ = o.stream.CloseResponse() }

// ParseStream starts parsing an output. The stream must be read to its end, or ctx be cancelled.
func (c *Client) ParseStream(ctx context.Context, template string, request any, options ...Option) (*Stream, error) {
	start, err := parseStart(template, request, options)
	if err != nil {
		return nil, err
	}
	stream, err := c.chats.ParseStream(ctx)
	if err != nil {
		return nil, remoteError(err)
	}
	s := &Stream{Sender: Sender{own{stream}}, receiving: own{stream}}
	return s, s.send(start)
}

// parseStart returns the first message of an output.
func parseStart(template string, request any, options []Option) (*dragomanv1.ParseStreamRequest, error) {
	text, err := requestJSON(request)
	return &dragomanv1.ParseStreamRequest{Start: &dragomanv1.ParseStart{Template: template, Request: text, Options: parseOptions(options)}}, err
}

// Send sends the next piece of the output, cut anywhere. After an error, Chunks ends with the reason.
func (s Sender) Send(piece string) error {
	return s.send(&dragomanv1.ParseStreamRequest{Chunk: &dragomanv1.ParseStreamRequest_Data{Data: []byte(piece)}})
}

// SendSpecial is like Send for an engine that knows which bytes of the piece came from special tokens; see SpecialKnown.
func (s Sender) SendSpecial(piece string, special ...match.Range) error {
	return s.send(&dragomanv1.ParseStreamRequest{Chunk: &dragomanv1.ParseStreamRequest_Data{Data: []byte(piece)}, Special: chatapi.EncodeRanges(special)})
}

// SendIDs is like Send for an output of token ids; see TokenIDs.
func (s Sender) SendIDs(ids ...uint32) error { return s.send(&dragomanv1.ParseStreamRequest{Ids: ids}) }

// Truncated reports to the daemon that the engine cut the output off for length. Call it before CloseSend.
func (s Sender) Truncated() error { return s.send(&dragomanv1.ParseStreamRequest{Truncated: true}) }

// CloseSend ends the output.
func (s Sender) CloseSend() error { return remoteError(s.closeSend()) }

func (s Sender) send(m *dragomanv1.ParseStreamRequest) error {
	err := s.sending.send(m)
	if errors.Is(err, io.EOF) {
		return err // the daemon has ended the stream; the receiver gets the reason
	}
	return remoteError(err)
}

// Chunks iterates over the chunks of the output as they are decided, each the JSON of a chat.completion.chunk. They end with the
// output or with an error.
func (s *Stream) Chunks() iter.Seq2[json.RawMessage, error] {
	return func(yield func(json.RawMessage, error) bool) {
		defer s.close() // after the end, or when the caller stops
		for {
			m, err := s.receive()
			s.ids = m.GetIds()
			if err == nil && m.Result != nil {
				s.result, err = chatapi.DecodeResult(m.Result)
			}
			switch {
			case errors.Is(err, io.EOF):
				return
			case err != nil:
				yield(nil, remoteError(err))
				return
			case m.Chunk != nil && !yield(json.RawMessage(m.Chunk.Text), nil):
				return
			}
		}
	}
}

// IDs returns which token ids the chunk that Chunks has yielded last came from, counted from the first of the output, end exclusive; both
// are 0 where the output came as text.
func (s *Stream) IDs() (first, end int) { return int(s.ids.GetFirst()), int(s.ids.GetEnd()) }

// Result returns the result of the output once Chunks has ended without an error, and nil before.
func (s *Stream) Result() *session.Result { return s.result }
