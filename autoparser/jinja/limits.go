package jinja

import (
	"context"
	"time"
)

// Limits bounds what compiling and rendering one template may cost. A field that is zero means its default.
type Limits struct {
	Source  int           // bytes of template source: 256 KiB
	Nesting int           // nesting of blocks, and of expressions: 100
	Steps   int64         // cost of a rendering; one step is an iteration, a call, a filter or 256 bytes touched: 10 million
	Memory  int64         // bytes that the values made by a rendering take in total: 256 MiB
	Output  int           // bytes of text, that of macros and captured blocks included: 16 MiB
	Depth   int           // macros and recursive loops inside each other: 64
	Range   int           // elements of a range, as Jinja2's sandbox: 100,000
	Timeout time.Duration // time of a rendering: 5 s
}

// depthOfValues bounds recursion over nested values: printing, comparing, writing JSON. Python's own limit is near.
const depthOfValues = 900

// checkEvery is how many steps may pass before the clock is looked at.
const checkEvery = 4096

func (l Limits) withDefaults() Limits {
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

// meter counts what a rendering costs.
type meter struct {
	ctx    context.Context
	end    time.Time // when the time is up
	limits Limits
	steps  int64
	check  int64 // steps at which the clock is looked at next
	memory int64
	depth  int // of macros
	lazy   int // of lazy sequences
}

// begin is done before the first step.
func (m *meter) begin() {
	m.check = checkEvery
	m.mustGoOn(m.ctx.Err())
}

// charge counts n steps.
func (m *meter) charge(n int) {
	m.steps += int64(n)
	if m.steps >= m.check {
		m.look()
	}
}

// look compares the steps with their limit, and the clock with the end.
func (m *meter) look() {
	m.check = m.steps + checkEvery
	if m.steps > m.limits.Steps {
		exceed("the template takes more than %d steps", m.limits.Steps)
	}
	m.mustGoOn(m.ctx.Err())
	if time.Now().After(m.end) {
		exceed("the template takes more than %s", m.limits.Timeout)
	}
}

// mustGoOn stops the rendering for the reason that there is, if there is one.
func (m *meter) mustGoOn(err error) {
	if err != nil {
		panic(&failure{kind: Deadline, message: "rendering stopped: " + err.Error(), cause: err, at: -1})
	}
}

// touch counts the reading of n bytes.
func (m *meter) touch(n int) {
	if n >= 256 {
		m.charge(n >> 8)
	}
}

// grow counts n bytes that are about to be allocated, and the time to fill them.
func (m *meter) grow(n int) {
	m.memory += int64(n)
	if n < 0 || m.memory > m.limits.Memory {
		exceed("the template builds values of more than %d bytes", m.limits.Memory)
	}
	m.touch(n)
}

// growTimes counts n times size bytes, whatever their product.
func (m *meter) growTimes(n, size int) {
	if n > 0 && int64(n) > m.limits.Memory/int64(max(size, 1)) {
		exceed("the template builds values of more than %d bytes", m.limits.Memory)
	}
	m.grow(n * size)
}

// deeper and shallower count lazy sequences that draw on each other.
func (m *meter) deeper() {
	if m.lazy++; m.lazy > depthOfValues {
		throw("RecursionError", "maximum recursion depth exceeded")
	}
}

func (m *meter) shallower() { m.lazy-- }

// enter and leave count macros inside macros.
func (m *meter) enter() {
	m.charge(1)
	if m.depth++; m.depth > m.limits.Depth {
		exceed("macros call each other deeper than %d", m.limits.Depth)
	}
}

func (m *meter) leave() { m.depth-- }
