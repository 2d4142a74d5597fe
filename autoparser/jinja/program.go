package jinja

import (
	"time"

	"github.com/nikolalohinski/gonja/v2/exec"
)

// expr computes an expression; step runs a statement and says how to go on.
type (
	expr func(f *frame) Value
	step func(f *frame) signal
)

// signal says what happens after a statement.
type signal int

const (
	proceed signal = iota
	breakLoop
	continueLoop
)

// frame holds the variables of one run of a function.
type frame struct {
	slots []Value
	outer *frame // of the function around, where this one was defined
	r     *render
}

// frame makes a frame of the function; outer is that of the function around.
func (fn *functionScope) frame(outer *frame, r *render) *frame {
	if r.framed == len(r.frames) {
		r.frames, r.framed = make([]frame, 32), 0
	}
	f := &r.frames[r.framed]
	r.framed++
	f.outer, f.r, f.slots = outer, r, r.take(fn.slots)
	return f
}

// program is a compiled template: closures over slots.
type program struct {
	run       step
	fn        *functionScope
	names     []string // of what is read from the context
	functions []Value  // the global functions of these names, or nil
	lib       *library
}

// render is one rendering in progress.
type render struct {
	meter
	lib     *library
	context []Value // by the program's names; nil is missing
	now     time.Time
	out     []byte
	json    []byte        // the buffer of tojson
	scratch []string      // a stack of strings that are about to be joined or written
	at      int           // place of the operation in progress
	room    []Value       // memory for small slices of values
	used    int           // how much of room is in use
	frames  []frame       // memory for frames
	framed  int           // how many of frames are in use
	found   *exec.Context // of gonja's, which holds this rendering

	tolerant, plain bool // see Template.Tolerant and Template.PlainText
}

// take returns a slice of n nil values. It is taken once in a rendering, so that it may be kept.
func (r *render) take(n int) []Value {
	if n > len(r.room)-r.used {
		if n > roomForValues/8 {
			return make([]Value, n)
		}
		r.room, r.used = make([]Value, roomForValues), 0
	}
	r.used += n
	return r.room[r.used-n : r.used : r.used]
}

// roomForValues is how many values get their memory at once.
const roomForValues = 256

// resolve looks the program's names up: in the variables, then among the global functions.
func (p *program) resolve(r *render, vars *Object) {
	r.context = r.take(len(p.names))
	for i, id := range p.names {
		if v, ok := vars.Get(id); ok {
			r.context[i] = v
		} else {
			r.context[i] = p.functions[i]
		}
	}
}

// write appends to the output.
func (r *render) write(s string) {
	if len(r.out)+len(s) > r.limits.Output {
		exceed("the output is longer than %d bytes", r.limits.Output)
	}
	r.out = append(r.out, s...)
	r.touch(len(s))
}

// joined takes the strings above a mark off the scratch and joins them.
func (r *render) joined(mark int) string {
	s := r.join(r.scratch[mark:], "")
	r.scratch = r.scratch[:mark]
	return s
}

// taken cuts off what was written since mark, for blocks that are captured.
func (r *render) taken(mark int) string {
	s := string(r.out[mark:])
	r.out = r.out[:mark]
	r.grow(len(s))
	return s
}

// unpack returns the n elements of v.
func (r *render) unpack(v Value, n int) []Value {
	items := r.collect(v)
	switch {
	case len(items) > n:
		throw("ValueError", "too many values to unpack (expected %d)", n)
	case len(items) < n:
		throw("ValueError", "not enough values to unpack (expected %d, got %d)", n, len(items))
	}
	return items
}
