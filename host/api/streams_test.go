package api

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"connectrpc.com/connect"

	"github.com/dragoman-project/dragoman/host/config"
	"github.com/dragoman-project/dragoman/internal/shared"
	"github.com/dragoman-project/dragoman/internal/wire/chatapi"
	dragomanv1 "github.com/dragoman-project/dragoman/sdk/proto/dragoman/v1"
	"github.com/dragoman-project/dragoman/sdk/proto/dragoman/v1/dragomanv1connect"
)

type sharedClient = *connect.BidiStreamForClientSimple[dragomanv1.ParseStreamsRequest, dragomanv1.ParseStreamsResponse]

// parseStreams opens a shared stream.
func (d *daemon) parseStreams(t *testing.T) sharedClient {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 3*patience)
	stream, err := dragomanv1connect.NewChatServiceClient(httpClient(t), d.url, connect.WithGRPC(), connect.WithAcceptCompression("gzip", nil, nil)).ParseStreams(ctx)
	must(t, err)
	t.Cleanup(func() {
		cancel()
		_ = stream.CloseResponse() // the transport notices the end of a context only on use
	})
	must(t, stream.Send(nil)) // sends the header
	return stream
}

func first(number uint64, template string) *dragomanv1.OutputRequest {
	start := start1()
	start.Template = template
	return &dragomanv1.OutputRequest{Output: number, Message: &dragomanv1.ParseStreamRequest{Start: start}}
}

func piece(number uint64, text string) *dragomanv1.OutputRequest {
	return &dragomanv1.OutputRequest{Output: number, Message: &dragomanv1.ParseStreamRequest{Chunk: &dragomanv1.ParseStreamRequest_Data{Data: []byte(text)}}}
}

func ending(number uint64) *dragomanv1.OutputRequest {
	return &dragomanv1.OutputRequest{Output: number, End: true}
}

func together(t *testing.T, stream sharedClient, outputs ...*dragomanv1.OutputRequest) {
	t.Helper()
	must(t, stream.Send(&dragomanv1.ParseStreamsRequest{Outputs: outputs}))
}

// received holds what was received for one output.
type received struct {
	chunks []string
	result *dragomanv1.ParseResponse
	err    *dragomanv1.Error
}

func (r *received) over() bool { return r.result != nil || r.err != nil }

// receiveUntil collects what arrives for each output, by number, until enough returns true.
func receiveUntil(t *testing.T, stream sharedClient, got map[uint64]*received, enough func() bool) {
	t.Helper()
	for !enough() {
		m, err := stream.Receive()
		must(t, err)
		for _, r := range m.Outputs {
			if got[r.Output] == nil {
				got[r.Output] = new(received)
			}
			o := got[r.Output]
			if o.over() {
				t.Fatalf("output %d: a message after the last one: %v", r.Output, r.Message)
			}
			if c := r.Message.Chunk; c != nil {
				o.chunks = append(o.chunks, c.Text)
			}
			o.result, o.err = r.Message.Result, r.Message.Error
		}
	}
}

// allOver receives until each of the outputs has its last message.
func allOver(t *testing.T, stream sharedClient, numbers ...uint64) map[uint64]*received {
	t.Helper()
	got := map[uint64]*received{}
	receiveUntil(t, stream, got, func() bool {
		for _, n := range numbers {
			if got[n] == nil || !got[n].over() {
				return false
			}
		}
		return true
	})
	return got
}

// TestOutputsThatShareAStreamAreParsedAsIfAlone sends the output once for each place to cut it, all
// on one stream.
func TestOutputsThatShareAStreamAreParsedAsIfAlone(t *testing.T) {
	shared.Slow(t)
	d := serve(t, nil)
	stream := d.parseStreams(t)
	var steps [4][]*dragomanv1.OutputRequest
	var numbers []uint64
	for cut := range len(output1) {
		n := uint64(cut)
		numbers = append(numbers, n)
		steps[0] = append(steps[0], first(n, template1))
		steps[1] = append(steps[1], piece(n, output1[:cut]))
		steps[2] = append(steps[2], piece(n, output1[cut:]))
		steps[3] = append(steps[3], ending(n))
	}
	for _, step := range steps {
		together(t, stream, step...)
	}
	got := allOver(t, stream, numbers...)
	for _, n := range numbers {
		joined(t, got[n].chunks, got[n].result)
		same(t, got[n].result.Message.Text, message1)
	}
	eventually(t, "the release of all sessions", func() bool { return d.sessions.Load() == 0 })
	d.counts(t, answered(outputMethod, "ok"), fmt.Sprint(len(numbers)))
	d.logs(t, 1, `"msg":"request"`, outputMethod, `"output":"7"`, `"status":"complete"`)
}

// TestAnOutputOfASharedStreamFailsAlone sends each kind of bad output beside a good one.
func TestAnOutputOfASharedStreamFailsAlone(t *testing.T) {
	shared.Slow(t)
	const good, bad = 1, 2
	for _, tt := range []struct {
		name string
		send []*dragomanv1.OutputRequest
		code string
	}{
		{"unknown template", []*dragomanv1.OutputRequest{first(bad, "nobody"), piece(bad, "text"), piece(bad, "more")}, "not_found"},
		{"never started", []*dragomanv1.OutputRequest{piece(bad, "text")}, "invalid_argument"},
		{"empty", []*dragomanv1.OutputRequest{{Output: bad}}, "invalid_argument"},
		{"started twice", []*dragomanv1.OutputRequest{first(bad, template1), first(bad, template1)}, "invalid_argument"},
		{"invalid ranges", []*dragomanv1.OutputRequest{first(bad, template1), {Output: bad, Message: &dragomanv1.ParseStreamRequest{
			Special: []*dragomanv1.ByteRange{{Start: 3, End: 9}}}}}, "invalid_argument"},
		{"too long", []*dragomanv1.OutputRequest{first(bad, template1), piece(bad, strings.Repeat("long ", 1000))}, "limit_exceeded"},
		{"cancelled", []*dragomanv1.OutputRequest{first(bad, template1), piece(bad, "text"), {Output: bad, Cancel: true}}, "canceled"},
		{"cancelled before it started", []*dragomanv1.OutputRequest{{Output: bad, Cancel: true}}, "canceled"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := serve(t, func(c *config.Config) { c.Limits.OutputBytes = 2000 })
			stream := d.parseStreams(t)
			together(t, stream, first(good, template1), piece(good, output1[:20]))
			together(t, stream, tt.send...)
			together(t, stream, piece(good, output1[20:]), ending(good))
			got := allOver(t, stream, good, bad)
			same(t, got[good].result.Message.Text, message1)
			if err := got[bad].err; err.GetCode() != tt.code || err.Message == "" {
				t.Errorf("the bad output ends with %v, expected the code %s", err, tt.code)
			}
			d.counts(t, answered(outputMethod, tt.code), "1")

			// What the client sends before it receives the error is dropped, and the number can be
			// reused.
			if tt.code != "canceled" {
				together(t, stream, piece(bad, "still "))
			}
			together(t, stream, first(bad, template1), piece(bad, output1), ending(bad))
			same(t, allOver(t, stream, bad)[bad].result.Message.Text, message1)
			eventually(t, "the release of all sessions", func() bool { return d.sessions.Load() == 0 })
		})
	}
}

// TestANumberCanBeUsedAgainAtOnce sends many outputs with one number, each before the previous one
// is answered.
func TestANumberCanBeUsedAgainAtOnce(t *testing.T) {
	shared.Slow(t)
	const many = 100
	for name, send := range map[string]func(t *testing.T, stream sharedClient, all []*dragomanv1.OutputRequest){
		"in one message": func(t *testing.T, stream sharedClient, all []*dragomanv1.OutputRequest) { together(t, stream, all...) },
		"one by one": func(t *testing.T, stream sharedClient, all []*dragomanv1.OutputRequest) {
			for _, r := range all {
				together(t, stream, r)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			d := serve(t, nil)
			stream := d.parseStreams(t)
			var all []*dragomanv1.OutputRequest
			for n := range many {
				all = append(all, first(1, template1), piece(1, fmt.Sprint("Hello ", n)), piece(1, " there."), ending(1))
			}
			all = append(all, first(1, template1), piece(1, "nothing"), &dragomanv1.OutputRequest{Output: 1, Cancel: true}, first(1, "nobody"), ending(1))
			send(t, stream, all)
			var ends []*dragomanv1.ParseStreamResponse
			var chunks []string
			for len(ends) < many+2 {
				m, err := stream.Receive()
				must(t, err)
				for _, r := range m.Outputs {
					if r.Message.Chunk != nil {
						chunks = append(chunks, r.Message.Chunk.Text)
						continue
					}
					if r.Message.Result != nil {
						joined(t, chunks, r.Message.Result)
					}
					chunks, ends = nil, append(ends, r.Message)
				}
			}
			for n, end := range ends[:many] {
				same(t, end.GetResult().GetMessage().GetText(), fmt.Sprintf(`{"role":"assistant","content":"Hello %d there."}`, n))
			}
			if err := ends[many].Error; err.GetCode() != "canceled" || !strings.Contains(err.Message, "wants no more") {
				t.Errorf("the cancelled output ends with %v", err)
			}
			if err := ends[many+1].Error; err.GetCode() != "not_found" {
				t.Errorf("the output with an unknown template ends with %v", err)
			}
			eventually(t, "the release of all sessions", func() bool { return d.sessions.Load() == 0 })
		})
	}
}

func TestClosingASharedStreamEndsItsOutputs(t *testing.T) {
	d := serve(t, nil)
	stream := d.parseStreams(t)
	together(t, stream, first(1, template1), first(2, template1), piece(1, output1), piece(2, "Hel"))
	must(t, stream.CloseRequest())
	got := allOver(t, stream, 1, 2)
	same(t, got[1].result.Message.Text, message1)
	same(t, got[2].result.Message.Text, `{"role":"assistant","content":"Hel"}`)
	if _, err := stream.Receive(); !errors.Is(err, io.EOF) {
		t.Errorf("the stream ends with %v", err)
	}
}

func TestAClientThatGoesGivesAllItsOutputsBack(t *testing.T) {
	d := serve(t, nil)
	stream := d.parseStreams(t)
	together(t, stream, first(1, template1), first(2, template1), piece(1, "Hello there."), piece(2, "Hello there."))
	got := map[uint64]*received{}
	receiveUntil(t, stream, got, func() bool { return got[1] != nil && got[2] != nil })
	must(t, stream.CloseResponse())
	eventually(t, "the release of both sessions", func() bool { return d.sessions.Load() == 0 })
	d.counts(t, "dragoman_sessions", "0")
	d.counts(t, answered(outputMethod, "canceled"), "2")
}

func TestOutputsThatShareAStreamHaveTheirOwnLimits(t *testing.T) {
	shared.Slow(t)
	t.Run("of number", func(t *testing.T) {
		d := serve(t, func(c *config.Config) { c.Limits.Sessions = 2 })
		stream := d.parseStreams(t)
		together(t, stream, first(1, template1), piece(1, "Hello there."), first(2, template1), piece(2, "Hello there."))
		got := map[uint64]*received{}
		receiveUntil(t, stream, got, func() bool { return got[1] != nil && got[2] != nil })
		together(t, stream, first(3, template1))
		if err := allOver(t, stream, 3)[3].err; err.GetCode() != "unavailable" {
			t.Errorf("the output beyond the limit ends with %v", err)
		}
		together(t, stream, ending(1), ending(3), first(3, template1), ending(3))
		allOver(t, stream, 1, 3)
	})
	t.Run("of silence", func(t *testing.T) {
		d := serve(t, func(c *config.Config) { c.Limits.SessionIdle = 100 * time.Millisecond })
		stream := d.parseStreams(t)
		together(t, stream, first(1, template1))
		if err := allOver(t, stream, 1)[1].err; err.GetCode() != "timed_out" || !strings.Contains(err.Remedy, "limits.session_idle") {
			t.Errorf("a silent output ends with %v", err)
		}
		time.Sleep(150 * time.Millisecond) // the stream itself may be silent indefinitely
		together(t, stream, first(2, template1), piece(2, output1), ending(2))
		same(t, allOver(t, stream, 2)[2].result.Message.Text, message1)
	})
	t.Run("of time", func(t *testing.T) {
		d := serve(t, func(c *config.Config) { c.Limits.SessionTime = 100 * time.Millisecond })
		stream := d.parseStreams(t)
		together(t, stream, first(1, template1), piece(1, "Hello."))
		if err := allOver(t, stream, 1)[1].err; err.GetCode() != "timed_out" || !strings.Contains(err.Remedy, "limits.session_time") {
			t.Errorf("an endless output ends with %v", err)
		}
	})
	t.Run("of outputs that failed", func(t *testing.T) {
		d := serve(t, func(c *config.Config) { c.Limits.Sessions = 10 })
		stream := d.parseStreams(t)
		var many []*dragomanv1.OutputRequest
		for n := range uint64(11) {
			many = append(many, piece(n, "never started"))
		}
		together(t, stream, many...)
		allOver(t, stream, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10)
		together(t, stream, piece(11, "never started"))
		_, err := stream.Receive()
		for err == nil {
			_, err = stream.Receive()
		}
		if connect.CodeOf(err) != connect.CodeResourceExhausted || !strings.Contains(err.Error(), "send end or cancel") {
			t.Errorf("the stream ends with %v", err)
		}
	})
}

// TestASharedStreamWaitsForAClientThatDoesNotRead sends far more than the daemon may buffer for a
// client that does not read yet.
func TestASharedStreamWaitsForAClientThatDoesNotRead(t *testing.T) {
	shared.Slow(t)
	const outputs, pieces, size = 4, 64, 1 << 16
	d := serve(t, nil)
	stream := d.parseStreams(t)
	var sent atomic.Int64
	done := make(chan error, 1)
	go func() {
		done <- func() error {
			text := strings.Repeat("x", size)
			for n := range uint64(outputs) {
				if err := stream.Send(&dragomanv1.ParseStreamsRequest{Outputs: []*dragomanv1.OutputRequest{first(n, template1)}}); err != nil {
					return err
				}
				for range pieces {
					if err := stream.Send(&dragomanv1.ParseStreamsRequest{Outputs: []*dragomanv1.OutputRequest{piece(n, text)}}); err != nil {
						return err
					}
					sent.Add(size)
				}
			}
			return stream.CloseRequest()
		}()
	}()
	for before := int64(-1); sent.Load() != before; time.Sleep(500 * time.Millisecond) {
		before = sent.Load()
	}
	if sent.Load() > outputs*pieces*size*3/4 {
		t.Errorf("%d bytes were accepted from a client that does not read", sent.Load())
	}
	got := allOver(t, stream, 0, 1, 2, 3)
	must(t, <-done)
	for n, o := range got {
		if len(o.result.GetMessage().GetText()) < pieces*size {
			t.Errorf("output %d is incomplete: %.200s", n, o.result.GetMessage().GetText())
		}
	}
}

// TestMessagesWithoutTextAreBounded sends an endless series of messages that are small on the wire,
// or have no text, to a blocked stream.
func TestMessagesWithoutTextAreBounded(t *testing.T) {
	const most = 16 << 20 // bytes of memory
	for _, tt := range []struct {
		name    string
		endless bool // the first output blocks, not only the client that does not read
		message func(n uint64) *dragomanv1.OutputRequest
		bytes   int64 // least memory that a message, or its result, takes
	}{
		{"outputs that fail at once", false, ending, 256},
		{"ranges of special tokens", true, func(uint64) *dragomanv1.OutputRequest {
			return &dragomanv1.OutputRequest{Message: &dragomanv1.ParseStreamRequest{Special: make([]*dragomanv1.ByteRange, 1000)}}
		}, 8000},
		{"traces", true, func(uint64) *dragomanv1.OutputRequest {
			return &dragomanv1.OutputRequest{Traceparent: strings.Repeat("0", 1<<16)}
		}, 1 << 16},
	} {
		t.Run(tt.name, func(t *testing.T) {
			free := make(chan struct{})
			ended := func() {
				if tt.endless {
					<-free
				}
			}
			ctx, cancel := context.WithCancel(context.WithValue(t.Context(), recordKey{}, &record{
				parts: func(ctx context.Context, _ *record) (context.Context, func()) { return ctx, ended },
			}))
			var taken atomic.Int64
			receive := func() (*dragomanv1.ParseStreamsRequest, error) {
				if ctx.Err() != nil {
					return nil, io.EOF
				}
				return &dragomanv1.ParseStreamsRequest{Outputs: []*dragomanv1.OutputRequest{tt.message(uint64(taken.Add(1)))}}, nil
			}
			send := func(chatapi.Answers) error {
				<-free
				return nil
			}
			done := make(chan error, 1)
			s := serve(t, nil).service(t)
			go func() { done <- s.share(ctx, receive, send) }()
			for before := int64(-1); taken.Load() != before && taken.Load()*tt.bytes < most; time.Sleep(500 * time.Millisecond) {
				before = taken.Load()
			}
			if taken.Load()*tt.bytes >= most {
				t.Errorf("%d messages were accepted, although none could be finished", taken.Load())
			}
			cancel()
			close(free)
			must(t, <-done)
		})
	}
}

func TestAClientThatReadsNothingIsCutOff(t *testing.T) {
	d := serve(t, func(c *config.Config) { c.Limits.SessionIdle = 300 * time.Millisecond })
	stream := d.parseStreams(t)
	text := strings.Repeat("x", 1<<16)
	deadline := time.Now().Add(patience)
	for n := uint64(0); ; n++ {
		outputs := []*dragomanv1.OutputRequest{first(n, template1), piece(n, text), ending(n)}
		if err := stream.Send(&dragomanv1.ParseStreamsRequest{Outputs: outputs}); err != nil {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("the stream is never cut off")
		}
	}
	d.logs(t, 1, `"msg":"request"`, `"method":"`+strings.TrimPrefix(parseStreamsPath, "/")+`"`, `"code":"timed_out"`)
	eventually(t, "the release of all sessions", func() bool { return d.sessions.Load() == 0 })
}

func TestOutputsOfASharedStreamFinishAtShutdown(t *testing.T) {
	d := serve(t, func(c *config.Config) { c.Shutdown.Grace = patience })
	idle, stream := d.parseStreams(t), d.parseStreams(t)
	together(t, stream, first(1, template1), piece(1, output1[:20]))
	got := map[uint64]*received{}
	receiveUntil(t, stream, got, func() bool { return got[1] != nil })
	d.stop()
	unavailable := func(stream sharedClient) {
		t.Helper()
		if _, err := stream.Receive(); connect.CodeOf(err) != connect.CodeUnavailable {
			t.Errorf("the stream ends with %v", err)
		}
	}
	unavailable(idle)
	together(t, stream, first(2, template1))
	if err := allOver(t, stream, 2)[2].err; err.GetCode() != "unavailable" {
		t.Errorf("an output started during shutdown ends with %v", err)
	}
	together(t, stream, piece(1, output1[20:]), ending(1))
	receiveUntil(t, stream, got, func() bool { return got[1].over() })
	same(t, got[1].result.Message.Text, message1)
	unavailable(stream)
}

// service returns a chat service of the daemon, for tests that bypass HTTP.
func (d *daemon) service(t *testing.T) *chatService {
	return &chatService{host: d.host, sessions: &d.sessions, faults: faults{d.Server.log}, ending: t.Context(), workers: make(workers)}
}

func TestAPanicEndsNothingButItsOutput(t *testing.T) {
	d := serve(t, nil)
	requests := [][]*dragomanv1.OutputRequest{{first(1, template1)}, {first(2, template1)}}
	codes := map[uint64]string{}
	s := d.service(t)
	s.sessions = nil // counting a session panics
	must(t, s.share(t.Context(), func() (*dragomanv1.ParseStreamsRequest, error) {
		if len(requests) == 0 {
			return nil, io.EOF
		}
		in := requests[0]
		requests = requests[1:]
		return &dragomanv1.ParseStreamsRequest{Outputs: in}, nil
	}, func(all chatapi.Answers) error {
		for _, a := range all {
			codes[a.Output] += a.Response.GetError().GetCode()
		}
		return nil
	}))
	if codes[1] != "internal" || codes[2] != "internal" {
		t.Errorf("the outputs end with %v", codes)
	}
	d.logs(t, 2, "panicked", parseStreamsPath)
}

// TestAPanicLosesNothingOfOtherOutputs makes one output of a message panic, when it begins or when
// it ends.
func TestAPanicLosesNothingOfOtherOutputs(t *testing.T) {
	const good, bad = 1, 2
	for name, parts := range map[string]func(output string) (ended func()){
		"when it begins": func(output string) func() {
			if output == "2" {
				panic("while it begins")
			}
			return func() {}
		},
		"when it ends": func(output string) func() {
			return func() {
				if output == "2" {
					panic("while it ends")
				}
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			d := serve(t, nil)
			s := d.service(t)
			m := s.newSharedStream(context.WithValue(t.Context(), recordKey{}, &record{
				parts: func(ctx context.Context, part *record) (context.Context, func()) { return ctx, parts(part.output) },
			}))
			_ = s.faults.run(parseStreamsPath, func() error {
				return m.takeAll([]*dragomanv1.OutputRequest{first(good, template1), piece(good, output1), first(bad, template1), ending(bad)})
			})
			ended := make(chan struct{})
			go func() {
				m.end(nil)
				close(ended)
			}()
			select {
			case <-ended:
			case <-time.After(patience):
				t.Fatal("the outputs do not end")
			}
			var result *dragomanv1.ParseResponse
			must(t, m.write(func(all chatapi.Answers) error {
				for _, a := range all {
					if a.Output == good && a.Response.GetResult() != nil {
						result = a.Response.GetResult()
					}
				}
				return nil
			}))
			same(t, result.GetMessage().GetText(), message1)
			d.logs(t, 1, "panicked", parseStreamsPath)
			if d.sessions.Load() != 0 {
				t.Errorf("%d sessions are not released", d.sessions.Load())
			}
		})
	}
}
