package library

import (
	"github.com/dragoman-project/dragoman/autoparser/jinja/fault"
	"github.com/dragoman-project/dragoman/autoparser/jinja/format"
	"github.com/dragoman-project/dragoman/autoparser/jinja/value"
)

// allGlobals is every function that a template can call without having been given it.
func allGlobals() map[string]*Builtin {
	return map[string]*Builtin{
		"range":     {Params: []parameter{{"start", nil}}, Variadic: true, run: rangeFunction},
		"dict":      {Variadic: true, Keywords: true, run: dictFunction},
		"namespace": {Variadic: true, Keywords: true, run: namespaceFunction},
		"cycler":    {Variadic: true, run: newCycler},
		"joiner":    {Params: []parameter{{"sep", value.String(", ")}}, run: newJoiner},

		"raise_exception": {Params: takes("message"), run: func(e *Env, _ value.Value, a Arguments) value.Value {
			panic(&fault.Failure{Kind: fault.Raised, Class: "TemplateError", Message: e.Str(a.Values[0]), At: -1})
		}},
		"strftime_now": {Params: takes("format"), run: func(e *Env, _ value.Value, a Arguments) value.Value {
			spec := value.NeedText(a.Values[0], "strftime() argument 1")
			e.GrowTimes(len(spec), 8)
			return value.String(format.Strftime(e.Now, spec))
		}},

		"lipsum": {Refused: "a prompt must not depend on chance"},
	}
}

// rangeFunction is range(), with the limit of the sandbox.
func rangeFunction(e *Env, _ value.Value, a Arguments) value.Value {
	if len(a.Values) > 3 {
		fault.Throw("TypeError", "range expected at most 3 arguments, got %d", len(a.Values))
	}
	return value.NewRange(&e.Heap, a.Values)
}

// dictFunction is dict().
func dictFunction(e *Env, _ value.Value, a Arguments) value.Value {
	o := e.NewObject(len(a.Named))
	e.fill(o, a)
	return o
}

// namespaceFunction is namespace(), which takes what dict() takes.
func namespaceFunction(e *Env, _ value.Value, a Arguments) value.Value {
	return &value.Namespace{Attributes: dictFunction(e, nil, a).(*value.Object)}
}

// cycler hands its items out in turn, over and over.
type cycler struct {
	items []value.Value
	at    int
}

func (*cycler) Class() string { return "Cycler" }

// newCycler is cycler().
func newCycler(e *Env, _ value.Value, a Arguments) value.Value {
	if len(a.Values) == 0 {
		fault.Throw("RuntimeError", "at least one item has to be provided")
	}
	e.Grow(64)
	return &cycler{items: a.Values}
}

func (c *cycler) Property(name string) value.Value {
	switch name {
	case "current":
		return c.items[c.at]
	case "next":
		return &Function{Name: name, Call: func(*Env, Arguments) value.Value {
			v := c.items[c.at]
			c.at = (c.at + 1) % len(c.items)
			return v
		}}
	case "reset":
		return &Function{Name: name, Call: func(*Env, Arguments) value.Value {
			c.at = 0
			return value.None{}
		}}
	}
	return nil
}

// newJoiner makes a function that returns nothing when first called, and a separator from then on.
func newJoiner(e *Env, _ value.Value, a Arguments) value.Value {
	e.Grow(64)
	used := false
	return &Function{Name: "joiner", Call: func(*Env, Arguments) value.Value {
		if used {
			return a.Values[0]
		}
		used = true
		return value.String("")
	}}
}
