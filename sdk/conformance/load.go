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
	// maxHeld is how many bytes of it may be undecided at its end.
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

// pieceOfProse is fed at once, so that a process does not get too many calls.
var pieceOfProse = []byte(strings.Repeat(proseLine, linesInPiece))

const linesInPiece = 64

// heldOfProse feeds long prose and returns the largest number of undecided bytes; of streams, the number of undelivered bytes
// at the end.
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

// atOnce is the number of concurrent requests.
const atOnce = 1000

// manyAtOnce asks the requests of the golden cases many times concurrently. Every second output that the handler parses itself
// is abandoned in its middle.
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
				faults[i] = fmt.Errorf("case %s: among %d concurrent requests the answer differs", c.ID, atOnce)
			}
		})
	}
	all.Wait()
	faults = slices.DeleteFunc(faults, func(err error) bool { return err == nil })
	return errors.Join(faults[:min(len(faults), 3)]...)
}

// answer is the answer to a case: the plan, and the outcome where the handler parses the output itself. Programs are large and
// compared a thousand times, so only their digests are kept.
type answer struct {
	plan    handler.Plan // without its program
	program peg.Digest
	outcome *outcome // nil: a program parses, or the output was abandoned
	err     error
}

// answer asks the handler a case's request.
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
	p, err := newPlanned(ctx, x.handler, plan, request, promptOf(c))
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

// like reports whether two answers are equal, as far as both go.
func (a *answer) like(b *answer) bool {
	if (a.err == nil) != (b.err == nil) || a.program != b.program || !reflect.DeepEqual(a.plan, b.plan) {
		return false
	}
	return a.outcome == nil || b.outcome == nil || a.outcome.differs(b.outcome) == ""
}

// giveUp parses half of an output and abandons it.
func (p *planned) giveUp(ctx context.Context, output string) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	_, err := p.plan.Session(ctx, session.Options{}).Feed([]byte(output[:len(output)/2]))
	return err
}

// resumes kills a process in the middle of an output and lets another one parse it from the beginning: what the first delivered
// must be delivered again. Handlers that answer with programs parse nothing that could break off.
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

// resume lets one process parse the first half of an output, and after its death another one all of it.
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
	first, err := p.by(ctx, h)
	if err != nil {
		return err
	}
	before := new(outcome)
	_, err = first.plan.Session(ctx, session.Options{Events: before.take}).Feed([]byte(output[:len(output)/2]))
	if err := errors.Join(err, doomed.kill()); err != nil {
		return err
	}
	whole, err := p.parse(ctx, slices.Values([][]byte{[]byte(output)}))
	if err == nil && !whole.begins(before) {
		err = fmt.Errorf("after the death of the process it delivers %q, before %q", whole.events, before.events)
	}
	return err
}

// begins reports whether the events of o begin with those of prefix.
func (o *outcome) begins(prefix *outcome) bool {
	last := len(prefix.events) - 1
	if last < 0 {
		return true
	}
	return last < len(o.events) && slices.Equal(o.events[:last], prefix.events[:last]) && strings.HasPrefix(o.events[last], prefix.events[last])
}
