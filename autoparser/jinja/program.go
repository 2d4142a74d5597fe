package jinja

import (
	"github.com/dragoman-project/dragoman/autoparser/jinja/failure"
	"github.com/dragoman-project/dragoman/autoparser/jinja/library"
	"github.com/dragoman-project/dragoman/autoparser/jinja/scope"
	"github.com/dragoman-project/dragoman/autoparser/jinja/value"
)

// expr evaluates an expression, step runs a statement.
type (
	expr func(f *frame) value.Value
	step func(f *frame) signal
)

// signal is the way in which a statement ends.
type signal int

const (
	proceed signal = iota
	breakLoop
	continueLoop
)

// frame holds the variables of one run of a function.
type frame struct {
	slots []value.Value
	outer *frame // frame in which the function was defined
	r     *render
}

// newFrame returns a frame of fn. outer is the frame in which fn was defined.
func newFrame(fn *scope.Function, outer *frame, r *render) *frame {
	if r.framed == len(r.frames) {
		r.frames, r.framed = make([]frame, 32), 0
	}
	f := &r.frames[r.framed]
	r.framed++
	f.outer, f.r, f.slots = outer, r, r.Take(fn.Slots)
	return f
}

// program is a compiled template: closures over slots.
type program struct {
	enter     func(*frame)
	steps     []step // the outermost statements
	fn        *scope.Function
	slots     map[string]int // of the variables of the outermost scope
	names     []string       // of the context variables, by place
	functions []value.Value  // global functions of these names, or nil
	lib       *library.Library
}

// render is one rendering in progress.
type render struct {
	library.Env
	context []value.Value // by place; nil is missing
	out     []byte
	scratch []string // stack of strings to be joined or written
	at      int      // place of the operation in progress
	frames  []frame  // the current block of frames
	framed  int      // number of frames in use
	trace   *Trace   // of a traced template; or nil
}

// run runs steps until one of them jumps.
func run(steps []step, f *frame) signal {
	for _, s := range steps {
		if to := s(f); to != proceed {
			return to
		}
	}
	return proceed
}

// begin begins a rendering with these variables.
func (p *program) begin(r *render, vars *value.Object) *frame {
	p.resolve(r, vars)
	f := newFrame(p.fn, nil, r)
	p.enter(f)
	return f
}

// resolve looks up the names of the program in the variables and among the global functions.
func (p *program) resolve(r *render, vars *value.Object) {
	r.context = r.Take(len(p.names))
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
	if len(r.out)+len(s) > r.Limits.Output {
		failure.Exceed("the output is longer than %d bytes", r.Limits.Output)
	}
	r.out = append(r.out, s...)
	r.Touch(len(s))
}

// joined removes the strings above mark from the scratch and joins them.
func (r *render) joined(mark int) string {
	s := r.Join(r.scratch[mark:], "")
	r.scratch = r.scratch[:mark]
	return s
}

// drop removes the output since mark.
func (r *render) drop(mark int) {
	if r.trace != nil {
		r.trace.cut(mark)
	}
	r.out = r.out[:mark]
}

// taken removes the output since mark and returns it.
func (r *render) taken(mark int) string {
	s := string(r.out[mark:])
	if r.trace != nil {
		r.trace.take(s, mark)
	}
	r.out = r.out[:mark]
	r.Grow(len(s))
	return s
}
