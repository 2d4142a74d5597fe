package main

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/dragoman-project/dragoman/client"
	"github.com/dragoman-project/dragoman/host"
	"github.com/dragoman-project/dragoman/host/api"
	"github.com/dragoman-project/dragoman/host/config"
	"github.com/dragoman-project/dragoman/internal/shared"
	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/dragoman-project/dragoman/sdk/session"
)

// mutation changes what a client receives of one output, as a daemon with a defect would.
type mutation struct {
	name   string
	remote bool // outputs may have been resumed by another plugin process
	chunk  func(number int, delta json.RawMessage) []json.RawMessage
	end    func(*session.Result)
	want   string // part of the verdict; "" if the output is right
}

// at applies a change to the tenth delta.
func at(number int, delta json.RawMessage, change func() []json.RawMessage) []json.RawMessage {
	if number == 10 {
		return change()
	}
	return []json.RawMessage{delta}
}

func repeat(n int, d json.RawMessage) []json.RawMessage {
	return at(n, d, func() []json.RawMessage { return []json.RawMessage{d, d} })
}

func drop(n int, d json.RawMessage) []json.RawMessage {
	return at(n, d, func() []json.RawMessage { return nil })
}

func shorten(n int, d json.RawMessage) []json.RawMessage {
	return at(n, d, func() []json.RawMessage {
		i := bytes.LastIndexAny(d, "aeiou ")
		return []json.RawMessage{append(bytes.Clone(d[:i]), d[i+1:]...)}
	})
}

// recut cuts a text in two, which is right only where an output was resumed.
func recut(n int, d json.RawMessage) []json.RawMessage {
	head, text, found := bytes.Cut(d, []byte(`content":"`))
	if !found || n < 10 || len(text) < 5 || text[0] == '\\' || text[0] > '~' {
		return []json.RawMessage{d}
	}
	part := func(text []byte) json.RawMessage { return bytes.Join([][]byte{head, text}, []byte(`content":"`)) }
	return []json.RawMessage{part(append(text[:1:1], `"}`...)), part(text[1:])}
}

var mutations = []mutation{
	{name: "none"},
	{name: "none, remote", remote: true},
	{name: "a delta twice", chunk: repeat, want: "are wrong"},
	{name: "a delta twice, remote", remote: true, chunk: repeat, want: "are wrong"},
	{name: "a delta lost", chunk: drop, want: "are wrong"},
	{name: "a delta lost, remote", remote: true, chunk: drop, want: "are wrong"},
	{name: "a byte lost", chunk: shorten, want: "are wrong"},
	{name: "a byte lost, remote", remote: true, chunk: shorten, want: "are wrong"},
	{name: "other pieces", chunk: recut, want: "are wrong"},
	{name: "other pieces, remote", remote: true, chunk: recut},
	{name: "another finish reason", end: func(r *session.Result) { r.FinishReason = chat.FinishLength }, want: "are wrong"},
	{name: "another status", end: func(r *session.Result) { r.Report.Status = chat.Truncated }, want: "are wrong"},
	{name: "another finish reason, remote", remote: true, end: func(r *session.Result) { r.FinishReason = chat.FinishLength }, want: "are wrong"},
	{name: "another message, remote", remote: true, end: func(r *session.Result) { r.Message.ReasoningContent += "." }, want: "are wrong"},
}

// mutant is a connection to a daemon with a defect.
type mutant struct {
	opener
	mutation
}

// ParseInto implements opener.
func (m mutant) ParseInto(ctx context.Context, template string, request any, to client.Receiver, options ...client.Option) (*client.Sender, error) {
	return m.opener.ParseInto(ctx, template, request, &altered{Receiver: to, mutation: m.mutation}, options...)
}

type altered struct {
	client.Receiver
	mutation
	chunks int
}

// Chunk passes on what the mutation makes of a delta.
func (a *altered) Chunk(delta json.RawMessage) {
	a.chunks++
	deltas := []json.RawMessage{delta}
	if a.chunk != nil {
		deltas = a.chunk(a.chunks, delta)
	}
	for _, d := range deltas {
		a.Receiver.Chunk(d)
	}
}

// End passes on what the mutation makes of a result.
func (a *altered) End(r *session.Result, err error) {
	if r != nil && a.end != nil {
		a.end(r)
	}
	a.Receiver.End(r, err)
}

// TestADaemonWithADefectIsCaught loads a daemon whose answers are altered on the way, once for each defect.
func TestADaemonWithADefectIsCaught(t *testing.T) {
	shared.Slow(t)
	dir := folder(t.TempDir())
	must(t, os.CopyFS(string(dir), templates))
	must(t, os.Mkdir(dir.plugins(), 0o700))
	scripts, err := prepare(t.Context(), dir)
	must(t, err)
	cfg := config.Default()
	cfg.Templates.Dir, cfg.Workarounds.File = dir.templates(), dir.rules()
	h, err := host.New(t.Context(), host.Options{Config: cfg, Static: true})
	must(t, err)
	t.Cleanup(func() { must(t, h.Close(context.Background())) })
	server := httptest.NewUnstartedServer(api.New(h, api.Options{}))
	server.Config.Protocols = new(http.Protocols)
	server.Config.Protocols.SetUnencryptedHTTP2(true)
	server.Start()
	t.Cleanup(server.Close)
	for _, m := range mutations {
		t.Run(m.name, func(t *testing.T) {
			c := client.New(server.URL, client.Options{})
			defer c.Close()
			for _, all := range scripts {
				for _, s := range all {
					s.remote = m.remote
				}
			}
			o := options{streams: 8, rate: 2000, time: 100 * time.Millisecond}
			ctx, stop := context.WithTimeout(t.Context(), o.time)
			defer stop()
			var results tally
			must(t, load(ctx, o, &daemon{via: []opener{mutant{each{c}, m}}}, scripts, &results))
			verdict := results.verdict(o)
			switch {
			case m.want == "" && verdict != nil && !strings.Contains(verdict.Error(), "no stream was right"):
				t.Error(verdict)
			case m.want == "" && results.ended[right]+results.ended[resumed] == 0:
				t.Error("no stream ended")
			case m.want != "" && (verdict == nil || !strings.Contains(verdict.Error(), m.want)):
				t.Errorf("the verdict is %v, want %q; outcomes %v", verdict, m.want, results.ended)
			}
		})
	}
}

func TestRefusalsAreBounded(t *testing.T) {
	var results tally
	results.ended[right], results.refused, results.broken = 100, 2, 1
	results.killed.Store(3)
	if err := results.verdict(options{}); err != nil {
		t.Error(err)
	}
	results.refused++
	if err := results.verdict(options{}); err == nil || !strings.Contains(err.Error(), "3 streams were refused and 1 broken after 3 kills") {
		t.Error(err)
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
