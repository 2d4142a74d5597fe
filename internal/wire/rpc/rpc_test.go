package rpc_test

import (
	"bytes"
	"context"
	"errors"
	"net"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"
	"google.golang.org/grpc/test/bufconn"

	"github.com/dragoman-project/dragoman/internal/wire/rpc"
	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/dragoman-project/dragoman/sdk/fault"
	"github.com/dragoman-project/dragoman/sdk/handler"
	"github.com/dragoman-project/dragoman/sdk/peg"
	pb "github.com/dragoman-project/dragoman/sdk/proto/dragoman/plugin/v1"
)

// scripted is a handler that plans with a function.
type scripted struct {
	name string
	plan func(handler.Input) (*handler.Plan, error)
}

func (s scripted) Describe() handler.Description {
	return handler.Description{Name: s.name, Version: "1.2.3", Match: "true", Priority: 7, Cases: []byte("cases of " + s.name)}
}

func (s scripted) Plan(_ context.Context, in handler.Input) (*handler.Plan, error) { return s.plan(in) }

// shouting is a stream handler: text between exclamation marks is reasoning, the rest content. It
// refuses the token "refuse".
type shouting struct{ scripted }

func (shouting) OpenStream(_ context.Context, in handler.StreamInput, sink chat.Sink) (handler.Stream, error) {
	if string(in.Token) == "refuse" {
		return nil, errors.New("no such token")
	}
	return &shout{sink: sink}, nil
}

type shout struct {
	sink chat.Sink
	loud bool
}

func (s *shout) Feed(chunk []byte) error {
	for len(chunk) > 0 {
		if bytes.Contains(chunk, []byte("PANIC")) {
			panic("on request")
		}
		text, rest, found := bytes.Cut(chunk, []byte("!"))
		kind := chat.ContentText
		if s.loud {
			kind = chat.ReasoningText
		}
		if len(text) > 0 {
			s.sink(chat.Event{Kind: kind, Text: text})
		}
		s.loud, chunk = s.loud != found, rest
	}
	return nil
}

func (s *shout) Finish() (handler.StreamResult, error) {
	if s.loud {
		return handler.StreamResult{Status: chat.Truncated, Notes: []string{"still shouting"}}, nil
	}
	return handler.StreamResult{Status: chat.Complete}, nil
}

// connect serves handlers over a pipe, and returns clients for them.
func connect(t *testing.T, handlers ...handler.Handler) (pb.PluginServiceClient, []*rpc.Handler) {
	t.Helper()
	server, err := rpc.NewServer(handlers...)
	if err != nil {
		t.Fatal(err)
	}
	s := grpc.NewServer(rpc.Options()...)
	pb.RegisterPluginServiceServer(s, server)
	listener := bufconn.Listen(1 << 16)
	go s.Serve(listener)
	t.Cleanup(s.Stop)
	conn, err := grpc.NewClient("passthrough:pipe", append(rpc.DialOptions(), grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) { return listener.DialContext(ctx) }))...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	client := pb.NewPluginServiceClient(conn)
	all, err := rpc.Handlers(context.Background(), client, "test")
	if err != nil {
		t.Fatal(err)
	}
	return client, all
}

func request() handler.Input {
	return handler.Input{Request: &chat.Request{Messages: []chat.Message{{Role: chat.RoleUser, Content: chat.TextContent("Hi")}}}}
}

func TestAProcessServesSeveralHandlers(t *testing.T) {
	answer := func(text string) func(handler.Input) (*handler.Plan, error) {
		return func(handler.Input) (*handler.Plan, error) { return nil, &handler.Declined{Reason: text} }
	}
	_, all := connect(t, scripted{"a", answer("I am a")}, shouting{scripted{"b", answer("I am b")}})
	for i, name := range []string{"a", "b"} {
		want := handler.Description{Name: name, Version: "1.2.3", Match: "true", Priority: 7}
		if diff := cmp.Diff(want, all[i].Describe()); diff != "" {
			t.Errorf("described (-), received (+):\n%s", diff)
		}
		if _, err := all[i].Plan(t.Context(), request()); err == nil || !strings.Contains(err.Error(), "I am "+name) {
			t.Errorf("%s answers %v", name, err)
		}
		if cases, err := all[i].Cases(t.Context()); string(cases) != "cases of "+name {
			t.Errorf("%s has the cases %q, %v", name, cases, err)
		}
		if all[i].Streams() != (name == "b") {
			t.Errorf("%s parses streams: %t", name, all[i].Streams())
		}
	}
}

func TestInvalidServersAreRefused(t *testing.T) {
	if _, err := rpc.NewServer(); err == nil {
		t.Error("a server without handlers is accepted")
	}
	if _, err := rpc.NewServer(scripted{name: "a"}, scripted{name: "a"}); err == nil {
		t.Error("a server with two handlers of one name is accepted")
	}
}

func TestThePlanKeepsTheTimeOfTheRequest(t *testing.T) {
	_, all := connect(t, scripted{"a", func(in handler.Input) (*handler.Plan, error) {
		var b peg.Builder
		return &handler.Plan{Request: in.Request, Program: b.Build(b.Rest())}, nil
	}})
	in := request()
	in.Request.Now = in.Request.Now.AddDate(2025, 0, 0)
	plan, err := all[0].Plan(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	if !plan.Request.Now.Equal(in.Request.Now) {
		t.Errorf("the time is %v", plan.Request.Now)
	}
}

func TestFailuresOfHandlersFailTheirCallOnly(t *testing.T) {
	calls := 0
	_, all := connect(t, scripted{"a", func(handler.Input) (*handler.Plan, error) {
		switch calls++; calls {
		case 1:
			panic("out of paper")
		case 2:
			return nil, errors.New("out of ink")
		case 3:
			return &handler.Plan{}, nil
		}
		return nil, &handler.Declined{Reason: "well again"}
	}})
	for _, want := range []string{"out of paper", "out of ink", "neither a program nor a stream", "well again"} {
		if _, err := all[0].Plan(t.Context(), request()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, expected %s", err, want)
		}
	}
}

func TestCallsToUnknownHandlersFail(t *testing.T) {
	client, _ := connect(t, scripted{name: "a"})
	if _, err := client.Plan(t.Context(), &pb.PlanRequest{Handler: "b"}); status.Code(err) != codes.NotFound {
		t.Errorf("plan: %v", err)
	}
	if _, err := client.Cases(t.Context(), &pb.CasesRequest{Handler: "b"}); status.Code(err) != codes.NotFound {
		t.Errorf("cases: %v", err)
	}
}

// transcript concatenates events.
type transcript struct{ content, reasoning string }

func (tr *transcript) take(e chat.Event) {
	switch e.Kind {
	case chat.ContentText:
		tr.content += string(e.Text)
	case chat.ReasoningText:
		tr.reasoning += string(e.Text)
	}
}

func TestAStreamIsParsedAtTheOtherEnd(t *testing.T) {
	_, all := connect(t, shouting{scripted{name: "a"}})
	for _, size := range []int{1, 3, 100} {
		var got transcript
		s, err := all[0].OpenStream(t.Context(), handler.StreamInput{}, got.take)
		if err != nil {
			t.Fatal(err)
		}
		for rest := "a!b!c!d"; rest != ""; rest = rest[min(size, len(rest)):] {
			if err := s.Feed([]byte(rest[:min(size, len(rest))])); err != nil {
				t.Fatal(err)
			}
		}
		result, err := s.Finish()
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(handler.StreamResult{Status: chat.Truncated, Notes: []string{"still shouting"}}, result); diff != "" {
			t.Error(diff)
		}
		if got != (transcript{"ac", "bd"}) {
			t.Errorf("in chunks of %d: %+v", size, got)
		}
	}
}

func TestBrokenStreamsFailWithTheReason(t *testing.T) {
	client, all := connect(t, shouting{scripted{name: "a"}}, scripted{name: "b"})
	feed := func(h *rpc.Handler, token, text string) error {
		s, err := h.OpenStream(t.Context(), handler.StreamInput{Token: []byte(token)}, func(chat.Event) {})
		if err != nil {
			return err
		}
		return s.Feed([]byte(text))
	}
	raw := func(steps ...*pb.ParseStreamRequest) error {
		conn, err := client.ParseStream(t.Context())
		if err != nil {
			return err
		}
		for _, step := range steps {
			if err := conn.Send(step); err != nil {
				break
			}
		}
		_, err = conn.Recv()
		return err
	}
	open := &pb.ParseStreamRequest{Step: &pb.ParseStreamRequest_Open{Open: &pb.StreamOpen{Handler: "a"}}}
	gap := &pb.ParseStreamRequest{Step: &pb.ParseStreamRequest_Chunk{Chunk: &pb.StreamChunk{Offset: 5}}}
	for _, c := range []struct {
		name string
		err  error
		want string
	}{
		{"a token that is refused", feed(all[0], "refuse", "x"), "no such token"},
		{"a panic", feed(all[0], "", "PANIC"), "on request"},
		{"a handler without streams", feed(all[1], "", "x"), "does not parse streams"},
		{"a chunk before open", raw(gap), "expected open"},
		{"a gap", raw(open, gap), "expected the chunk at byte 0, found that at byte 5"},
		{"open twice", raw(open, open), "expected a chunk or finish"},
	} {
		if c.err == nil || !strings.Contains(c.err.Error(), c.want) {
			t.Errorf("%s: got %v, expected %s", c.name, c.err, c.want)
		}
	}
	if err := feed(all[0], "", "well"); err != nil {
		t.Errorf("afterwards: %v", err)
	}
}

// liar is a plugin that answers each step of a stream with the same message.
type liar struct {
	pb.UnimplementedPluginServiceServer
	answer *pb.ParseStreamResponse
}

func (l liar) Describe(context.Context, *pb.DescribeRequest) (*pb.DescribeResponse, error) {
	return &pb.DescribeResponse{Handlers: []*pb.HandlerDescription{{Name: "liar", Streams: true}}}, nil
}

func (l liar) ParseStream(conn grpc.BidiStreamingServer[pb.ParseStreamRequest, pb.ParseStreamResponse]) error {
	for {
		m, err := conn.Recv()
		if err != nil {
			return err
		}
		if m.GetOpen() == nil {
			if err := conn.Send(l.answer); err != nil {
				return err
			}
		}
	}
}

func TestAnswersThatBreakTheContractAreRefused(t *testing.T) {
	for _, c := range []struct {
		name   string
		answer *pb.ParseStreamResponse
		path   string
	}{
		{"bytes that were not sent", &pb.ParseStreamResponse{Received: 9}, "received"},
		{"an unknown event", &pb.ParseStreamResponse{Received: 1, Events: []*pb.Event{{}}}, "events.kind"},
		{"a result too early", &pb.ParseStreamResponse{Received: 1, Result: &pb.StreamResult{}}, "result"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := grpc.NewServer()
			pb.RegisterPluginServiceServer(s, liar{answer: c.answer})
			listener := bufconn.Listen(1 << 16)
			go s.Serve(listener)
			defer s.Stop()
			conn, err := grpc.NewClient("passthrough:pipe", grpc.WithTransportCredentials(insecure.NewCredentials()),
				grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) { return listener.DialContext(ctx) }))
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			all, err := rpc.Handlers(t.Context(), pb.NewPluginServiceClient(conn), "")
			if err != nil {
				t.Fatal(err)
			}
			stream, err := all[0].OpenStream(t.Context(), handler.StreamInput{}, func(chat.Event) {})
			if err != nil {
				t.Fatal(err)
			}
			var invalid *fault.Error
			if err := stream.Feed([]byte("x")); !errors.As(err, &invalid) || invalid.Place != c.path {
				t.Errorf("got %v, expected a fault of %s", err, c.path)
			}
		})
	}
}
