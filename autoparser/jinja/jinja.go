// Package jinja renders chat templates as Hugging Face transformers does: Jinja2 in an immutable sandbox with
// trim_blocks, lstrip_blocks, loop controls, the generation tag, tojson, raise_exception and strftime_now.
//
// gonja lexes the source, nests its blocks, holds the template and runs it; every tag is ours, with our own expression
// grammar, values and limits. A template reaches no file and no Go method.
package jinja

import (
	"context"

	"errors"
	"fmt"
	"time"
)

// Limits bounds the compilation and the rendering of one template. A zero field means its default.
type Limits struct {
	Source  int           // bytes of template source; 256 KiB
	Nesting int           // nesting of blocks and of expressions; 100
	Steps   int64         // cost of one render: iterations, calls, filters, and bytes touched; 10 million
	Memory  int64         // bytes of values one render may build in total; 256 MiB
	Output  int           // bytes of rendered text, that of macros included; 16 MiB
	Depth   int           // macros inside macros; 64
	Range   int           // elements of a range; 100000
	Timeout time.Duration // duration of one render; 5 s
}

// Options of Compile. The zero value is the default.
type Options struct{ Limits Limits }

// Kind says what sort of failure an Error is.
type Kind int

const (
	Syntax   Kind = iota + 1 // the source is no valid template, or uses what is refused
	Runtime                  // an operation failed, where Jinja2 fails too
	Raised                   // the template itself called raise_exception
	Limit                    // a limit was exceeded
	Deadline                 // the time was up, or the context was cancelled
)

func (k Kind) String() string {
	return [...]string{"unknown", "syntax", "runtime", "raised", "limit", "deadline"}[k]
}

// Error is the failure of a compilation or of a rendering.
type Error struct {
	Kind     Kind
	Template string // name of the template
	Line     int    // from 1; 0 when unknown
	Column   int    // from 1, in characters; 0 when unknown
	Message  string // for Raised the template's own message
	Err      error  // the cause, where there is one: a context's error
}

func (e *Error) Error() string {
	return fmt.Sprintf("%s:%d:%d: %s", e.Template, e.Line, e.Column, e.Message)
}

func (e *Error) Unwrap() error { return e.Err }

// Template is a compiled template. It is immutable and safe for concurrent use.
type Template struct {
	name string
	p    *program
	o    Options
}

func or[T comparable](v, def T) T {
	var zero T
	if v == zero {
		return def
	}
	return v
}

// Compile compiles source. name stands in errors. The error is an *Error.
func Compile(name, source string, o Options) (*Template, error) {
	p, err := compileSource(source, ParseLimits{Source: or(o.Limits.Source, 256<<10), Depth: or(o.Limits.Nesting, 100), Nodes: 200_000})
	if err != nil {
		e := &Error{Kind: Syntax, Template: name, Message: err.Error()}
		var le *limitError
		if errors.As(err, &le) {
			e.Kind = Limit
		}
		return nil, e
	}
	return &Template{name, p, o}, nil
}

// Render renders the template with vars, an object of variables. now is what strftime_now tells; zero means time.Now().
// The error is an *Error.
func (t *Template) Render(ctx context.Context, vars Value, now time.Time) (string, error) {
	if now.IsZero() {
		now = time.Now()
	}
	l := t.o.Limits
	ctx, cancel := context.WithTimeout(ctx, or(l.Timeout, 5*time.Second))
	defer cancel()
	d, _ := vars.(*Dict)
	if d == nil {
		d = NewDict(0)
	}
	out, err := t.p.run(ctx, d, now, limits{Steps: or(l.Steps, 10_000_000), Output: or(l.Output, 16<<20), Alloc: or(l.Memory, 256<<20), Depth: or(l.Depth, 64), Range: or(l.Range, 100_000)})
	if err == nil {
		return out, nil
	}
	e := &Error{Kind: Runtime, Template: t.name, Message: err.Error()}
	var te *templateError
	var le *limitError
	switch {
	case errors.As(err, &te):
		e.Kind, e.Message = Raised, te.Msg
	case errors.As(err, &le):
		e.Kind = Limit
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled):
		e.Kind, e.Err = Deadline, err
	}
	return "", e
}

// Variables lists the names of the variables that the template reads from its context.
func (t *Template) Variables() []string { return nil }

// Object is an ordered mapping: a JSON object.
type Object = Dict

// NewObject returns an empty object.
func NewObject() *Object { return NewDict(0) }

// String returns s as a value.
func String(s string) Value { return s }

// Bool returns b as a value.
func Bool(b bool) Value { return b }

// Int returns n as a value.
func Int(n int64) Value { return int(n) }

// Float returns f as a value.
func Float(f float64) Value { return f }

// Null returns None.
func Null() Value { return nil }

// listV returns a list of items.
func List(items ...Value) Value { return &listV{v: items} }

// Decode reads JSON text into a value. Objects keep the order of their keys.
func Decode(data []byte) (Value, error) { return ParseJSON(data) }

// Encode writes v as compact JSON text.
func Encode(v Value) (out []byte, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("encode: %v", p)
		}
	}()
	return jsonDump(nil, nil, v, &jsonOpts{itemSep: ",", keySep: ":"}, 0), nil
}
