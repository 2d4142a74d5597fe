package standard

import (
	"github.com/dragoman-project/dragoman/autoparser/jinja/failure"
	"github.com/dragoman-project/dragoman/autoparser/jinja/format"
	"github.com/dragoman-project/dragoman/autoparser/jinja/library"
	"github.com/dragoman-project/dragoman/autoparser/jinja/value"
)

// allGlobals returns all global functions by name.
func allGlobals() map[string]*library.Builtin {
	return map[string]*library.Builtin{
		"range":     {Params: library.Takes("start"), Variadic: true, Run: rangeFunction},
		"dict":      {Variadic: true, Keywords: true, Run: dictFunction},
		"namespace": {Variadic: true, Keywords: true, Run: namespaceFunction},
		"cycler":    {Variadic: true, Run: newCycler},
		"joiner":    {Params: library.Takes().Or("sep", value.String(", ")), Run: newJoiner},

		"raise_exception": {Params: library.Takes("message"), Run: func(e *library.Env, _ value.Value, a library.Arguments) value.Value {
			panic(&failure.Failure{Kind: failure.Raised, Class: "TemplateError", Message: e.Str(a.Values[0]), At: -1})
		}},
		"strftime_now": {Params: library.Takes("format"), Run: func(e *library.Env, _ value.Value, a library.Arguments) value.Value {
			spec := value.NeedText(a.Values[0], "strftime() argument 1")
			e.GrowTimes(len(spec), 8)
			return value.String(format.Strftime(e.Now, spec))
		}},

		"lipsum": {Refused: "a prompt must not depend on chance"},
	}
}

// rangeFunction is range() with the limit of the sandbox.
func rangeFunction(e *library.Env, _ value.Value, a library.Arguments) value.Value {
	if len(a.Values) > 3 {
		failure.Throw("TypeError", "range expected at most 3 arguments, got %d", len(a.Values))
	}
	return value.NewRange(&e.Heap, a.Values)
}

// dictFunction is dict().
func dictFunction(e *library.Env, _ value.Value, a library.Arguments) value.Value {
	o := e.NewObject(len(a.Named))
	e.Fill(o, a)
	return o
}

// namespaceFunction is namespace(), which has the arguments of dict().
func namespaceFunction(e *library.Env, _ value.Value, a library.Arguments) value.Value {
	return &value.Namespace{Attributes: dictFunction(e, nil, a).(*value.Object)}
}

// cycler returns its items in turn, over and over.
type cycler struct {
	items []value.Value
	at    int
}

func (*cycler) Class() string { return "Cycler" }

// Property returns an attribute, or nil.
func (c *cycler) Property(name string) value.Value {
	switch name {
	case "current":
		return c.items[c.at]
	case "next":
		return &library.Function{Name: name, Call: func(*library.Env, library.Arguments) value.Value {
			v := c.items[c.at]
			c.at = (c.at + 1) % len(c.items)
			return v
		}}
	case "reset":
		return &library.Function{Name: name, Call: func(*library.Env, library.Arguments) value.Value {
			c.at = 0
			return value.None{}
		}}
	}
	return nil
}

// newCycler is cycler().
func newCycler(e *library.Env, _ value.Value, a library.Arguments) value.Value {
	if len(a.Values) == 0 {
		failure.Throw("RuntimeError", "at least one item has to be provided")
	}
	e.Grow(64)
	return &cycler{items: a.Values}
}

// newJoiner is joiner(), which returns a function: its first call returns "", further calls return
// a separator.
func newJoiner(e *library.Env, _ value.Value, a library.Arguments) value.Value {
	e.Grow(64)
	used := false
	return &library.Function{Name: "joiner", Call: func(*library.Env, library.Arguments) value.Value {
		if used {
			return a.Values[0]
		}
		used = true
		return value.String("")
	}}
}
