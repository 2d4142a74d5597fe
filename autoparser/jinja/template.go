package jinja

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/nikolalohinski/gonja/v2/exec"
)

// Options of Compile. The zero value is the default.
type Options struct {
	Limits Limits
}

// Template is a compiled template. It never changes, and may be rendered by many goroutines at once.
type Template struct {
	name    string
	source  string // normalised: the places of errors refer to it
	limits  Limits
	gonja   *exec.Template
	program *program
	body    []node

	tolerant, plain bool // see Tolerant and PlainText
}

// Compile compiles the source of a template. name stands in errors. An error is an *Error, of the kinds Syntax and Limit.
func Compile(name, source string, o Options) (t *Template, err error) {
	t = &Template{name: name, source: normalise(source), limits: o.Limits.withDefaults()}
	defer func() {
		if p := recover(); p != nil {
			f := recovered(p)
			if f.kind == Runtime { // of an operation on constants
				f.kind = Syntax
			}
			t, err = nil, f.locate(name, t.source)
		}
	}()
	if len(source) > t.limits.Source {
		exceed("the source has %d bytes; the limit is %d", len(source), t.limits.Source)
	}
	t.body = parse(t.source, t.limits)
	t.program = compileProgram(t.body, t.source, builtins)
	t.gonja = hold(t.program)
	return t, nil
}

// Name returns the name given to Compile.
func (t *Template) Name() string { return t.name }

// Tolerant is the same template, rendered less strictly than Jinja2 does, as other engines of chat templates are: what is
// undefined counts as an empty text in arithmetic, and tojson writes out what filters yield. It is for templates that were
// written for such engines, and fail otherwise.
func (t *Template) Tolerant() *Template {
	tolerant := *t
	tolerant.tolerant = true
	return &tolerant
}

// PlainText is the same template, rendered as a text that is no markup: what is joined to a text marked as safe is not
// escaped, as transformers does by an accident of its set-up. A model was trained on quotes, not on &#34;.
func (t *Template) PlainText() *Template {
	plain := *t
	plain.plain = true
	return &plain
}

// renders keeps the memory of finished renderings. Nothing that a rendering makes outlives it.
var renders = sync.Pool{New: func() any { return newRender() }}

// keptBuffer is the largest buffer worth keeping, in bytes.
const keptBuffer = 1 << 20

// release gives the memory of a rendering to the next.
func (r *render) release() {
	if cap(r.out) > keptBuffer || cap(r.json) > keptBuffer || cap(r.scratch) > keptBuffer/16 {
		return
	}
	clear(r.room[:r.used])
	clear(r.frames[:r.framed])
	clear(r.scratch[:cap(r.scratch)])
	*r = render{out: r.out[:0], json: r.json[:0], scratch: r.scratch[:0], room: r.room, frames: r.frames, found: r.found}
	renders.Put(r)
}

// Render renders the template. vars is an object of variables; nil means none. now is the time that strftime_now tells;
// zero means time.Now(). An error is an *Error of any kind but Syntax.
func (t *Template) Render(ctx context.Context, vars Value, now time.Time) (out string, err error) {
	r := renders.Get().(*render)
	r.meter = meter{ctx: ctx, end: time.Now().Add(t.limits.Timeout), limits: t.limits}
	r.lib, r.now, r.tolerant, r.plain = t.program.lib, now, t.tolerant, t.plain
	defer func() {
		if p := recover(); p != nil {
			f := recovered(p)
			if f.at < 0 && f.kind != Deadline {
				f.at = r.at
			}
			out, err = "", f.locate(t.name, t.source)
		}
		r.release()
	}()
	return t.render(r, vars), nil
}

func (t *Template) render(r *render, vars Value) string {
	if r.now.IsZero() {
		r.now = time.Now()
	}
	object, ok := orNone(vars).(*Object)
	if !ok {
		if vars != nil && !isNone(vars) {
			throw("TypeError", "the variables of a template must be an object, not %s", vars.class())
		}
		object = &Object{}
	}
	r.begin()
	t.program.resolve(r, object)
	if err := execute(t.gonja, r); err != nil {
		throw("InternalError", "%s", err)
	}
	return string(r.out)
}

// Variables returns the names of the context variables that the template refers to, sorted: those that a caller may
// pass, functions such as raise_exception left out.
func (t *Template) Variables() []string {
	var names []string
	for _, id := range t.program.names {
		if t.program.lib.globals[id] == nil {
			names = append(names, id)
		}
	}
	slices.Sort(names)
	return names
}

// Fields returns the names that the template looks up in values, sorted: x.role and x["role"] both give role, and so
// does the name of an attribute given to a filter. Names of methods that it calls are left out.
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
func fields(n node, found map[string]bool) {
	switch n := n.(type) {
	case *attributeOf:
		found[n.id] = true
	case *elementOf:
		addField(n.key, found)
	case *comparison: // 'role' in message
		for i, op := range n.ops {
			if op == "in" || op == "not in" {
				addField(n.operand(i), found)
			}
		}
	case *filter:
		for _, v := range n.args.values {
			addField(v, found)
		}
	case *call:
		if of, ok := n.of.(*attributeOf); ok {
			fields(of.of, found)
			n.args.visit(func(a node) { fields(a, found) })
			if of.id == "get" && n.args.positional() > 0 {
				addField(n.args.values[0], found)
			}
			return
		}
	}
	children(n, func(child node) { fields(child, found) })
}

// operand is the left side of the operator at i.
func (c *comparison) operand(i int) node {
	if i == 0 {
		return c.first
	}
	return c.rest[i-1]
}

func addField(n node, found map[string]bool) {
	if l, ok := n.(*literal); ok {
		if s, ok := l.value.(text); ok {
			found[string(s)] = true
		}
	}
}
