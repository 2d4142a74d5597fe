package rpc

import (
	"context"
	"strings"

	"google.golang.org/grpc"
	"google.golang.org/grpc/encoding"
	"google.golang.org/grpc/encoding/proto"
	"google.golang.org/grpc/mem"

	"github.com/dragoman-project/dragoman/internal/wire"
	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/dragoman-project/dragoman/sdk/handler"
	pb "github.com/dragoman-project/dragoman/sdk/proto/dragoman/plugin/v1"
)

// Handler is a handler at the other end of a connection.
type Handler struct {
	client      pb.PluginServiceClient
	description wire.Description
	answers     *wire.Decoder // of all handlers of the server
}

var _ handler.StreamHandler = (*Handler)(nil)

// window is the size of gRPC's flow control windows in bytes. It is fixed: to estimate one, gRPC would answer every small message
// with a ping, which is half the cost of a step of a stream.
const window = 1 << 20

// DialOptions returns the options of clients: messages may be as large as the contract allows.
func DialOptions() []grpc.DialOption {
	return []grpc.DialOption{
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(wire.MaxMessage), grpc.MaxCallSendMsgSize(wire.MaxMessage)),
		grpc.WithStaticStreamWindowSize(window), grpc.WithStaticConnWindowSize(window),
	}
}

// Handlers returns the handlers of a server.
func Handlers(ctx context.Context, client pb.PluginServiceClient, hostVersion string) ([]*Handler, error) {
	m, err := client.Describe(ctx, &pb.DescribeRequest{HostVersion: hostVersion})
	if err != nil {
		return nil, err
	}
	var all []*Handler
	answers := new(wire.Decoder)
	for _, h := range m.GetHandlers() {
		all = append(all, &Handler{client: client, description: wire.DecodeDescription(h), answers: answers})
	}
	return all, nil
}

// Describe returns the description that the server gave of the handler, without the cases.
func (h *Handler) Describe() handler.Description { return h.description.Description }

// Streams reports whether the handler parses outputs itself.
func (h *Handler) Streams() bool { return h.description.Streams }

// Cases returns the golden cases of the handler.
func (h *Handler) Cases(ctx context.Context) ([]byte, error) {
	m, err := h.client.Cases(ctx, &pb.CasesRequest{Handler: h.description.Name})
	return m.GetCases(), err
}

// Plan calls the handler. The error is a *handler.Declined or a *fault.Error of code InvalidArgument if that was the answer,
// wire.Broken if the answer breaks the contract, and has a gRPC status if there was no answer.
func (h *Handler) Plan(ctx context.Context, in handler.Input) (*handler.Plan, error) {
	request, err := wire.EncodeInput(h.description.Name, in)
	if err != nil {
		return nil, err
	}
	answer := unread{CodecV2: encoding.GetCodecV2(proto.Name)}
	if _, err := h.client.Plan(ctx, request, grpc.ForceCodecV2(&answer)); err != nil {
		return nil, err
	}
	plan, err := h.answers.Answer(answer.data)
	if err != nil {
		return nil, err
	}
	if plan.Request != nil {
		plan.Request.Now = in.Request.Now
	}
	return plan, nil
}

// unread is the codec of one call whose answer is left encoded.
type unread struct {
	encoding.CodecV2
	data []byte
}

// Unmarshal keeps the answer.
func (u *unread) Unmarshal(data mem.BufferSlice, _ any) error {
	u.data = data.Materialize()
	return nil
}

// Name returns "", so that to the other side the call looks like one with the standard codec.
func (*unread) Name() string { return "" }

// OpenStream starts parsing an output. Every step waits for the handler's answer.
func (h *Handler) OpenStream(ctx context.Context, in handler.StreamInput, sink chat.Sink) (handler.Stream, error) {
	conn, err := h.client.ParseStream(ctx)
	if err != nil {
		return nil, err
	}
	s := &stream{conn: conn, sink: sink}
	return s, s.send(&pb.ParseStreamRequest{Step: &pb.ParseStreamRequest_Open{Open: &pb.StreamOpen{
		Handler: h.description.Name, Token: in.Token, GenerationPrompt: strings.ToValidUTF8(in.GenerationPrompt, "\uFFFD"),
	}}})
}

// stream is an output that is parsed at the other end.
type stream struct {
	conn grpc.BidiStreamingClient[pb.ParseStreamRequest, pb.ParseStreamResponse]
	sink chat.Sink
	sent uint64

	truncated bool
}

// Feed sends a chunk and delivers the events that it decides.
func (s *stream) Feed(chunk []byte) error {
	err := s.send(&pb.ParseStreamRequest{Step: &pb.ParseStreamRequest_Chunk{Chunk: &pb.StreamChunk{Offset: s.sent, Data: chunk}}})
	if err != nil {
		return err
	}
	s.sent += uint64(len(chunk))
	m, err := s.receive()
	if err == nil && m.GetResult() != nil {
		return wire.Broken("result", "unexpected before the output is finished")
	}
	return err
}

// Truncated has Finish report that the engine stopped for length.
func (s *stream) Truncated() { s.truncated = true }

// Finish ends the output and delivers the events that this decides.
func (s *stream) Finish() (handler.StreamResult, error) {
	if err := s.send(&pb.ParseStreamRequest{Step: &pb.ParseStreamRequest_Finish{Finish: &pb.StreamFinish{Truncated: s.truncated}}}); err != nil {
		return handler.StreamResult{}, err
	}
	m, err := s.receive()
	if err != nil {
		return handler.StreamResult{}, err
	}
	if m.GetResult() == nil {
		return handler.StreamResult{}, wire.Broken("result", "missing in the answer to finish")
	}
	return wire.DecodeResult(m.GetResult())
}

// send sends a step. gRPC gives the reason of a broken stream to receivers only.
func (s *stream) send(m *pb.ParseStreamRequest) error {
	if err := s.conn.Send(m); err != nil {
		return s.conn.RecvMsg(new(pb.ParseStreamResponse))
	}
	return nil
}

// receive handles the answer to a step.
func (s *stream) receive() (*pb.ParseStreamResponse, error) {
	m, err := s.conn.Recv()
	if err != nil {
		return nil, err
	}
	if m.GetReceived() != s.sent {
		return nil, wire.Broken("received", "differs from the number of bytes sent")
	}
	for _, e := range m.GetEvents() {
		event, err := wire.DecodeEvent(e)
		if err != nil {
			return nil, err
		}
		s.sink(event)
	}
	return m, nil
}
