// Package reply is what the clients' APIs have in common: an answer of the gateway on its way to a client. Packages openai, responses and
// anthropic beside it have the words of one API each.
//
//	body ─plan→ gateway.Answer ─Begin→ Reply{Outputs} ─Head→ headers ─Events→ the API's own events, or one body
package reply

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/dragoman-project/dragoman/gateway"
	"github.com/dragoman-project/dragoman/host/api"
	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/dragoman-project/dragoman/sdk/fault"
)

// The gateway's own headers: its overhead until the first byte, besides waiting for the engine, in milliseconds; what of a request has
// no effect or is not enforced; and how many bytes of the prompt the client has sent before, of how many.
const (
	OverheadHeader = "Dragoman-Overhead-Ms"
	WarningsHeader = "Dragoman-Warnings"
	SharedHeader   = "Dragoman-Shared-Prefix"
)

// Reply is an answer on its way to a client. It must be closed.
type Reply struct {
	*gateway.Answer
	// ID is the id of the answer, which engines see, too.
	ID string
	// Created is when the request came.
	Created time.Time
	// Outputs has one for each choice. Every one has begun.
	Outputs []*gateway.Output

	w        http.ResponseWriter
	ctx      context.Context // of the request, until the reply is closed or fails
	cancel   context.CancelFunc
	release  func()
	overhead time.Duration
	counted  bool // its tokens are in the record of the request
	// delivered ends the span that begins with the engine's first piece.
	delivered func()
}

// Plan reads a request from its body.
type Plan func(ctx context.Context, body []byte) (*gateway.Answer, error)

// Begin reads the body of a request, has it planned, and begins its outputs. After an error nothing was sent, and there is no Reply.
func Begin(w http.ResponseWriter, request *http.Request, id string, plan Plan) (_ *Reply, err error) {
	r := &Reply{ID: id, Created: time.Now(), w: w, release: func() {}, delivered: func() {}}
	body, err := io.ReadAll(request.Body)
	if err != nil {
		return nil, err
	}
	received := time.Now()
	r.ctx, r.cancel = context.WithCancel(request.Context())
	defer func() {
		if err != nil {
			r.Close()
		}
	}()
	planned := api.Phase(r.ctx, "plan")
	r.Answer, err = plan(r.ctx, body)
	planned()
	if err != nil {
		return nil, err
	}
	api.Received(r.ctx)
	api.Note(r.ctx, api.Facts{Template: r.Template, Handler: r.Handler})
	release, err := api.Outputs(r.ctx, r.Choices-1)
	if err != nil {
		return nil, err
	}
	r.release = release
	begun := api.Phase(r.ctx, "engine")
	waited, err := r.begin()
	begun()
	if err != nil {
		return nil, err
	}
	r.delivered = api.Phase(r.ctx, "output")
	r.overhead = time.Since(received) - waited
	api.Note(r.ctx, api.Facts{FirstToken: time.Since(r.Created), Overhead: r.overhead, Shared: r.shared()})
	return r, nil
}

// shared returns which share of the prompt was sent before, if it is not the first turn of its conversation.
func (r *Reply) shared() *float64 {
	if !slices.ContainsFunc(r.Request().Messages, func(m chat.Message) bool { return m.Role == chat.RoleAssistant }) {
		return nil
	}
	bytes, of := r.Shared()
	share := float64(bytes) / float64(max(of, 1))
	return &share
}

// begin begins the outputs, and returns how long engines were waited for.
func (r *Reply) begin() (waited time.Duration, err error) {
	r.Outputs = make([]*gateway.Output, r.Choices)
	waits := make([]time.Duration, r.Choices)
	err = r.Each(func(i int) (err error) {
		r.Outputs[i], err = r.Answer.Begin(r.ctx, r.ID, &waits[i])
		return err
	})
	return slices.Max(waits), err
}

// Close gives up what has not ended.
func (r *Reply) Close() {
	for _, o := range r.Outputs {
		if o != nil {
			o.Close()
		}
	}
	if !r.counted {
		r.estimate()
	}
	r.release()
	r.cancel()
	r.delivered()
}

// Head sets the gateway's headers.
func (r *Reply) Head() {
	SetOverhead(r.w, r.overhead)
	bytes, of := r.Shared()
	r.w.Header().Set(SharedHeader, fmt.Sprintf("%d/%d", bytes, of))
	var warnings []string
	for _, o := range r.Outputs {
		warnings = append(warnings, o.Warnings()...)
	}
	SetWarnings(r.w, warnings)
}

// SetWarnings sets the header with what of the request has no effect or is not enforced, each once.
func SetWarnings(w http.ResponseWriter, warnings []string) {
	var told []string
	for _, text := range warnings {
		if text = plain(text); !slices.Contains(told, text) {
			told = append(told, text)
		}
	}
	if len(told) > 0 {
		const most = 2000 // bytes, which all clients accept
		text := strings.Join(told, "; ")
		w.Header().Set(WarningsHeader, text[:min(len(text), most)])
	}
}

// SetOverhead sets the header with the gateway's overhead.
func SetOverhead(w http.ResponseWriter, overhead time.Duration) {
	w.Header().Set(OverheadHeader, strconv.FormatFloat(float64(overhead.Microseconds())/1000, 'f', -1, 64))
}

// plain returns a text with what a header cannot contain replaced.
func plain(text string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' {
			return '?'
		}
		return r
	}, text)
}

// Each calls f with the number of each output, side by side. If one fails, all end.
func (r *Reply) Each(f func(i int) error) error {
	var all errgroup.Group
	for i := range r.Outputs {
		all.Go(func() error {
			err := f(i)
			if err != nil {
				r.cancel()
			}
			return err
		})
	}
	return all.Wait()
}

// Collect reads all outputs to their end.
func (r *Reply) Collect() error {
	return r.Each(func(i int) error { return Read(r.Outputs[i], func([]chat.Piece) error { return nil }) })
}

// Read calls f with what each piece of the engine decided, until the output ends. The texts are valid within the call.
func Read(o *gateway.Output, f func([]chat.Piece) error) error {
	var pieces []chat.Piece
	for {
		var err error
		pieces, err = o.Next(pieces[:0])
		if lost := f(pieces); lost != nil {
			return lost
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// Note adds what is known at the end to the record of the request.
func (r *Reply) Note() {
	facts := api.Facts{Report: r.Outputs[0].Result().Report}
	if u := Count(r.Outputs); u != nil {
		facts.PromptTokens, facts.CompletionTokens, r.counted = u.Prompt, u.Completion, true
	}
	api.Note(r.ctx, facts)
}

// estimate adds the tokens of an answer that was given up, or whose engine does not count, to the record of the request: they use up
// the limits of its key, too.
func (r *Reply) estimate() {
	var facts api.Facts
	for _, o := range r.Outputs {
		if o != nil {
			prompt, completion := o.Estimate()
			facts.PromptTokens = max(facts.PromptTokens, prompt)
			facts.CompletionTokens += completion
		}
	}
	api.Note(r.ctx, facts)
}

// WriteJSON answers with a value as JSON.
func WriteJSON(w http.ResponseWriter, status int, v any) error {
	text, err := json.Marshal(v)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, err = w.Write(append(text, '\n'))
	return err
}

// Fault returns an error as a fault.
func Fault(err error) *fault.Error {
	known := new(fault.Error)
	if !errors.As(err, &known) {
		known = &fault.Error{Code: fault.Internal, Message: fmt.Sprint(err)}
	}
	return known
}
