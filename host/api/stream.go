package api

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"connectrpc.com/connect"

	"github.com/dragoman-project/dragoman/host"
	"github.com/dragoman-project/dragoman/host/config"
	"github.com/dragoman-project/dragoman/internal/wire/chatapi"
	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/dragoman-project/dragoman/sdk/fault"
	dragomanv1 "github.com/dragoman-project/dragoman/sdk/proto/dragoman/v1"
	"github.com/dragoman-project/dragoman/sdk/session"
	"github.com/dragoman-project/dragoman/sdk/tokenizer"
)

// exchange is the connection of one output to its client. What is sent may wait until the next message has to be waited for, or
// until push.
type exchange interface {
	answerer
	// receive waits for the client's next message, which is valid until the next call; the error is io.EOF after the last.
	receive() (*dragomanv1.ParseStreamRequest, error)
	push()
}

// answerer sends the answers of an output.
type answerer interface {
	send(*dragomanv1.ParseStreamResponse) error
	// chunk sends a chunk, the JSON of which belongs to the caller.
	chunk(text []byte, ids chatapi.IDs) error
}

// ParseStream parses an output while it arrives.
func (s *chatService) ParseStream(ctx context.Context, stream *connect.BidiStream[dragomanv1.ParseStreamRequest, dragomanv1.ParseStreamResponse]) error {
	if err := s.exchange(ctx, &connectExchange{on: connectionOf(ctx), conn: stream.Conn()}); err != nil {
		return failure(err)
	}
	return nil
}

type connectExchange struct {
	on     *connection
	conn   connect.StreamingHandlerConn
	in     chatapi.Request
	answer chatapi.Answer
}

func (x *connectExchange) receive() (*dragomanv1.ParseStreamRequest, error) {
	x.in.Reset() // an empty message is not decoded
	err := x.conn.Receive(&x.in)
	x.on.receivedWhole()
	return &x.in.ParseStreamRequest, unreadable(err)
}

// unreadable converts the errors of invalid messages, which connect calls internal, and returns others unchanged.
func unreadable(err error) error {
	if code := connect.CodeOf(err); err == nil || errors.Is(err, io.EOF) || code != connect.CodeInternal && code != connect.CodeUnknown {
		return err
	}
	return &fault.Error{Code: fault.InvalidArgument, Message: err.Error(), Remedy: "end the stream by closing it, after a whole message", Err: err}
}

func (x *connectExchange) send(m *dragomanv1.ParseStreamResponse) error { return x.conn.Send(m) }

func (x *connectExchange) chunk(text []byte, ids chatapi.IDs) error {
	x.answer.Chunk, x.answer.IDs = text, ids
	return x.conn.Send(&x.answer)
}

func (x *connectExchange) push() { x.on.push() }

// exchange parses one output from its start to its result. Its errors and panics do not affect other streams.
func (s *chatService) exchange(ctx context.Context, x exchange) error {
	rec := recordOf(ctx)
	rec.reached = true
	err := s.faults.run(parseStreamPath, func() error {
		limits := s.limits()
		release, err := s.admit(ctx, limits)
		if err != nil {
			return err
		}
		defer release()
		return unlessOver(ctx, s.parse(ctx, x, limits.RequestTime))
	})
	rec.err = err
	return err
}

func (s *chatService) limits() config.Limits { return s.host.Snapshot().Config.Limits }

// admit counts an output until release is called, unless there are too many.
func (s *chatService) admit(ctx context.Context, limits config.Limits) (release func(), err error) {
	return both(one(s.sessions, limits.Sessions, &fault.Error{Code: fault.Unavailable,
		Message: fmt.Sprintf("too many outputs at once, at most %d are allowed", limits.Sessions), Remedy: "try again later, or raise limits.sessions"}))(
		recordOf(ctx).key.begin(limits.KeySessions))
}

// parse parses the output of an admitted exchange.
func (s *chatService) parse(ctx context.Context, x exchange, planTime time.Duration) error {
	m, err := x.receive()
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	if err != nil || m.GetStart() == nil {
		return notStarted()
	}
	out, err := s.begin(ctx, m.Start, planTime, x)
	if err != nil {
		return err
	}
	defer out.session.Close()
	for ; err == nil; m, err = next(x) {
		if err = out.take(m); err != nil {
			break
		}
		if out.session.Waits() {
			x.push() // the next message may block
		}
	}
	if !errors.Is(err, io.EOF) {
		return err
	}
	return out.finish(recordOf(ctx))
}

// next receives a message after the first.
func next(x exchange) (*dragomanv1.ParseStreamRequest, error) {
	m, err := x.receive()
	if err == nil && m.Start != nil {
		return nil, startedTwice()
	}
	return m, err
}

func notStarted() error {
	return invalid("start", "missing in the first message of the output", "send start with template and request first")
}

func startedTwice() error {
	return invalid("start", "only allowed in the first message of an output", "open a stream for each output, or give each a number in ParseStreams")
}

// output is an output being parsed, with the form of its chunks.
type output struct {
	session   *host.Session
	tokens    *tokenizer.Tokenizer // nil: the output comes as text
	response  chat.Response
	before    string // the text of a chunk before its delta
	after     string // the text after it, except in the last chunk
	to        answerer
	truncated bool
	deltas    bool // send deltas instead of chunks

	specialKnown bool // every piece lists its bytes from special tokens
}

func (s *chatService) begin(ctx context.Context, start *dragomanv1.ParseStart, limit time.Duration, to answerer) (*output, error) {
	soon, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	planned, err := s.plan(soon, start.Template, start.Request)
	if err != nil {
		return nil, err
	}
	response := chat.Response{ID: "chatcmpl-" + rand.Text(), Created: time.Now(), Model: start.Template}
	empty, err := json.Marshal(response.Chunk(chat.Delta{}, ""))
	if err != nil {
		return nil, err
	}
	before, after, _ := strings.Cut(string(empty), emptyDelta)
	session, tokens, err := sessionOf(soon, ctx, planned, start.Options, start.Options.GetTokenIds())
	if err != nil {
		return nil, err
	}
	return &output{
		session: session, tokens: tokens, response: response, before: before + deltaMember, after: after,
		to: to, deltas: start.Options.GetDeltas(), specialKnown: start.Options.GetSpecialKnown(),
	}, nil
}

// What all chunks of an output share is encoded once, around this member.
const (
	deltaMember = `"delta":`
	emptyDelta  = deltaMember + `{}`
)

// take parses the next piece. Deltas decided before a limit was reached are delivered.
func (o *output) take(m *dragomanv1.ParseStreamRequest) error {
	o.truncated = o.truncated || m.Truncated
	if o.tokens != nil {
		return o.takeIDs(m)
	}
	if len(m.Ids) > 0 {
		return invalid("ids", "unexpected in an output of text", "set token_ids in the options of start")
	}
	piece := m.GetData()
	if text, ok := m.Chunk.(*dragomanv1.ParseStreamRequest_Text); ok {
		piece = []byte(text.Text)
	}
	special, err := chatapi.DecodeRanges(m.Special, len(piece), o.specialKnown)
	if err != nil {
		return err
	}
	return o.deliver(func(dst []chat.Piece) ([]chat.Piece, error) { return o.session.Append(dst, piece, special) })
}

// takeIDs is take for an output of token ids.
func (o *output) takeIDs(m *dragomanv1.ParseStreamRequest) error {
	if m.Chunk != nil || len(m.Special) > 0 {
		return invalid("text", "unexpected in an output of token ids", "send ids, or leave token_ids out of the options of start")
	}
	if err := o.tokens.Check("ids", m.Ids); err != nil {
		return err
	}
	return o.deliver(func(dst []chat.Piece) ([]chat.Piece, error) { return o.session.AppendIDs(dst, m.Ids...) })
}

func (o *output) finish(rec *record) error {
	var r session.Result
	err := o.deliver(func(dst []chat.Piece) (_ []chat.Piece, err error) {
		dst, r, err = o.session.AppendLast(dst, o.truncated)
		rec.noteReport(r.Report)
		return dst, err
	})
	if err != nil {
		return err
	}
	if err := o.last(r.FinishReason); err != nil {
		return err
	}
	result, err := chatapi.EncodeResult(r)
	if err != nil {
		return err
	}
	return o.to.send(&dragomanv1.ParseStreamResponse{Result: result})
}

// deliver sends the deltas that parse appends, also if it fails.
func (o *output) deliver(parse func([]chat.Piece) ([]chat.Piece, error)) error {
	s := scratches.Get().(*scratch)
	defer s.free()
	var fault error
	s.pieces, fault = parse(s.pieces[:0])
	for i := range s.pieces {
		p := &s.pieces[i]
		if o.deltas {
			s.text = p.AppendJSON(s.text[:0])
		} else {
			s.text = append(p.AppendJSON(append(s.text[:0], o.before...)), o.after...)
		}
		if err := o.to.chunk(s.text, chatapi.IDs{First: p.FirstID, End: p.EndID, Known: o.tokens != nil}); err != nil {
			return err
		}
	}
	return fault
}

// scratch is memory for the deltas of a piece. Outputs share it, since most of them wait at any moment.
type scratch struct {
	pieces []chat.Piece
	text   []byte
}

var scratches = sync.Pool{New: func() any { return new(scratch) }}

// free lets other outputs use the scratch, unless it has become unusually large.
func (s *scratch) free() {
	const mostPieces, mostText = 256, 16 << 10
	if cap(s.pieces) <= mostPieces && cap(s.text) <= mostText {
		clear(s.pieces) // they refer to the output
		scratches.Put(s)
	}
}

// last sends the chunk with the finish reason.
func (o *output) last(reason chat.FinishReason) error {
	if o.deltas {
		return nil
	}
	text, err := json.Marshal(o.response.Chunk(chat.Delta{}, reason))
	if err != nil {
		return err
	}
	return o.to.chunk(text, chatapi.IDs{})
}
