package anthropic

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/dragoman-project/dragoman/gateway"
	"github.com/dragoman-project/dragoman/gateway/engine"
	"github.com/dragoman-project/dragoman/gateway/engine/replay"
	"github.com/dragoman-project/dragoman/gateway/gatewaytest"
	"github.com/dragoman-project/dragoman/gateway/seal"
	"github.com/dragoman-project/dragoman/host/api"
	"github.com/dragoman-project/dragoman/host/config"
	"github.com/dragoman-project/dragoman/sdk/fault"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// player is the replay engine with the model "scripted", which writes what a test wants, and keeps its last request.
type player struct {
	*replay.Engine
	output string
	size   int          // of a piece, in bytes
	last   engine.Piece // without its text
	fails  error        // after the output
	asked  *engine.Request
	ended  chan struct{} // an output without an end has
}

func (p *player) Models(context.Context) ([]engine.Model, error) {
	return []engine.Model{{Name: "replay", Known: "chatml-reasoning"}, {Name: "scripted", Known: "chatml-reasoning"}, {Name: "endless", Known: "chatml-reasoning"}}, nil
}

func (p *player) Complete(ctx context.Context, r *engine.Request) (engine.Stream, error) {
	p.asked = r
	switch r.Model {
	case "scripted":
		return &script{player: p, left: p.output}, nil
	case "endless":
		return &gatewaytest.Endless{Context: ctx, Ended: p.ended}, nil
	}
	return p.Engine.Complete(ctx, r)
}

type script struct {
	*player
	left string
	done bool
}

func (s *script) Next() (engine.Piece, error) {
	switch {
	case s.done:
		return engine.Piece{}, io.EOF
	case s.left == "" && s.fails != nil:
		return engine.Piece{}, s.fails
	case s.left == "":
		s.done = true
		return s.last, nil
	}
	n := min(s.size, len(s.left))
	p := engine.Piece{Text: []byte(s.left[:n])}
	s.left = s.left[n:]
	return p, nil
}

func (s *script) Close() error { return nil }

type daemon struct {
	*gatewaytest.Daemon
	*player
	sealer *seal.Sealer
}

func serve(t testing.TB, change func(*config.Config)) *daemon {
	t.Helper()
	recorded, err := replay.New(replay.Options{})
	if err != nil {
		t.Fatal(err)
	}
	d := &daemon{player: &player{Engine: recorded, size: 4, last: engine.Piece{Finish: engine.Stopped}, ended: make(chan struct{})}, sealer: sealer(t)}
	d.Daemon = gatewaytest.Serve(t, d.player, change, func(g *gateway.Gateway) []api.Endpoint { return Endpoints(g, d.sealer) })
	return d
}

func (d *daemon) post(t testing.TB, path, body string, headers ...string) (gatewaytest.Head, string) {
	t.Helper()
	return d.Send(t, http.MethodPost, path, body, headers...)
}

// said is a message as clients read it.
type said struct {
	ID, Type, Role, Model string
	Content               []saidBlock
	Reason                *string `json:"stop_reason"`
	Sequence              *string `json:"stop_sequence"`
	Usage                 usage
}

type saidBlock struct {
	Type, Text, Thinking, Signature, ID, Name string
	Input                                     json.RawMessage
}

func decode[T any](t testing.TB, text string) (v T) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return v
}

// message sends a request and returns the message.
func (d *daemon) message(t testing.TB, body string) said {
	t.Helper()
	res, text := d.post(t, messagesPath, body)
	if res.StatusCode != http.StatusOK {
		t.Fatalf("%s: %d %s", body, res.StatusCode, text)
	}
	return decode[said](t, text)
}

// saidEvent is an event as clients read it.
type saidEvent struct {
	Type    string
	Message said
	Index   int
	Block   saidBlock `json:"content_block"`
	Delta   struct {
		Type, Text, Thinking, Signature string
		Partial                         string  `json:"partial_json"`
		Reason                          *string `json:"stop_reason"`
		Sequence                        *string `json:"stop_sequence"`
	}
	Usage usage
	Error struct{ Type, Message string }
}

// events reads a stream.
func events(t testing.TB, body string) (all []saidEvent) {
	t.Helper()
	for text := range strings.SplitSeq(strings.TrimSuffix(body, "\n\n"), "\n\n") {
		head, data, ok := strings.Cut(text, "\ndata: ")
		e := decode[saidEvent](t, data)
		if !ok || head != "event: "+e.Type {
			t.Fatalf("%q", text)
		}
		all = append(all, e)
	}
	return all
}

// merged returns the message that a stream says, as clients merge it, and complains where they would.
func merged(t testing.TB, all []saidEvent) said {
	t.Helper()
	var m said
	open, arguments := false, ""
	for i, e := range all {
		b := len(m.Content) - 1
		if within := strings.HasPrefix(e.Type, "content_block_") && e.Type != "content_block_start"; within != open && e.Type != "ping" || within && e.Index != b || m.Reason != nil && e.Type != "message_stop" {
			t.Fatalf("event %d, %+v, is out of place", i, e)
		}
		switch e.Type {
		case "message_start":
			m = e.Message
		case "content_block_start":
			if open, arguments = true, ""; e.Index != len(m.Content) {
				t.Fatalf("event %d begins block %d after %d", i, e.Index, b)
			}
			m.Content = append(m.Content, e.Block)
		case "content_block_delta":
			m.Content[b].Text += e.Delta.Text
			m.Content[b].Thinking += e.Delta.Thinking
			m.Content[b].Signature += e.Delta.Signature
			arguments += e.Delta.Partial
		case "content_block_stop":
			open = false
			if arguments != "" {
				m.Content[b].Input = json.RawMessage(arguments)
			}
		case "message_delta":
			m.Reason, m.Sequence, m.Usage = e.Delta.Reason, e.Delta.Sequence, e.Usage
		}
	}
	return m
}

func gone() error {
	return &fault.Error{Code: fault.Unavailable, Message: "the engine is gone", Remedy: "try again"}
}

// body returns a request to a model with these members.
func body(model, more string) string {
	return `{"model":"` + model + `","max_tokens":1000,` + more + `}`
}

const (
	thinks   = `"thinking":{"type":"enabled","budget_tokens":1024},`
	greeting = `"messages":[{"role":"user","content":"Hi"}]`
	tools    = `"tools":[{"name":"get_weather","description":"Weather","input_schema":{"type":"object","properties":{"city":{"type":"string"}},"required":["city"],"additionalProperties":false}}]`
	weather  = `"messages":[{"role":"user","content":"Weather in Oslo and Bergen?"}],` + tools
)
