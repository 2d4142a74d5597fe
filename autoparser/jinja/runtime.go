package jinja

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/nikolalohinski/gonja/v2/exec"
	"github.com/nikolalohinski/gonja/v2/nodes"
	"github.com/nikolalohinski/gonja/v2/tokens"
)

// Limits bounds one render.
type limits struct {
	Steps  int64 // loop iterations + calls + filters
	Output int   // bytes of rendered text (including text inside macros)
	Alloc  int64 // bytes of strings/lists created by the template
	Depth  int   // macro recursion
	Range  int   // like jinja2's MAX_RANGE
}

var defaultLimits = limits{Steps: 2_000_000, Output: 16 << 20, Alloc: 256 << 20, Depth: 64, Range: 100_000}

type thrown struct{ err error }

// TemplateError is what raise_exception raises.
type templateError struct{ Msg string }

func (e *templateError) Error() string { return "TemplateError: " + e.Msg }

type limitError struct{ What string }

func (e *limitError) Error() string { return "template limit exceeded: " + e.What }

func throw(f string, a ...any) {
	if len(a) > 0 {
		f = fmt.Sprintf(f, a...)
	}
	panic(thrown{errors.New(f)})
}

type runtime struct {
	ctx       context.Context
	vars      *Dict
	lim       limits
	out       []byte
	steps     int64
	nextCheck int64
	bytes     int64
	depth     int
	loopDepth int
	now       time.Time
}

func (rt *runtime) step() { rt.charge(1) }

// work charges for touching n bytes or elements.
func (rt *runtime) work(n int) {
	if n > 256 {
		rt.charge(int64(n >> 8))
	}
}

func (rt *runtime) charge(n int64) {
	rt.steps += n
	if rt.steps < rt.nextCheck {
		return
	}
	rt.nextCheck = rt.steps + 4096
	if rt.steps > rt.lim.Steps {
		panic(thrown{&limitError{"steps"}})
	}
	if err := rt.ctx.Err(); err != nil {
		panic(thrown{err})
	}
}
func (rt *runtime) alloc(n int) {
	rt.bytes += int64(n)
	if rt.bytes > rt.lim.Alloc {
		panic(thrown{&limitError{"memory"}})
	}
}
func (rt *runtime) checkBytes(n int) {
	if rt.bytes+int64(n) > rt.lim.Alloc {
		panic(thrown{&limitError{"memory"}})
	}
}
func (rt *runtime) enter() {
	rt.depth++
	if rt.depth > rt.lim.Depth {
		panic(thrown{&limitError{"macro recursion"}})
	}
}
func (rt *runtime) leave() { rt.depth-- }

func (rt *runtime) write(s string) {
	if len(rt.out)+len(s) > rt.lim.Output {
		panic(thrown{&limitError{"output"}})
	}
	rt.out = append(rt.out, s...)
}
func (rt *runtime) writeVal(v Value) {
	switch t := v.(type) {
	case string:
		rt.write(t)
	case *undef:
	default:
		rt.write(strN(rt, v))
	}
}
func (rt *runtime) push() int { return len(rt.out) }
func (rt *runtime) pop(m int) Value {
	n := len(rt.out) - m
	rt.alloc(n)
	s := string(rt.out[m:])
	rt.out = rt.out[:m]
	return s
}

func (rt *runtime) lookup(n string, miss *undef) Value {
	if v, ok := rt.vars.Get(n); ok {
		return v
	}
	if v, ok := globals[n]; ok {
		return v
	}
	return miss
}

func (rt *runtime) call(fn Value, args []Value, kw []KW) Value {
	switch t := fn.(type) {
	case *Func:
		return t.fn(rt, args, kw)
	case *undef:
		throw("UndefinedError: %s", t.msg)
	}
	throw("TypeError: '%s' object is not callable", typeName(fn))
	return nil
}

// ---- public API ----

type program struct{ t *exec.Template }

var DefaultParseLimits = ParseLimits{Source: 1 << 20, Depth: 100, Nodes: 200_000}

const ctxKey = "__render__"

var bufPool = sync.Pool{New: func() any { b := make([]byte, 0, 16<<10); return &b }}

type job struct {
	ctx  context.Context
	vars *Dict
	lim  limits
	now  time.Time
	buf  []byte
}

// progNode is the single gonja control structure a compiled template consists of.
type progNode struct {
	tok *tokens.Token
	p   *prog
}

func (n *progNode) Position() *tokens.Token { return n.tok }
func (n *progNode) String() string          { return "program" }

// Execute implements exec.ControlStructure: gonja's renderer calls it.
func (n *progNode) Execute(r *exec.Renderer, _ *nodes.ControlStructureBlock) (err error) {
	jv, _ := r.Environment.Context.Get(ctxKey)
	j, ok := jv.(*job)
	if !ok {
		return errors.New("render: no job in context")
	}
	rt := &runtime{ctx: j.ctx, vars: j.vars, lim: j.lim, now: j.now, out: j.buf[:0]}
	defer func() {
		j.buf = rt.out
		if p := recover(); p != nil {
			t, ok := p.(thrown)
			if !ok {
				err = fmt.Errorf("render: internal panic: %v", p)
				return
			}
			err = t.err
		}
	}()
	f := &frame{slots: make([]Value, n.p.slots), rt: rt}
	for i := range f.slots {
		f.slots[i] = unset
	}
	n.p.run(f)
	_, err = r.Output.Write(rt.out)
	return err
}

// Compile parses src with gonja, using our tags and our expression grammar.

func compileSource(src string, lim ParseLimits) (tp *program, err error) {
	if len(src) > lim.Source {
		return nil, &limitError{"template size"}
	}
	defer func() {
		if p := recover(); p != nil {
			tp, err = nil, fmt.Errorf("render: parser panic: %v", p)
		}
	}()
	t, ss, err := parseTemplate(src, lim)
	if err != nil {
		return nil, err
	}
	root := t.Root()
	p, err := compileProgram(ss)
	if err != nil {
		return nil, err
	}
	tok := &tokens.Token{}
	root.Nodes = []nodes.Node{&nodes.ControlStructureBlock{Location: tok, Name: "program", ControlStructure: &progNode{tok, p}}}
	return &program{t}, nil
}

// gonja echoes the whole source in its parse errors.
func trimSource(s string) string {
	if strings.HasPrefix(s, "failed to parse template '") {
		if i := strings.LastIndex(s, "': "); i > 0 {
			return s[i+3:]
		}
	}
	return s
}

// parseTemplate runs gonja's lexer and parser with our tags.
func parseTemplate(src string, lim ParseLimits) (*exec.Template, []stmt, error) {
	canon, pool, err := rewrite(src)
	if err != nil {
		return nil, nil, err
	}
	c := &compiler{pool: pool, lim: lim}
	env := &exec.Environment{
		Context:           exec.EmptyContext(),
		Filters:           exec.NewFilterSet(map[string]exec.FilterFunction{}),
		Tests:             exec.NewTestSet(map[string]exec.TestFunction{}),
		ControlStructures: c.tags(),
	}
	id := "template"
	if canon == "" {
		canon = "{# #}"
	}
	t, err := exec.NewTemplate(id, gonjaConfig(), &deny{id, canon}, env)
	if err != nil {
		return nil, nil, errors.New(trimSource(err.Error()))
	}
	ss, err := c.stmts(t.Root().Nodes)
	return t, ss, err
}

func (t *program) run(ctx context.Context, vars *Dict, now time.Time, lim limits) (string, error) {
	bp := bufPool.Get().(*[]byte)
	j := &job{ctx: ctx, vars: vars, lim: lim, now: now, buf: *bp}
	defer func() {
		if cap(j.buf) <= 1<<20 {
			*bp = j.buf[:0]
			bufPool.Put(bp)
		}
	}()
	var out strings.Builder
	err := t.t.Execute(&out, exec.NewContext(map[string]any{ctxKey: j}))
	return out.String(), err
}
