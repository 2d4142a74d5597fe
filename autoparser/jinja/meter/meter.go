package meter

import (
	"context"
	"time"

	"github.com/dragoman-project/dragoman/autoparser/jinja/failure"
)

// Limits bounds what compiling and rendering one template may cost. A zero field means its default.
type Limits struct {
	Source  int           // bytes of template source: 256 KiB
	Nesting int           // nesting of blocks, and of expressions: 100
	Steps   int64         // cost of a rendering; one step is an iteration, a call, a filter, 256 bytes touched or 32 looked at: 10 million
	Memory  int64         // bytes allocated for values during a rendering: 256 MiB
	Output  int           // bytes of text, including that of macros and captured blocks: 16 MiB
	Depth   int           // nested calls of macros and recursive loops: 64
	Range   int           // elements of a range, as in Jinja2's sandbox: 100,000
	Timeout time.Duration // duration of a rendering: 5 s
}

// MaxDepth bounds recursion over nested values: printing, comparing, writing JSON. Python's own
// limit is close to it.
const MaxDepth = 900

// checkEvery is the number of steps between two looks at the clock.
const checkEvery = 4096

// WithDefaults returns the limits with defaults in place of zeros.
func (l Limits) WithDefaults() Limits {
	l.Source = orDefault(l.Source, 256<<10)
	l.Nesting = orDefault(l.Nesting, 100)
	l.Steps = orDefault(l.Steps, 10_000_000)
	l.Memory = orDefault(l.Memory, 256<<20)
	l.Output = orDefault(l.Output, 16<<20)
	l.Depth = orDefault(l.Depth, 64)
	l.Range = orDefault(l.Range, 100_000)
	l.Timeout = orDefault(l.Timeout, 5*time.Second)
	return l
}

func orDefault[T comparable](v, fallback T) T {
	var zero T
	if v == zero {
		return fallback
	}
	return v
}

// Meter measures one rendering.
type Meter struct {
	ctx    context.Context
	budget *Budget   // shared with other renderings; nil: none
	spent  int64     // steps drawn from the budget
	end    time.Time // deadline by Limits.Timeout
	Limits Limits
	steps  int64
	check  int64 // the number of steps at which the clock is read next
	memory int64
	depth  int // of macro calls
	lazy   int // of lazy sequences that draw on each other
}

// New returns a meter for a rendering that begins now.
func New(ctx context.Context, limits Limits) Meter {
	budget, _ := ctx.Value(budgetKey{}).(*Budget)
	if budget != nil {
		limits.Output = min(limits.Output, int(max(0, budget.output.Load())))
	}
	return Meter{ctx: ctx, budget: budget, end: time.Now().Add(limits.Timeout), Limits: limits}
}

// Begin must be called before the first step.
func (m *Meter) Begin() {
	m.check = checkEvery
	m.mustGoOn(m.ctx.Err())
	m.draw()
}

// End must be called after a rendering that wrote n bytes, whether or not it failed.
func (m *Meter) End(n int) {
	if m.budget != nil {
		m.budget.output.Add(-int64(n))
		m.budget.steps.Add(m.spent - m.steps)
	}
}

// Charge counts n steps.
func (m *Meter) Charge(n int) {
	m.steps += int64(n)
	if m.steps >= m.check {
		m.look()
	}
}

// look checks the limit of steps, the context and the clock.
func (m *Meter) look() {
	m.check = m.steps + checkEvery
	if m.steps > m.Limits.Steps {
		failure.Exceed("the template takes more than %d steps", m.Limits.Steps)
	}
	m.mustGoOn(m.ctx.Err())
	m.draw()
	if time.Now().After(m.end) {
		failure.Exceed("the template takes more than %s", m.Limits.Timeout)
	}
}

// draw takes the steps since the last draw from the budget.
func (m *Meter) draw() {
	if m.budget == nil {
		return
	}
	left := m.budget.steps.Add(m.spent - m.steps)
	m.spent = m.steps
	if left < 0 {
		failure.Exceed("the template takes more than %d steps in %s", m.budget.all, m.budget.purpose)
	}
}

// mustGoOn ends the rendering if err, the error of its context, is not nil.
func (m *Meter) mustGoOn(err error) {
	if err != nil {
		panic(&failure.Failure{Kind: failure.Deadline, Message: "rendering stopped: " + err.Error(), Cause: err, At: -1})
	}
}

// Touch counts the reading of n bytes.
func (m *Meter) Touch(n int) {
	if n >= 256 {
		m.Charge(n >> 8)
	}
}

// Scan counts the looking at n bytes of a text one by one, before it is done. No such text may be longer than the output, since
// the work on one text is not interrupted.
func (m *Meter) Scan(n int) {
	if n > m.Limits.Output {
		failure.Exceed("the template looks through a text of more than %d bytes", m.Limits.Output)
	}
	if n >= 32 {
		m.Charge(n >> 5)
	}
}

// Grow counts n bytes that are about to be allocated, and the time to fill them.
func (m *Meter) Grow(n int) {
	m.memory += int64(n)
	if n < 0 || m.memory > m.Limits.Memory {
		failure.Exceed("the template builds values of more than %d bytes", m.Limits.Memory)
	}
	m.Touch(n)
}

// GrowTimes counts n times size bytes, even if their product overflows.
func (m *Meter) GrowTimes(n, size int) {
	if n > 0 && int64(n) > m.Limits.Memory/int64(max(size, 1)) {
		failure.Exceed("the template builds values of more than %d bytes", m.Limits.Memory)
	}
	m.Grow(n * size)
}

// Deeper counts a lazy sequence that draws on another, until Shallower is called.
func (m *Meter) Deeper() {
	if m.lazy++; m.lazy > MaxDepth {
		failure.Throw("RecursionError", "maximum recursion depth exceeded")
	}
}

// Shallower undoes Deeper.
func (m *Meter) Shallower() { m.lazy-- }

// Enter counts the call of a macro, until Leave is called.
func (m *Meter) Enter() {
	m.Charge(1)
	if m.depth++; m.depth > m.Limits.Depth {
		failure.Exceed("macros call each other deeper than %d", m.Limits.Depth)
	}
}

// Leave undoes Enter.
func (m *Meter) Leave() { m.depth-- }
