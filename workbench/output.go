package workbench

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/dragoman-project/dragoman/host"
	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/dragoman-project/dragoman/sdk/fault"
	"github.com/dragoman-project/dragoman/sdk/peg/match"
	"github.com/dragoman-project/dragoman/sdk/session"
)

// The limits of an output that is looked at.
const (
	maxOutput = 1 << 20 // bytes
	maxChunks = 10_000
)

// outputQuestion asks how an output is read.
type outputQuestion struct {
	Template subject `json:"template"`
	Request  string  `json:"request"` // that it answers, in OpenAI's JSON
	Output   []byte  `json:"output"`
	// Chunks are the lengths in bytes of the chunks in which it comes; what is left over is another one.
	Chunks []int `json:"chunks"`
	// Special are the bytes that came from special tokens, as pairs of the first and the one behind the last, in order; null: unknown.
	Special [][2]int `json:"special"`
	// Limited means that the engine stopped for length.
	Limited bool `json:"limited"`
}

// outputView is how an output is read. All offsets count from the beginning of the generation prompt.
type outputView struct {
	Handler          string `json:"handler"`
	GenerationPrompt string `json:"generation_prompt"`
	// HasProgram is false where a plugin parses the output: then nothing is known of rules and held bytes.
	HasProgram bool `json:"has_program"`
	// Steps are the beginning, where the generation prompt was read, a step for each chunk, and the end.
	Steps   []step   `json:"steps"`
	Readers []reader `json:"readers"`
	// Claims are runs of bytes that one reader has read: its index, the first byte, and the byte behind the last.
	Claims       [][3]int          `json:"claims"`
	Message      chat.Message      `json:"message"`
	FinishReason chat.FinishReason `json:"finish_reason"`
	Report       *chat.Report      `json:"report"`
	// Refused is why a policy of the request refuses the output; empty: none does.
	Refused string `json:"refused,omitempty"`
}

// step is what a chunk has changed.
type step struct {
	To     int           `json:"to"`   // the bytes that were fed
	Held   int           `json:"held"` // those among them that are undecided
	Events []outputEvent `json:"events,omitempty"`
	// Deltas are what the clients' APIs say, by API: "chat", "responses", "messages".
	Deltas map[string][]json.RawMessage `json:"deltas,omitempty"`
	// Rules are those of the program that are at work, outermost first, and Next is what they read next.
	Rules      []string `json:"rules,omitempty"`
	Next       []string `json:"next,omitempty"`
	Recovering bool     `json:"recovering,omitempty"` // the output broke the format: it is content until a call begins
}

// outputEvent is a decided fact about an output.
type outputEvent struct {
	Kind      string `json:"kind"`
	Text      string `json:"text,omitempty"`
	Recovered bool   `json:"recovered,omitempty"`
	Open      bool   `json:"open,omitempty"`
	From      int    `json:"from"`
	To        int    `json:"to"`
}

// reader is what reads bytes: a node of the program, in a rule. Both are empty for bytes that did not follow the program.
type reader struct {
	Rule string `json:"rule"`
	Node string `json:"node"`
}

// output answers with how an output is read, chunk by chunk. It is neither counted nor recorded.
func (b *bench) output(ctx context.Context, q *outputQuestion) (*outputView, error) {
	if err := q.check(); err != nil {
		return nil, err
	}
	planned, err := b.plan(ctx, q.Template, q.Request)
	if err != nil {
		return nil, err
	}
	deltas, err := newDeltas()
	if err != nil {
		return nil, err
	}
	r := &reading{deltas: deltas, view: &outputView{
		Handler: planned.Handler, GenerationPrompt: planned.GenerationPrompt, HasProgram: planned.Program != nil, Claims: [][3]int{}, Readers: []reader{},
	}}
	r.session = planned.Plan.Session(ctx, session.Options{IDSeed: "workbench", Claims: true, Events: r.event})
	return r.view, r.run(ctx, q)
}

// plan answers a request for a template.
func (b *bench) plan(ctx context.Context, s subject, request string) (*host.Planned, error) {
	req, err := chat.ParseRequestWith([]byte(request), b.host.Snapshot().Config.Parsing.For(s.Name))
	if err != nil {
		return nil, err
	}
	t, err := b.open(ctx, s)
	if err != nil {
		return nil, err
	}
	return t.Plan(ctx, "", req)
}

// check reports what is wrong with the question, apart from its template and its request.
func (q *outputQuestion) check() error {
	if len(q.Output) > maxOutput {
		return &fault.Error{Code: fault.LimitExceeded, Place: "output", Message: fmt.Sprintf("it has %d bytes, at most %d can be looked at", len(q.Output), maxOutput),
			Remedy: "look at a part of it, or use dragoman parse"}
	}
	if len(q.Chunks) > maxChunks {
		return &fault.Error{Code: fault.LimitExceeded, Place: "chunks", Message: fmt.Sprintf("%d chunks, at most %d can be looked at", len(q.Chunks), maxChunks),
			Remedy: "send longer ones"}
	}
	left := len(q.Output)
	for i, n := range q.Chunks {
		if n < 0 || n > left {
			return fault.Invalid(fmt.Sprintf("chunks[%d]", i), fmt.Sprintf("expected a length up to the %d bytes that are left, found %d", left, n))
		}
		left -= n
	}
	at := 0
	for i, s := range q.Special {
		if s[0] < at || s[1] < s[0] || s[1] > len(q.Output) {
			return fault.Invalid(fmt.Sprintf("special[%d]", i), fmt.Sprintf("expected two offsets in order from %d to %d, found %d and %d", at, len(q.Output), s[0], s[1]))
		}
		at = s[1]
	}
	return nil
}

// reading is a session whose steps are kept.
type reading struct {
	session *session.Session
	view    *outputView
	events  []outputEvent // since the last step
	deltas  deltas
	pieces  []chat.Piece
	fed     int
}

func (r *reading) event(e chat.Event) {
	r.events = append(r.events, outputEvent{Kind: e.Kind.String(), Text: string(e.Text), Recovered: e.Recovered, Open: e.Open, From: e.From, To: e.To})
}

// run feeds the output, and keeps what each chunk changes.
func (r *reading) run(ctx context.Context, q *outputQuestion) error {
	if err := r.step(nil, ""); err != nil {
		return err
	}
	special := q.special()
	left, chunks := q.Output, q.Chunks
	for len(left) > 0 {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		n := len(left)
		if len(chunks) > 0 {
			n, chunks = chunks[0], chunks[1:]
		}
		var err error
		if r.pieces, err = r.session.Append(r.pieces[:0], left[:n], within(special, r.fed, r.fed+n)); err != nil {
			return err
		}
		r.fed, left = r.fed+n, left[n:]
		if err := r.step(r.pieces, ""); err != nil {
			return err
		}
	}
	pieces, result, err := r.session.AppendLast(r.pieces[:0], q.Limited)
	var refused *fault.Error
	if errors.As(err, &refused) && refused.Code == fault.OutputRefused {
		r.view.Refused = refused.Error()
	} else if err != nil {
		return err
	}
	if err := r.step(pieces, result.FinishReason); err != nil {
		return err
	}
	r.view.Message, r.view.FinishReason, r.view.Report = result.Message, result.FinishReason, result.Report
	r.claims()
	return nil
}

// special returns the ranges of special tokens; nil: they are not known.
func (q *outputQuestion) special() (all []match.Range) {
	if q.Special == nil {
		return nil
	}
	all = []match.Range{}
	for _, s := range q.Special {
		all = append(all, match.Range{Start: s[0], End: s[1]})
	}
	return all
}

// within returns what ranges have between two offsets, counted from the first.
func within(ranges []match.Range, from, to int) (some []match.Range) {
	if ranges == nil {
		return nil
	}
	some = []match.Range{}
	for _, r := range ranges {
		if start, end := max(r.Start, from), min(r.End, to); start < end {
			some = append(some, match.Range{Start: start - from, End: end - from})
		}
	}
	return some
}

// step keeps what was decided since the last one; reason is empty unless the output has ended.
func (r *reading) step(pieces []chat.Piece, reason chat.FinishReason) (err error) {
	s := step{To: r.fed, Held: r.session.Held(), Events: r.events}
	r.events = nil
	if s.Deltas, err = r.deltas.add(pieces, reason); err != nil {
		return err
	}
	if place, ok := r.session.Place(); ok {
		s.Rules, s.Recovering = place.Rules, place.Recovering
		for _, n := range place.Next[:min(len(place.Next), maxNext)] {
			s.Next = append(s.Next, clip(n))
		}
	}
	r.view.Steps = append(r.view.Steps, s)
	return nil
}

// claims keeps who has read what.
func (r *reading) claims() {
	known := map[reader]int{}
	for _, c := range r.session.Claims() {
		who := reader{c.Rule, clip(c.Node)}
		at, ok := known[who]
		if !ok {
			at = len(r.view.Readers)
			known[who] = at
			r.view.Readers = append(r.view.Readers, who)
		}
		r.view.Claims = append(r.view.Claims, [3]int{at, c.Start, c.End})
	}
}

// What is shown of the texts of a program.
const (
	maxNext = 8
	maxText = 100 // bytes
)

// clip shortens a text.
func clip(s string) string {
	if len(s) <= maxText {
		return s
	}
	n := maxText
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return strings.Clone(s[:n]) + "…"
}
