// Package bench measures what a template and an output cost: learning, planning, and turning the output into messages.
//
//	Subject ──Open──→ plan, cold and again ──Session──→ the output in chunks, and at once ──→ Report
//
// Processors differ, and others use them meanwhile. So each figure is the least of many short rounds, in which everything is measured
// in turn; and beside the times of an output stands the yardstick, bytes.IndexByte over the same bytes in the same chunks, which does
// the least that any parser has to do. A ratio to it says the same on every machine, or nearly so.
//
// Words that must not be confused: the *machine* turns bytes into events; *pieces* are what a session appends to the caller's buffer;
// *deltas* are the same as values of their own; *SSE* are pieces written as OpenAI's chunks, as an event stream.
package bench

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"time"

	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/dragoman-project/dragoman/sdk/fault"
	"github.com/dragoman-project/dragoman/sdk/peg/match"
	"github.com/dragoman-project/dragoman/sdk/session"
)

// Subject is what is measured.
type Subject struct {
	// Learn learns the template anew.
	Learn func(context.Context) error
	// Open returns what plans requests for the learned template. It has planned nothing yet.
	Open func(context.Context) (Planner, error)
	// Request is the request, in OpenAI's JSON, that Output answers.
	Request []byte
	Output  []byte
	// Chunk is the size of chunks in bytes; 0: 4, about that of tokens.
	Chunk int
	// Rounds is how often everything is measured; 0: as often as fits into two seconds.
	Rounds int
}

// Planner plans requests.
type Planner interface {
	PlanJSON(ctx context.Context, request []byte) (*session.Plan, error)
	io.Closer
}

// Report has the figures of a subject.
type Report struct {
	Bytes  int `json:"bytes"`  // of the output
	Chunk  int `json:"chunk"`  // bytes
	Chunks int `json:"chunks"` // that the output is cut into
	Deltas int `json:"deltas"` // that they give

	Stream  []Cost  `json:"stream"`   // of the output in chunks; the first is the yardstick
	OneShot []Speed `json:"one_shot"` // of the output at once; the first is the yardstick

	Learn     float64 `json:"learn_ms"`
	PlanCold  float64 `json:"plan_cold_ms"`
	PlanAgain float64 `json:"plan_again_ms"`
}

// Cost is what a chunk costs.
type Cost struct {
	Of          string  `json:"of"`
	Nanoseconds float64 `json:"ns_per_chunk"`
	Allocations float64 `json:"allocations_per_chunk"`
	Ratio       float64 `json:"ratio"` // to the yardstick
}

// Speed is how fast an output is parsed that is fed whole.
type Speed struct {
	Of        string  `json:"of"`
	Megabytes float64 `json:"mb_per_s"`
	Ratio     float64 `json:"ratio"` // of times, to the yardstick
}

// Yardstick is the name of what costs are compared with.
const Yardstick = "memchr"

// Run measures a subject.
func Run(ctx context.Context, s Subject) (*Report, error) {
	if s.Chunk == 0 {
		s.Chunk = 4
	}
	if s.Chunk < 0 || len(s.Output) == 0 {
		return nil, &fault.Error{Code: fault.InvalidArgument, Message: "nothing to measure: the output is empty, or its chunks are",
			Remedy: "give an output as the model writes it, without the prompt, and chunks of at least one byte"}
	}
	r := &Report{Bytes: len(s.Output), Chunk: s.Chunk, Chunks: (len(s.Output) + s.Chunk - 1) / s.Chunk}
	plan, err := r.plan(ctx, s)
	if err != nil {
		return nil, err
	}
	if plan.Program == nil {
		return nil, &fault.Error{Code: fault.InvalidArgument, Message: "a plugin's process parses the outputs of this template, which has no machine to measure",
			Remedy: "name another template, or leave the plugin out with --plugins and an empty folder"}
	}
	return r, r.parse(ctx, s, plan)
}

// planRounds is how often planning and learning are measured.
const planRounds = 5

// plan measures learning and planning, and returns a plan.
func (r *Report) plan(ctx context.Context, s Subject) (plan *session.Plan, err error) {
	var learn, cold, again least
	for range planRounds {
		if err := learn.measure(func() error { return s.Learn(ctx) }); err != nil {
			return nil, err
		}
		p, err := s.Open(ctx)
		if err != nil {
			return nil, err
		}
		err = cold.measure(func() (err error) {
			plan, err = p.PlanJSON(ctx, s.Request)
			return err
		})
		for i := 0; i < planRounds && err == nil; i++ {
			err = again.measure(func() error {
				_, err := p.PlanJSON(ctx, s.Request)
				return err
			})
		}
		if err = errors.Join(err, p.Close()); err != nil {
			return nil, err
		}
	}
	r.Learn, r.PlanCold, r.PlanAgain = learn.milliseconds(), cold.milliseconds(), again.milliseconds()
	return plan, nil
}

// least is the shortest time of several rounds; 0: none was measured.
type least time.Duration

func (l *least) measure(work func() error) error {
	began := time.Now()
	err := work()
	l.add(time.Since(began))
	return err
}

func (l *least) add(d time.Duration) {
	if *l == 0 || least(d) < *l {
		*l = least(max(d, 1))
	}
}

func (l least) milliseconds() float64 { return time.Duration(l).Seconds() * 1e3 }

// way is a way to read the output. run reads it in chunks of the given size.
type way struct {
	name         string
	run          func(chunk int) error
	least, whole least // in chunks, at once
	allocations  float64
}

// passBytes is about how much is read before the clock is read: enough that the clock does not count.
const passBytes = 32 << 10

// parse measures the reading of the output.
func (r *Report) parse(ctx context.Context, s Subject, plan *session.Plan) error {
	code, err := match.Compile(plan.Program, match.Options{})
	if err != nil {
		return err
	}
	ways := []*way{
		{name: Yardstick, run: func(chunk int) error { return search(s.Output, chunk) }},
		{name: "machine", run: func(chunk int) error { return machine(code, plan.GenerationPrompt, s.Output, chunk) }},
		{name: "pieces", run: func(chunk int) error { return pieces(ctx, plan, s.Output, chunk, func(*chat.Piece) {}) }},
		{name: "SSE", run: events(ctx, plan, s.Output)},
		{name: "deltas", run: func(chunk int) error { return r.deltas(ctx, plan, s.Output, chunk) }},
	}
	end := time.Now().Add(2 * time.Second)
	for n := 0; n < s.Rounds || s.Rounds == 0 && (n < 3 || time.Now().Before(end)); n++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		for _, w := range ways {
			if err := w.measure(s); err != nil {
				return err
			}
		}
	}
	for _, w := range ways {
		if w.allocations, err = w.allocated(s, r.Chunks); err != nil {
			return err
		}
	}
	r.fill(ways)
	return nil
}

// measure reads the output in chunks, and at once.
func (w *way) measure(s Subject) error {
	passes := max(1, passBytes/len(s.Output))
	for _, read := range []struct {
		chunk int
		least *least
	}{{s.Chunk, &w.least}, {len(s.Output), &w.whole}} {
		var pass least
		err := pass.measure(func() error {
			for range passes {
				if err := w.run(read.chunk); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
		read.least.add(time.Duration(pass) / time.Duration(passes))
	}
	return nil
}

// allocated returns the allocations of a chunk, without those of a session that is fed at once.
func (w *way) allocated(s Subject, chunks int) (float64, error) {
	var before, between, after runtime.MemStats
	runtime.ReadMemStats(&before)
	err := w.run(len(s.Output))
	runtime.ReadMemStats(&between)
	err = errors.Join(err, w.run(s.Chunk))
	runtime.ReadMemStats(&after)
	once, all := between.Mallocs-before.Mallocs, after.Mallocs-between.Mallocs
	return float64(max(all, once)-once) / float64(chunks), err
}

// fill fills in what was measured.
func (r *Report) fill(ways []*way) {
	for _, w := range ways {
		r.Stream = append(r.Stream, Cost{
			Of: w.name, Nanoseconds: float64(w.least) / float64(r.Chunks), Allocations: w.allocations, Ratio: float64(w.least) / float64(ways[0].least),
		})
		r.OneShot = append(r.OneShot, Speed{
			Of: w.name, Megabytes: float64(r.Bytes) / 1e6 / time.Duration(w.whole).Seconds(), Ratio: float64(w.whole) / float64(ways[0].whole),
		})
	}
}

// each calls feed for each chunk of an output.
func each(output []byte, chunk int, feed func([]byte) error) error {
	for from := 0; from < len(output); from += chunk {
		if err := feed(output[from:min(from+chunk, len(output))]); err != nil {
			return err
		}
	}
	return nil
}

func search(output []byte, chunk int) error {
	return each(output, chunk, func(c []byte) error {
		_ = bytes.IndexByte(c, 0xff) // a call into assembly, which the compiler cannot leave out
		return nil
	})
}

func machine(code *match.Code, prompt string, output []byte, chunk int) error {
	m := match.New(code, func(chat.Event) {})
	m.Prompt(prompt)
	err := each(output, chunk, func(c []byte) error {
		m.Feed(c)
		return nil
	})
	m.Finish(false)
	return err
}

// pieces reads the output as the daemon does for streams that need nothing but what they deliver.
func pieces(ctx context.Context, plan *session.Plan, output []byte, chunk int, to func(*chat.Piece)) error {
	s := plan.Session(ctx, session.Options{NoMessage: true, NoSpans: true})
	var all []chat.Piece
	pass := func() {
		for i := range all {
			to(&all[i])
		}
	}
	err := each(output, chunk, func(c []byte) (err error) {
		all, err = s.Append(all[:0], c, nil)
		pass()
		return err
	})
	if err != nil {
		return err
	}
	all, _, err = s.AppendLast(all[:0], false)
	pass()
	return tolerated(err)
}

// events reads the output as an event stream.
func events(ctx context.Context, plan *session.Plan, output []byte) func(chunk int) error {
	encoder := chat.Response{ID: "chatcmpl-0123456789", Created: time.Now(), Model: "a model"}.Encoder()
	var text []byte
	return func(chunk int) error {
		return pieces(ctx, plan, output, chunk, func(p *chat.Piece) { text = encoder.AppendEvent(text[:0], p) })
	}
}

// deltas reads the output as a program does that keeps all of it.
func (r *Report) deltas(ctx context.Context, plan *session.Plan, output []byte, chunk int) error {
	s, n := plan.Session(ctx, session.Options{}), 0
	err := each(output, chunk, func(c []byte) error {
		deltas, err := s.Feed(c)
		n += len(deltas)
		return err
	})
	if err != nil {
		return err
	}
	result, err := s.Finish(false)
	if chunk == r.Chunk {
		r.Deltas = n + len(result.Deltas)
	}
	return tolerated(err)
}

// tolerated drops the error of an output that a policy of the request refuses: it was parsed all the same.
func tolerated(err error) error {
	if fault.CodeOf(err) == fault.OutputRefused {
		return nil
	}
	return err
}

// Print prints a report for people.
func (r *Report) Print(to io.Writer) error {
	var out bytes.Buffer
	fmt.Fprintf(&out, "%d bytes in %d chunks of %d give %d deltas\n\n", r.Bytes, r.Chunks, r.Chunk, r.Deltas)
	fmt.Fprintf(&out, "in chunks  %12s %18s %10s\n", "ns a chunk", "allocations", "× "+Yardstick)
	for _, c := range r.Stream {
		fmt.Fprintf(&out, "%-10s %12.1f %18.3f %10.1f\n", c.Of, c.Nanoseconds, c.Allocations, c.Ratio)
	}
	fmt.Fprintf(&out, "\nat once    %12s %29s\n", "MB/s", "× "+Yardstick)
	for _, s := range r.OneShot {
		fmt.Fprintf(&out, "%-10s %12.0f %29.1f\n", s.Of, s.Megabytes, s.Ratio)
	}
	fmt.Fprintf(&out, "\nlearning   %9.2f ms\nplan, cold %9.2f ms\nplan again %9.2f ms\n", r.Learn, r.PlanCold, r.PlanAgain)
	_, err := to.Write(out.Bytes())
	return err
}
