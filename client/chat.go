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

// Option says how an output is read and delivered.
type Option func(*dragomanv1.ParseOptions)

// IDSeed makes the ids of calls to which the model gave none: the same seed gives the same ids. They are random otherwise.
func IDSeed(seed string) Option { return func(o *dragomanv1.ParseOptions) { o.IdSeed = seed } }

// NoIDs leaves the ids of such calls empty.
func NoIDs() Option { return func(o *dragomanv1.ParseOptions) { o.NoIds = true } }

// SpecialKnown says that SendSpecial tells of every byte whether it came from a special token. Prose may then spell a marker.
func SpecialKnown() Option { return func(o *dragomanv1.ParseOptions) { o.SpecialKnown = true } }

// Deltas makes chunks of only what they add to the message, such as {"content":"text"}: a fraction of the bytes, for those who
// put the rest around it themselves.
func Deltas() Option { return func(o *dragomanv1.ParseOptions) { o.Deltas = true } }

func parseOptions(options []Option) *dragomanv1.ParseOptions {
	out := new(dragomanv1.ParseOptions)
	for _, set := range options {
		set(out)
	}
	return out
}

// Plan plans a request for a template, with a constraint in GBNF. The request is a *chat.Request, or a text, bytes or a value
// that are the JSON of one.
func (c *Client) Plan(ctx context.Context, template string, request any) (*session.Plan, error) {
	return c.PlanFor(ctx, grammar.TargetGBNF, template, request)
}

// PlanFor is Plan for an engine that takes its constraints in another notation.
func (c *Client) PlanFor(ctx context.Context, target grammar.Target, template string, request any) (*session.Plan, error) {
	text, err := requestJSON(request)
	if err != nil {
		return nil, err
	}
	m, err := c.chats.Plan(ctx, &dragomanv1.PlanRequest{Template: template, Request: text, Target: string(target)})
	if err != nil {
		return nil, told(err)
	}
	return chatapi.DecodePlan(m), nil
}

// Parse turns a whole output, without the prompt, into a message. The output need not be UTF-8.
func (c *Client) Parse(ctx context.Context, template string, request any, output string, options ...Option) (*session.Result, error) {
	text, err := requestJSON(request)
	if err != nil {
		return nil, err
	}
	m, err := c.chats.Parse(ctx, &dragomanv1.ParseRequest{Template: template, Request: text, Output: &dragomanv1.ParseRequest_Data{Data: []byte(output)},
		Options: parseOptions(options)})
	if err != nil {
		return nil, told(err)
	}
	return chatapi.DecodeResult(m)
}

// Stream is an output being parsed while it arrives. One goroutine may send while another one receives.
type Stream struct {
	Sender
	receiving
	result *session.Result
}

// Sender is where an output goes.
type Sender struct{ sending }

// sending brings the messages of one output to the daemon.
type sending interface {
	// send says with io.EOF that the output is over; the one who receives is told why.
	send(*dragomanv1.ParseStreamRequest) error
	closeSend() error
}

// receiving brings what becomes of it.
type receiving interface {
	receive() (*dragomanv1.ParseStreamResponse, error)
	// close says that nobody receives any longer.
	close()
}

// own is a stream of one output.
type own struct {
	stream *connect.BidiStreamForClientSimple[dragomanv1.ParseStreamRequest, dragomanv1.ParseStreamResponse]
}

func (o own) send(m *dragomanv1.ParseStreamRequest) error       { return o.stream.Send(m) }
func (o own) closeSend() error                                  { return o.stream.CloseRequest() }
func (o own) receive() (*dragomanv1.ParseStreamResponse, error) { return o.stream.Receive() }
func (o own) close()                                            { _ = o.stream.CloseResponse() }

// ParseStream begins to parse an output. The stream must be read to its end, or ctx be cancelled.
func (c *Client) ParseStream(ctx context.Context, template string, request any, options ...Option) (*Stream, error) {
	start, err := parseStart(template, request, options)
	if err != nil {
		return nil, err
	}
	stream, err := c.chats.ParseStream(ctx)
	if err != nil {
		return nil, told(err)
	}
	s := &Stream{Sender: Sender{own{stream}}, receiving: own{stream}}
	return s, s.send(start)
}

// parseStart is the first message of a stream.
func parseStart(template string, request any, options []Option) (*dragomanv1.ParseStreamRequest, error) {
	text, err := requestJSON(request)
	return &dragomanv1.ParseStreamRequest{Start: &dragomanv1.ParseStart{Template: template, Request: text, Options: parseOptions(options)}}, err
}

// Send sends the next piece of the output, cut anywhere. After an error the reason is what Chunks ends with.
func (s Sender) Send(piece string) error {
	return s.send(&dragomanv1.ParseStreamRequest{Chunk: &dragomanv1.ParseStreamRequest_Data{Data: []byte(piece)}})
}

// SendSpecial is Send for an engine that knows which bytes of the piece came from special tokens; see SpecialKnown.
func (s Sender) SendSpecial(piece string, special ...match.Range) error {
	return s.send(&dragomanv1.ParseStreamRequest{Chunk: &dragomanv1.ParseStreamRequest_Data{Data: []byte(piece)}, Special: chatapi.EncodeRanges(special)})
}

// Truncated says that the engine cut the output off, for length. It is called before CloseSend.
func (s Sender) Truncated() error { return s.send(&dragomanv1.ParseStreamRequest{Truncated: true}) }

// CloseSend says that the output has ended.
func (s Sender) CloseSend() error { return told(s.closeSend()) }

func (s Sender) send(m *dragomanv1.ParseStreamRequest) error {
	err := s.sending.send(m)
	if errors.Is(err, io.EOF) {
		return err // the daemon has ended the stream, and says why to the one who receives
	}
	return told(err)
}

// Chunks are what becomes certain while the output arrives, each the JSON of a chat.completion.chunk. They end with the
// output; an error is the last.
func (s *Stream) Chunks() iter.Seq2[json.RawMessage, error] {
	return func(yield func(json.RawMessage, error) bool) {
		defer s.close() // the output is over, or nobody wants more of it
		for {
			m, err := s.receive()
			if err == nil && m.Result != nil {
				s.result, err = chatapi.DecodeResult(m.Result)
			}
			switch {
			case errors.Is(err, io.EOF):
				return
			case err != nil:
				yield(nil, told(err))
				return
			case m.Chunk != nil && !yield(json.RawMessage(m.Chunk.Text), nil):
				return
			}
		}
	}
}

// Result is what the output amounts to, once Chunks have ended without an error; nil before.
func (s *Stream) Result() *session.Result { return s.result }
