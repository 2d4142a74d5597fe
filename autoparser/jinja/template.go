package jinja

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/dragoman-project/dragoman/autoparser/jinja/failure"
	"github.com/dragoman-project/dragoman/autoparser/jinja/library"
	"github.com/dragoman-project/dragoman/autoparser/jinja/library/standard"
	"github.com/dragoman-project/dragoman/autoparser/jinja/meter"
	"github.com/dragoman-project/dragoman/autoparser/jinja/syntax"
	"github.com/dragoman-project/dragoman/autoparser/jinja/value"
)

// Options are options of Compile. The zero value is the default.
type Options struct {
	Limits meter.Limits
}

// Template is a compiled template. It is immutable and may be rendered by many goroutines at once.
type Template struct {
	name    string
	source  string // normalized; the places of errors refer to it
	limits  meter.Limits
	program *program
	body    []syntax.Node

	tolerant, plain bool   // see Tolerant and PlainText
	trace           *Trace // see Traced; or nil
}

// Compile compiles the source of a template. name appears in errors. Errors are of type *Error and
// of kind Syntax or Limit.
func Compile(name, source string, o Options) (t *Template, err error) {
	t = &Template{name: name, source: syntax.Normalize(source), limits: o.Limits.WithDefaults()}
	defer func() {
		if p := recover(); p != nil {
			f := failure.Recovered(p)
			if f.Kind == failure.Runtime { // an operation on constants failed
				f.Kind = failure.Syntax
			}
			t, err = nil, f.Locate(name, t.source)
		}
	}()
	if len(source) > t.limits.Source {
		failure.Exceed("the source has %d bytes; the limit is %d", len(source), t.limits.Source)
	}
	t.body = syntax.Parse(t.source, t.limits)
	t.program = newCompiler(t.source, standard.Library).program(t.body)
	return t, nil
}

// Name returns the name passed to Compile.
func (t *Template) Name() string { return t.name }

// Tolerant returns the template for rendering less strictly than Jinja2 does, as other engines of
// chat templates do: undefined operands of arithmetic count as empty strings, tojson writes the
// elements of generators, and attributes can be set of objects, in copies of the variables. It is for templates written for such engines, which would fail otherwise.
func (t *Template) Tolerant() *Template {
	tolerant := *t
	tolerant.tolerant = true
	return &tolerant
}

// PlainText returns the template for rendering without markup: what is joined to a string marked as
// safe is not escaped. transformers escapes it because of the way it sets up Jinja2, but models
// were trained on quotes, not on &#34;.
func (t *Template) PlainText() *Template {
	plain := *t
	plain.plain = true
	return &plain
}

// renders pools the memory of finished renderings.
var renders = sync.Pool{New: func() any { return &render{} }}

// keptBuffer is the size of the largest buffer to pool, in bytes.
const keptBuffer = 1 << 20

// release returns the memory of a rendering to the pool.
func (r *render) release() {
	if cap(r.out) > keptBuffer || cap(r.JSON) > keptBuffer || cap(r.scratch) > keptBuffer/16 {
		return
	}
	r.Heap.Release()
	clear(r.frames[:r.framed])
	clear(r.scratch[:cap(r.scratch)])
	*r = render{Env: library.Env{Heap: r.Heap, JSON: r.JSON[:0]}, out: r.out[:0], scratch: r.scratch[:0], frames: r.frames}
	renders.Put(r)
}

// Render renders the template. vars is an object of variables; nil means none. now is the time for
// strftime_now; zero means time.Now(). Errors are of type *Error and of any kind except Syntax.
func (t *Template) Render(ctx context.Context, vars value.Value, now time.Time) (out string, err error) {
	err = t.during(ctx, now, func(r *render) {
		object, ok := value.OrNone(vars).(*value.Object)
		if !ok {
			if vars != nil && !value.IsNone(vars) {
				failure.Throw("TypeError", "the variables of a template must be an object, not %s", vars.Class())
			}
			object = &value.Object{}
		}
		if r.Tolerant {
			object = r.DeepCopy(object).(*value.Object)
		}
		run(t.program.steps, t.program.begin(r, object))
		out = string(r.out)
		if r.trace != nil {
			r.trace.out = out
		}
	})
	return out, err
}

// during runs a rendering.
func (t *Template) during(ctx context.Context, now time.Time, do func(*render)) (err error) {
	r := renders.Get().(*render)
	r.Meter = meter.New(ctx, t.limits)
	r.Lib, r.Now, r.Tolerant, r.Plain, r.trace = t.program.lib, now, t.tolerant, t.plain, t.trace
	if r.trace != nil {
		r.trace.begin()
	}
	defer func() {
		if p := recover(); p != nil {
			f := failure.Recovered(p)
			if f.At < 0 && f.Kind != failure.Deadline {
				f.At = r.at
			}
			err = f.Locate(t.name, t.source)
		}
		r.End(len(r.out))
		r.release()
	}()
	if r.Now.IsZero() {
		r.Now = time.Now()
	}
	r.Begin()
	do(r)
	return nil
}

// Variables returns the sorted names of the context variables that the template refers to, without
// functions such as raise_exception.
func (t *Template) Variables() []string {
	var names []string
	for _, id := range t.program.names {
		if t.program.lib.Globals[id] == nil {
			names = append(names, id)
		}
	}
	slices.Sort(names)
	return names
}

// Fields returns the sorted names that the template looks up in values: x.role and x["role"] both
// yield role, and so does the name of an attribute passed to a filter. Names of methods are left
// out.
func (t *Template) Fields() []string {
	found := map[string]bool{}
	for _, n := range t.body {
		fields(n, found)
	}
	names := make([]string, 0, len(found))
	for id := range found {
		names = append(names, id)
	}
	slices.Sort(names)
	return names
}

// fields adds the names that n looks up.
func fields(n syntax.Node, found map[string]bool) {
	switch n := n.(type) {
	case *syntax.Attribute:
		found[n.ID] = true
	case *syntax.Element:
		addField(n.Key, found)
	case *syntax.Comparison: // 'role' in message
		for i, op := range n.Ops {
			if op == "in" || op == "not in" {
				addField(leftOf(n, i), found)
			}
		}
	case *syntax.Filter:
		for _, v := range n.Args.Values {
			addField(v, found)
		}
	case *syntax.Call:
		if of, ok := n.Of.(*syntax.Attribute); ok {
			fields(of.Of, found)
			n.Args.Visit(func(a syntax.Node) { fields(a, found) })
			if of.ID == "get" && n.Args.Positional() > 0 {
				addField(n.Args.Values[0], found)
			}
			return
		}
	}
	syntax.Children(n, func(child syntax.Node) { fields(child, found) })
}

// leftOf returns the left side of the operator at i.
func leftOf(c *syntax.Comparison, i int) syntax.Node {
	if i == 0 {
		return c.First
	}
	return c.Rest[i-1]
}

// addField adds n if it is a constant string.
func addField(n syntax.Node, found map[string]bool) {
	if l, ok := n.(*syntax.Literal); ok {
		if s, ok := l.Value.(value.String); ok {
			found[string(s)] = true
		}
	}
}
