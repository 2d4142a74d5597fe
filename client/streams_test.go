package client_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"
	"golang.org/x/sync/errgroup"

	"github.com/dragoman-project/dragoman/client"
	"github.com/dragoman-project/dragoman/host/api"
	"github.com/dragoman-project/dragoman/host/config"
	"github.com/dragoman-project/dragoman/sdk/fault"
	"github.com/dragoman-project/dragoman/sdk/session"
)

// sharing starts a daemon and opens a shared stream.
func sharing(t *testing.T, change func(*config.Config)) (c *client.Client, streams *client.Streams, stop func()) {
	t.Helper()
	address, stop, err := daemon(change)
	must(t, err)
	c = client.New(address, client.Options{})
	t.Cleanup(c.Close)
	streams, err = c.ParseStreams(t.Context())
	must(t, err)
	t.Cleanup(streams.Close)
	return c, streams, stop
}

// all reads the chunks of an output to their end.
func all(stream *client.Stream) (chunks []json.RawMessage, err error) {
	for chunk, fault := range stream.Chunks() {
		if fault != nil {
			return chunks, fault
		}
		chunks = append(chunks, chunk)
	}
	return chunks, nil
}

// hasCode reports whether err came from the daemon with this code.
func hasCode(err error, code string) bool {
	var remote *fault.Error
	return errors.As(err, &remote) && remote.Code == fault.Code(code)
}

// TestOutputsThatShareAStreamHaveTheResultOfParse cuts the output everywhere, all cuts
// concurrently.
func TestOutputsThatShareAStreamHaveTheResultOfParse(t *testing.T) {
	c, streams, stop := sharing(t, unchanged)
	defer stop()
	const output = "Grüße\n<tool_call>\n{\"name\": \"weather\", \"arguments\": {\"a\": 1}}\n</tool_call>"
	whole, err := c.Parse(t.Context(), "chatml-json", request1, output, client.IDSeed("seed"))
	must(t, err)
	var outputs errgroup.Group
	for cut := range len(output) {
		outputs.Go(func() error {
			stream, err := streams.ParseStream(t.Context(), "chatml-json", request1, client.IDSeed("seed"))
			if err := errors.Join(err, stream.Send(output[:cut]), stream.Send(output[cut:]), stream.CloseSend()); err != nil {
				return err
			}
			chunks, err := all(stream)
			if err != nil {
				return err
			}
			got := stream.Result()
			got.Report.MaxHeld = whole.Report.MaxHeld // depends on the cut
			if diff := cmp.Diff(whole, got); diff != "" || len(chunks) == 0 {
				t.Errorf("cut at %d, %d chunks (-whole +stream):\n%s", cut, len(chunks), diff)
			}
			return nil
		})
	}
	must(t, outputs.Wait())
}

func TestAnOutputThatSharesAStreamEndsAlone(t *testing.T) {
	_, streams, stop := sharing(t, func(c *config.Config) { c.Limits.Sessions = 20 })
	defer stop()
	good, err := streams.ParseStream(t.Context(), "chatml-json", request1)
	must(t, err)
	must(t, good.Send("Hello "))

	unknown, err := streams.ParseStream(t.Context(), "nobody", request1)
	must(t, err)
	if _, err := all(unknown); !hasCode(err, "not_found") {
		t.Errorf("an unknown template: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	given, err := streams.ParseStream(ctx, "chatml-json", request1)
	must(t, err)
	cancel()
	if _, err := all(given); !errors.Is(err, context.Canceled) {
		t.Errorf("an output whose context has ended: %v", err)
	}
	for range 50 { // each releases its session
		left, err := streams.ParseStream(t.Context(), "chatml-json", request1)
		must(t, err)
		must(t, left.Send("Hello there."))
		for _, err := range left.Chunks() {
			must(t, err)
			break // the rest is not read
		}
	}
	must(t, good.Send("there."))
	must(t, good.CloseSend())
	if _, err := all(good); err != nil || *good.Result().Message.Content.Text != "Hello there." {
		t.Errorf("the good output: %v, %v", good.Result(), err)
	}
	if err := good.Send("more"); err == nil {
		t.Error("an output accepts text after its end")
	}
}

func TestAStreamOutlivesAnyNumberOfOutputsThatFail(t *testing.T) {
	const sessions = 5
	_, streams, stop := sharing(t, func(c *config.Config) { c.Limits.Sessions = sessions })
	defer stop()
	for range 10 * sessions {
		unknown, err := streams.ParseStream(t.Context(), "nobody", request1)
		must(t, err)
		if _, err := all(unknown); !hasCode(err, "not_found") {
			t.Fatalf("an unknown template: %v", err)
		}
	}
	good, err := streams.ParseStream(t.Context(), "chatml-json", request1)
	must(t, errors.Join(err, good.Send("Hello there."), good.CloseSend()))
	_, err = all(good)
	must(t, err)
}

func TestOutputsLearnThatTheirStreamIsOver(t *testing.T) {
	for name, end := range map[string]func(streams *client.Streams, stop func()){
		"the client has closed it": func(streams *client.Streams, _ func()) { streams.Close() },
		"the daemon has ended":     func(_ *client.Streams, stop func()) { stop() },
	} {
		t.Run(name, func(t *testing.T) {
			_, streams, stop := sharing(t, func(c *config.Config) { c.Shutdown.Grace = 0 })
			defer stop()
			stream, err := streams.ParseStream(t.Context(), "chatml-json", request1)
			must(t, err)
			must(t, stream.Send("Hello there."))
			end(streams, stop)
			var remote *fault.Error
			if _, err := all(stream); !errors.As(err, &remote) {
				t.Errorf("the output ends with %v", err)
			}
			if _, err := streams.ParseStream(t.Context(), "chatml-json", request1); !errors.As(err, &remote) {
				t.Errorf("the next one begins with %v", err)
			}
		})
	}
}

// TestTheDaemonsSpanOfAnOutputContinuesTheTraceOfItsContext opens a stream, and outputs on it with
// a trace of their own and without one.
func TestTheDaemonsSpanOfAnOutputContinuesTheTraceOfItsContext(t *testing.T) {
	spans := tracetest.NewSpanRecorder()
	tracer := sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(spans)).Tracer("")
	address, stop, err := daemonWith(unchanged, api.Options{Tracer: tracer})
	must(t, err)
	defer stop()
	c := client.New(address, client.Options{})
	defer c.Close()
	streams, err := c.ParseStreams(t.Context())
	must(t, err)
	defer streams.Close()

	ctx, own := tracer.Start(t.Context(), "the output's own")
	stream, err := streams.ParseStream(ctx, "chatml-json", request1)
	must(t, errors.Join(err, stream.CloseSend()))
	_, err = all(stream)
	must(t, err)
	to := &kept{ended: make(chan struct{})}
	sender, err := streams.ParseInto(ctx, "chatml-json", request1, to)
	must(t, errors.Join(err, sender.CloseSend()))
	<-to.ended
	stream, err = streams.ParseStream(t.Context(), "chatml-json", request1)
	must(t, errors.Join(err, stream.CloseSend()))
	_, err = all(stream)
	must(t, err)
	streams.Close()
	stop() // ends all spans

	parents := map[trace.SpanID]int{}
	for _, span := range spans.Ended() {
		if strings.HasSuffix(span.Name(), "/output") {
			parents[span.Parent().SpanID()]++
		}
	}
	if parents[own.SpanContext().SpanID()] != 2 || len(parents) != 2 {
		t.Errorf("the spans of the outputs have the parents %v, expected two with %v and one with the stream's", parents, own.SpanContext().SpanID())
	}
}

func TestChunksCanBeDeltasAlone(t *testing.T) {
	_, streams, stop := sharing(t, unchanged)
	defer stop()
	stream, err := streams.ParseStream(t.Context(), "chatml-json", request1, client.Deltas())
	must(t, err)
	streams.Together(func() {
		must(t, stream.Send("Hello "))
		must(t, stream.Send("<b>there</b>."))
		must(t, stream.CloseSend())
	})
	chunks, err := all(stream)
	must(t, err)
	var text string
	for _, chunk := range chunks {
		var delta map[string]string
		must(t, json.Unmarshal(chunk, &delta))
		text += delta["content"]
	}
	if result := stream.Result(); text != "Hello <b>there</b>." || result.FinishReason != "stop" || *result.Message.Content.Text != text {
		t.Errorf("the deltas have %q, the result %+v", text, result)
	}
}

// kept is a Receiver that keeps everything.
type kept struct {
	chunks []json.RawMessage
	result *session.Result
	err    error
	ended  chan struct{}
	ends   int
}

func (k *kept) Chunk(chunk json.RawMessage) { k.chunks = append(k.chunks, chunk) }

func (k *kept) End(result *session.Result, err error) {
	if k.ends++; k.ends == 1 {
		k.result, k.err = result, err
		close(k.ended)
	}
}

// TestAReceiverGetsTheChunksOfTheStream cuts the output everywhere.
func TestAReceiverGetsTheChunksOfTheStream(t *testing.T) {
	_, streams, stop := sharing(t, unchanged)
	defer stop()
	const output = "Grüße\n<tool_call>\n{\"name\": \"weather\", \"arguments\": {\"a\": 1}}\n</tool_call>"
	for cut := range len(output) {
		to := &kept{ended: make(chan struct{})}
		sender, err := streams.ParseInto(t.Context(), "chatml-json", request1, to, client.NoIDs(), client.Deltas())
		must(t, errors.Join(err, sender.Send(output[:cut]), sender.Send(output[cut:]), sender.CloseSend()))
		stream, err := streams.ParseStream(t.Context(), "chatml-json", request1, client.NoIDs(), client.Deltas())
		must(t, errors.Join(err, stream.Send(output[:cut]), stream.Send(output[cut:]), stream.CloseSend()))
		chunks, err := all(stream)
		must(t, err)
		<-to.ended
		if diff := cmp.Diff(chunks, to.chunks); to.err != nil || diff != "" || !cmp.Equal(stream.Result(), to.result) {
			t.Errorf("cut at %d: %v (-chunks +receiver):\n%s%s", cut, to.err, diff, cmp.Diff(stream.Result(), to.result))
		}
	}
}

func TestAReceiverLearnsHowItsOutputEnds(t *testing.T) {
	for name, tt := range map[string]struct {
		template string
		end      func(cancel func(), streams *client.Streams, stop func())
		want     func(error) bool
	}{
		"its template is unknown": {"nobody", func(func(), *client.Streams, func()) {}, func(err error) bool { return hasCode(err, "not_found") }},
		"its context ends": {"chatml-json", func(cancel func(), _ *client.Streams, _ func()) { cancel() },
			func(err error) bool { return errors.Is(err, context.Canceled) }},
		"the stream is closed": {"chatml-json", func(_ func(), s *client.Streams, _ func()) { s.Close() }, func(err error) bool { return hasCode(err, "canceled") }},
		"the daemon ends": {"chatml-json", func(_ func(), _ *client.Streams, stop func()) { stop() },
			func(err error) bool { return hasCode(err, "unavailable") }},
	} {
		t.Run(name, func(t *testing.T) {
			_, streams, stop := sharing(t, func(c *config.Config) { c.Shutdown.Grace = 0 })
			defer stop()
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			to := &kept{ended: make(chan struct{})}
			sender, err := streams.ParseInto(ctx, tt.template, request1, to)
			must(t, err)
			_ = sender.Send("Hello") // io.EOF where the output has ended already
			tt.end(cancel, streams, stop)
			<-to.ended
			if !tt.want(to.err) || to.result != nil {
				t.Errorf("got %v, %v", to.result, to.err)
			}
			if err := sender.Send("more"); err == nil {
				t.Error("an output accepts text after its end")
			}
			streams.Close()
			if to.ends != 1 {
				t.Errorf("End was called %d times", to.ends)
			}
		})
	}
}

// TestABacklogIsNoErrorWhateverTheSizeOfItsPieces sends more at once than fits into one message: many pieces, and large ones.
func TestABacklogIsNoErrorWhateverTheSizeOfItsPieces(t *testing.T) {
	const limit = 2 << 20
	for name, pieces := range map[string][]string{
		"many small ones": slices.Repeat([]string{"x"}, 300_000),
		"empty ones":      slices.Repeat([]string{""}, 300_000),
		"large ones":      slices.Repeat([]string{strings.Repeat("x", limit*9/20), strings.Repeat("x", limit*9/10)}, 3),
	} {
		t.Run(name, func(t *testing.T) {
			_, streams, stop := sharing(t, func(c *config.Config) { c.Limits.BodyBytes = limit })
			defer stop()
			stream, err := streams.ParseStream(t.Context(), "chatml-json", request1)
			must(t, err)
			go streams.Together(func() {
				for _, piece := range pieces {
					_ = stream.Send(piece) // Chunks has the error
				}
				_ = stream.CloseSend()
			})
			if _, err := all(stream); err != nil {
				t.Fatal(err)
			}
			if got, want := len(*stream.Result().Message.Content.Text), len(strings.Join(pieces, "")); got != want {
				t.Errorf("the content has %d bytes, expected %d", got, want)
			}
		})
	}
}
