package rpc

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime/debug"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/dragoman-project/dragoman/internal/wire"
	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/dragoman-project/dragoman/sdk/handler"
	pb "github.com/dragoman-project/dragoman/sdk/proto/dragoman/plugin/v1"
)

// Server answers the calls of the contract with handlers.
type Server struct {
	pb.UnimplementedPluginServiceServer
	handlers []handler.Handler
	byName   map[string]handler.Handler
	answers  wire.Encoder
}

// NewServer returns a server of handlers, whose names must differ.
func NewServer(handlers ...handler.Handler) (*Server, error) {
	if len(handlers) == 0 {
		return nil, errors.New("no handler to serve")
	}
	s := &Server{handlers: handlers, byName: map[string]handler.Handler{}}
	for _, h := range handlers {
		name := h.Describe().Name
		if s.byName[name] != nil {
			return nil, fmt.Errorf("two handlers are named %q", name)
		}
		s.byName[name] = h
	}
	return s, nil
}

func (s *Server) find(name string) (handler.Handler, error) {
	if h, ok := s.byName[name]; ok {
		return h, nil
	}
	return nil, status.Errorf(codes.NotFound, "this plugin has no handler %q", name)
}

// Describe lists the handlers.
func (s *Server) Describe(context.Context, *pb.DescribeRequest) (*pb.DescribeResponse, error) {
	m := new(pb.DescribeResponse)
	for _, h := range s.handlers {
		_, streams := h.(handler.StreamHandler)
		m.Handlers = append(m.Handlers, wire.EncodeDescription(wire.Description{Description: h.Describe(), Streams: streams}))
	}
	return m, nil
}

// Plan calls the handler.
func (s *Server) Plan(ctx context.Context, m *pb.PlanRequest) (*pb.PlanResponse, error) {
	h, err := s.find(m.GetHandler())
	if err != nil {
		return nil, err
	}
	in, err := wire.DecodeInput(m)
	if err != nil {
		return s.answers.Answer(nil, err)
	}
	answer, err := s.answers.Answer(h.Plan(ctx, in))
	if err != nil {
		return nil, status.Errorf(codes.Unknown, "handler %s: %v", m.GetHandler(), err)
	}
	return answer, nil
}

// Cases returns the golden cases of a handler.
func (s *Server) Cases(_ context.Context, m *pb.CasesRequest) (*pb.CasesResponse, error) {
	h, err := s.find(m.GetHandler())
	if err != nil {
		return nil, err
	}
	return &pb.CasesResponse{Cases: h.Describe().Cases}, nil
}

// ParseStream lets a handler parse one output.
func (s *Server) ParseStream(conn grpc.BidiStreamingServer[pb.ParseStreamRequest, pb.ParseStreamResponse]) error {
	first, err := conn.Recv()
	if err != nil {
		return err
	}
	open := first.GetOpen()
	if open == nil {
		return status.Error(codes.InvalidArgument, "expected open as the first step of a stream")
	}
	h, err := s.find(open.GetHandler())
	if err != nil {
		return err
	}
	streams, ok := h.(handler.StreamHandler)
	if !ok {
		return status.Errorf(codes.Unimplemented, "handler %s does not parse streams", open.GetHandler())
	}
	run := &streamRun{conn: conn}
	in := handler.StreamInput{Token: open.GetToken(), GenerationPrompt: open.GetGenerationPrompt()}
	run.stream, err = streams.OpenStream(conn.Context(), in, run.take)
	if err != nil {
		return status.Errorf(codes.Unknown, "handler %s: %v", open.GetHandler(), err)
	}
	return run.serve()
}

// streamRun parses one output: it answers each step with the events that it decided.
type streamRun struct {
	conn     grpc.BidiStreamingServer[pb.ParseStreamRequest, pb.ParseStreamResponse]
	stream   handler.Stream
	events   []*pb.Event
	received uint64
}

// take is the sink of the stream.
func (r *streamRun) take(e chat.Event) { r.events = append(r.events, wire.EncodeEvent(e)) }

func (r *streamRun) serve() error {
	for {
		m, err := r.conn.Recv()
		if err != nil {
			return err
		}
		switch step := m.GetStep().(type) {
		case *pb.ParseStreamRequest_Chunk:
			if err := r.feed(step.Chunk); err != nil {
				return err
			}
		case *pb.ParseStreamRequest_Finish:
			result, err := handler.Finish(r.stream, step.Finish.GetTruncated())
			if err != nil {
				return status.Errorf(codes.Unknown, "finish: %v", err)
			}
			return r.answer(wire.EncodeResult(result))
		default:
			return status.Error(codes.InvalidArgument, "expected a chunk or finish")
		}
	}
}

func (r *streamRun) feed(chunk *pb.StreamChunk) error {
	if chunk.GetOffset() != r.received {
		return status.Errorf(codes.InvalidArgument, "expected the chunk at byte %d, found that at byte %d", r.received, chunk.GetOffset())
	}
	if err := r.stream.Feed(chunk.GetData()); err != nil {
		return status.Errorf(codes.Unknown, "byte %d: %v", r.received, err)
	}
	r.received += uint64(len(chunk.GetData()))
	return r.answer(nil)
}

func (r *streamRun) answer(result *pb.StreamResult) error {
	err := r.conn.Send(&pb.ParseStreamResponse{Events: r.events, Received: r.received, Result: result})
	r.events = nil
	return err
}

// Options returns the options of servers: they survive panics of handlers, and messages may be as large as the contract allows.
func Options() []grpc.ServerOption {
	return []grpc.ServerOption{
		grpc.MaxRecvMsgSize(wire.MaxMessage), grpc.MaxSendMsgSize(wire.MaxMessage),
		grpc.StaticStreamWindowSize(window), grpc.StaticConnWindowSize(window),
		grpc.UnaryInterceptor(recoverUnary), grpc.StreamInterceptor(recoverStream),
	}
}

// recoverUnary keeps a handler's panic from ending the process, and with it all other calls.
func recoverUnary(ctx context.Context, req any, info *grpc.UnaryServerInfo, next grpc.UnaryHandler) (resp any, err error) {
	defer recovered(info.FullMethod, &err)
	return next(ctx, req)
}

func recoverStream(srv any, conn grpc.ServerStream, info *grpc.StreamServerInfo, next grpc.StreamHandler) (err error) {
	defer recovered(info.FullMethod, &err)
	return next(srv, conn)
}

// recovered converts a panic to an error and prints its stack to standard error.
func recovered(method string, err *error) {
	if p := recover(); p != nil {
		fmt.Fprintf(os.Stderr, "panic in %s: %v\n%s", method, p, debug.Stack())
		*err = status.Errorf(codes.Internal, "the handler panicked: %v", p)
	}
}
