package conformance

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/dragoman-project/dragoman/sdk/cases"
	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/dragoman-project/dragoman/sdk/handler"
	"github.com/dragoman-project/dragoman/sdk/peg"
	"github.com/dragoman-project/dragoman/sdk/session"
)

const (
	// Prose of proseLines lines is fed, 512 KiB.
	proseLine  = "It was a bright cold day in April, and all the clocks struck.\n"
	proseLines = 8 << 10
	// maxHeld is how much of it may be undecided at its end.
	maxHeld = 128 << 10
)

func (x *examination) proseIsTold(ctx context.Context) error {
	return x.eachPlan(ctx, func(_ shown, p *planned) error {
		held, err := p.heldOfProse(ctx)
		if err == nil && held > maxHeld {
			err = fmt.Errorf("of %d bytes of prose %d are held, at most %d may be", proseLines*len(proseLine), held, maxHeld)
		}
		return err
	})
}

// pieceOfProse is what is fed at once, so that a process is not asked too often.
var pieceOfProse = []byte(strings.Repeat(proseLine, linesInPiece))

const linesInPiece = 64

// heldOfProse feeds long prose and returns how much of it was undecided at most, of streams how much is not told at the end.
func (p *planned) heldOfProse(ctx context.Context) (int, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	told := 0
	s := p.plan.Session(ctx, session.Options{Events: func(e chat.Event) { told += len(e.Text) }})
	for range proseLines / linesInPiece {
		if _, err := s.Feed(pieceOfProse); err != nil {
			return 0, err
		}
	}
	if p.streams() {
		return proseLines*len(proseLine) - told, nil
	}
	result, err := finish(s)
	if err != nil {
		return 0, err
	}
	return result.Report.MaxHeld, nil
}

// atOnce is how many requests are under way at once.
const atOnce = 1000

// manyAtOnce shows the requests of the golden cases many times at once. Every second output that the handler parses itself
// is given up in its middle.
func (x *examination) manyAtOnce(ctx context.Context) error {
	if len(x.golden) == 0 {
		return nil
	}
	alone := make([]*answer, len(x.golden))
	for i, c := range x.golden {
		alone[i] = x.answer(ctx, c, false)
	}
	faults := make([]error, atOnce)
	var all sync.WaitGroup
	for i := range atOnce {
		all.Go(func() {
			c := x.golden[i%len(x.golden)]
			if given := i/len(x.golden)%2 == 1; !alone[i%len(x.golden)].like(x.answer(ctx, c, given)) {
				faults[i] = fmt.Errorf("case %s: among %d at once it is answered differently", c.ID, atOnce)
			}
		})
	}
	all.Wait()
	faults = slices.DeleteFunc(faults, func(err error) bool { return err == nil })
	return errors.Join(faults[:min(len(faults), 3)]...)
}

// answer is what becomes of a case: its plan, and the outcome where the handler parses the output itself. Programs are large and
// compared a thousand times, so that only their digests are kept.
type answer struct {
	plan    handler.Plan // without its program
	program peg.Digest
	outcome *outcome // nil: a program parses, or it was given up
	err     error
}

// answer shows a case's request to the handler.
func (x *examination) answer(ctx context.Context, c *cases.Case, giveUp bool) *answer {
	request, err := c.ChatRequest()
	if err != nil {
		return &answer{err: err}
	}
	plan, err := x.handler.Plan(ctx, handler.Input{Template: x.templateOf(c), Request: request})
	if err != nil {
		return &answer{err: err}
	}
	a := &answer{plan: *plan}
	if plan.Program != nil {
		a.plan.Program, a.program = nil, plan.Program.Digest()
	}
	if plan.Stream == nil {
		return a
	}
	p, err := newPlanned(x.handler, plan, request, promptOf(c))
	if err != nil {
		return &answer{err: err}
	}
	if giveUp {
		a.err = p.giveUp(ctx, c.Output)
		return a
	}
	a.outcome, a.err = p.parse(ctx, slices.Values([][]byte{[]byte(c.Output)}))
	return a
}

// like says whether two answers are the same, as far as both go.
func (a *answer) like(b *answer) bool {
	if (a.err == nil) != (b.err == nil) || a.program != b.program || !reflect.DeepEqual(a.plan, b.plan) {
		return false
	}
	return a.outcome == nil || b.outcome == nil || a.outcome.differs(b.outcome) == ""
}

// giveUp begins to parse an output and leaves it.
func (p *planned) giveUp(ctx context.Context, output string) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	_, err := p.plan.Session(ctx, session.Options{}).Feed([]byte(output[:len(output)/2]))
	return err
}

// resumes kills a process in the middle of an output and lets another one parse it from its beginning: what the first told
// must come again. Handlers that answer programs parse nothing that could break off.
func (x *examination) resumes(ctx context.Context) error {
	for _, c := range x.golden {
		p, err := planFor(ctx, x.handler, c)
		if answered(err) || err == nil && !p.streams() {
			continue
		}
		if err == nil {
			err = x.resume(ctx, p, c.Output)
		}
		if err != nil {
			return fmt.Errorf("case %s: %w", c.ID, err)
		}
	}
	return nil
}

// resume lets one process parse the first half of an output, and another one, after its death, all of it.
func (x *examination) resume(ctx context.Context, p *planned, output string) error {
	doomed, err := x.open(ctx)
	if err != nil {
		return err
	}
	defer doomed.Close()
	h, err := doomed.find(x.handler.Describe().Name)
	if err != nil {
		return err
	}
	first, err := p.by(h)
	if err != nil {
		return err
	}
	told := new(outcome)
	_, err = first.plan.Session(ctx, session.Options{Events: told.take}).Feed([]byte(output[:len(output)/2]))
	if err := errors.Join(err, doomed.kill()); err != nil {
		return err
	}
	whole, err := p.parse(ctx, slices.Values([][]byte{[]byte(output)}))
	if err == nil && !whole.begins(told) {
		err = fmt.Errorf("after the death of the process other things are told: %q, before %q", whole.events, told.events)
	}
	return err
}

// begins says whether what o tells begins with what was told.
func (o *outcome) begins(told *outcome) bool {
	last := len(told.events) - 1
	if last < 0 {
		return true
	}
	return last < len(o.events) && slices.Equal(o.events[:last], told.events[:last]) && strings.HasPrefix(o.events[last], told.events[last])
}
