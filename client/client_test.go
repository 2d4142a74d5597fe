package client_test

import (
	"context"
	"encoding/json"
	"errors"
	"log"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/dragoman-project/dragoman/client"
	"github.com/dragoman-project/dragoman/host"
	"github.com/dragoman-project/dragoman/host/api"
	"github.com/dragoman-project/dragoman/host/config"
	"github.com/dragoman-project/dragoman/internal/shared"
	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/dragoman-project/dragoman/sdk/fault"
	"github.com/dragoman-project/dragoman/sdk/grammar"
	"github.com/dragoman-project/dragoman/sdk/peg/match"
	"github.com/dragoman-project/dragoman/sdk/session"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// daemon starts a daemon, and returns its address and a function that stops it.
func daemon(change func(*config.Config)) (address string, stop func(), err error) {
	return daemonWith(change, api.Options{})
}

func daemonWith(change func(*config.Config), o api.Options) (address string, stop func(), err error) {
	cfg := config.Default()
	cfg.Listen.Address = "127.0.0.1:0"
	change(cfg)
	ctx, cancel := context.WithCancel(context.Background())
	h, err := host.New(ctx, host.Options{Config: cfg})
	if err != nil {
		cancel()
		return "", nil, err
	}
	l, err := api.Listen(ctx, cfg.Listen)
	if err != nil {
		cancel()
		return "", nil, err
	}
	ended := make(chan error, 1)
	go func() { ended <- api.New(h, o).Serve(ctx, l) }()
	address = "http://" + l.Addr().String()
	if network, path := cfg.Listen.Network(); network == "unix" {
		address = "unix:" + path
	}
	return address, sync.OnceFunc(func() {
		cancel()
		if err := errors.Join(<-ended, h.Close(context.Background())); err != nil {
			log.Print(err)
		}
	}), nil
}

func unchanged(*config.Config) {}

const request1 = `{"messages": [{"role": "user", "content": "Hi"}], "tools": [{"type": "function", "function": {"name": "weather"}}]}`

func TestAStreamHasTheResultOfParseAtEverySplit(t *testing.T) {
	address, stop, err := daemon(unchanged)
	must(t, err)
	defer stop()
	c := client.New(address, client.Options{})
	defer c.Close()
	const output = "Grüße\n<tool_call>\n{\"name\": \"weather\", \"arguments\": {\"a\": 1}}\n</tool_call>"
	whole, err := c.Parse(t.Context(), "chatml-json", request1, output)
	must(t, err)
	for cut := range len(output) {
		stream, err := c.ParseStream(t.Context(), "chatml-json", request1)
		must(t, err)
		must(t, stream.Send(output[:cut]))
		must(t, stream.Send(output[cut:]))
		must(t, stream.CloseSend())
		chunks := 0
		for chunk, err := range stream.Chunks() {
			must(t, err)
			if !json.Valid(chunk) {
				t.Errorf("cut at %d: the chunk %s is not JSON", cut, chunk)
			}
			chunks++
		}
		got := stream.Result()
		got.Message.ToolCalls[0].ID, got.Report.MaxHeld = whole.Message.ToolCalls[0].ID, whole.Report.MaxHeld // random; depends on the cut
		if diff := cmp.Diff(whole, got); diff != "" || chunks == 0 {
			t.Fatalf("cut at %d, %d chunks (-whole +stream):\n%s", cut, chunks, diff)
		}
	}
}

func TestAStreamNeedNotKeepWhatItDelivers(t *testing.T) {
	address, stop, err := daemon(unchanged)
	must(t, err)
	defer stop()
	c := client.New(address, client.Options{})
	defer c.Close()
	parse := func(options ...client.Option) (chunks []string, r *session.Result) {
		stream, err := c.ParseStream(t.Context(), "chatml-json", request1, append(options, client.IDSeed("x"), client.Deltas())...)
		must(t, err)
		must(t, stream.Send("<think>Hm.</think>Grüße\n<tool_call>\n{\"name\": \"weather\", \"arguments\": {\"a\": 1}}\n</tool_call>"))
		must(t, stream.CloseSend())
		for chunk, err := range stream.Chunks() {
			must(t, err)
			chunks = append(chunks, string(chunk))
		}
		return chunks, stream.Result()
	}
	want, whole := parse()
	got, r := parse(client.DeliveredOnly())
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if text := r.Message.Content.Text; r.Message.ReasoningContent != "" || len(r.Message.ToolCalls) > 0 || text != nil && *text != "" || len(r.Report.Spans) > 0 {
		t.Errorf("%+v, %+v", r.Message, r.Report)
	}
	if len(whole.Message.ToolCalls) == 0 || r.FinishReason != whole.FinishReason || r.Report.Status != whole.Report.Status || r.Report.Length != whole.Report.Length {
		t.Errorf("%+v, the whole result is %+v", r, whole)
	}
}

func TestATruncatedOutputHasFinishReasonLength(t *testing.T) {
	address, stop, err := daemon(unchanged)
	must(t, err)
	defer stop()
	c := client.New(address, client.Options{})
	defer c.Close()
	stream, err := c.ParseStream(t.Context(), "chatml-json", []byte(request1))
	must(t, err)
	must(t, stream.Send("Hello"))
	must(t, stream.Truncated())
	must(t, stream.CloseSend())
	for _, err := range stream.Chunks() {
		must(t, err)
	}
	if got := stream.Result().FinishReason; got != chat.FinishLength {
		t.Errorf("the finish reason is %q", got)
	}
}

func TestErrorsCarryTheDetailsOfTheDaemon(t *testing.T) {
	address, stop, err := daemon(func(c *config.Config) {
		c.Auth.Tokens = []string{"hush"}
		c.Listen.Address = "unix:" + filepath.Join(t.TempDir(), "s")
	})
	must(t, err)
	defer stop()
	c := client.New(address, client.Options{Token: "hush"})
	defer c.Close()
	var remote *fault.Error
	_, err = c.Plan(t.Context(), "chatml-json", map[string]any{"messages": []any{map[string]any{"role": "user", "content": 5}}})
	if !errors.As(err, &remote) || remote.Code != "invalid_argument" || remote.Place != "messages[0].content" {
		t.Errorf("a malformed history: %v", err)
	}
	stream, err := c.ParseStream(t.Context(), "nobody", request1)
	must(t, err)
	_ = stream.CloseSend()
	for _, err := range stream.Chunks() {
		if !errors.As(err, &remote) || remote.Code != "not_found" || !strings.Contains(remote.Remedy, "chatml-json") {
			t.Errorf("an unknown template: %v", err)
		}
	}
	if stream.Result() != nil {
		t.Error("got a result beside the error")
	}
	unauthorized := client.New(address, client.Options{})
	defer unauthorized.Close()
	if _, err := unauthorized.Parse(t.Context(), "chatml-json", request1, "x"); !errors.As(err, &remote) || remote.Code != "unauthenticated" {
		t.Errorf("without a token: %v", err)
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestAContextEndsAStreamThatWaits(t *testing.T) {
	shared.Slow(t)
	address, stop, err := daemon(unchanged)
	must(t, err)
	defer stop()
	c := client.New(address, client.Options{})
	defer c.Close()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	stream, err := c.ParseStream(ctx, "chatml-json", request1)
	must(t, err)
	must(t, stream.Send("Hello there."))
	for _, err := range stream.Chunks() {
		if cancel(); err == nil {
			continue
		}
		var remote *fault.Error
		if !errors.As(err, &remote) || remote.Code != "canceled" {
			t.Errorf("the stream ends with %v", err)
		}
	}
}

func TestAPlanForAnEngineHasItsNotation(t *testing.T) {
	address, stop, err := daemon(unchanged)
	must(t, err)
	defer stop()
	c := client.New(address, client.Options{})
	defer c.Close()
	plan, err := c.PlanFor(t.Context(), grammar.TargetStructuralTag, "chatml-reasoning", request1)
	must(t, err)
	if k := plan.Constraint; k == nil || k.Target != grammar.TargetStructuralTag || !json.Valid([]byte(k.Content)) {
		t.Errorf("the constraint is %+v, expected a structural tag", k)
	}
	if !plan.SupportsThinking || plan.ThinkingStart == "" || len(plan.ThinkingEnds) == 0 || plan.ReasoningState == "" || plan.Generation == 0 || len(plan.Delimiters) == 0 {
		t.Errorf("%+v lacks fields that the daemon sends", plan)
	}
}

func TestProseMaySpellAMarkerWhereTokensAreKnown(t *testing.T) {
	address, stop, err := daemon(unchanged)
	must(t, err)
	defer stop()
	c := client.New(address, client.Options{})
	defer c.Close()
	const said = "It writes <tool_call> for a call."
	stream, err := c.ParseStream(t.Context(), "chatml-json", request1, client.SpecialKnown())
	must(t, err)
	must(t, stream.Send(said[:len(said)/2]))
	must(t, stream.Send(said[len(said)/2:]))
	must(t, stream.SendSpecial("<|im_end|>", match.Range{Start: 0, End: len("<|im_end|>")}))
	must(t, stream.CloseSend())
	for _, err := range stream.Chunks() {
		must(t, err)
	}
	if got := *stream.Result().Message.Content.Text; got != said {
		t.Errorf("got %q, expected %q", got, said)
	}
}
