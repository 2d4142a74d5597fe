package jinja

// allGlobals is every function that a template can call without having been given it.
func allGlobals() map[string]*builtin {
	return map[string]*builtin{
		"range":     {params: []parameter{{"start", nil}}, variadic: true, run: rangeFunction},
		"dict":      {variadic: true, keywords: true, run: dictFunction},
		"namespace": {variadic: true, keywords: true, run: namespaceFunction},
		"cycler":    {variadic: true, run: newCycler},
		"joiner":    {params: []parameter{{"sep", text(", ")}}, run: newJoiner},

		"raise_exception": {params: takes("message"), run: func(r *render, _ Value, a arguments) Value {
			panic(&failure{kind: Raised, class: "TemplateError", message: r.str(a.values[0]), at: -1})
		}},
		"strftime_now": {params: takes("format"), run: func(r *render, _ Value, a arguments) Value {
			format := needText(a.values[0], "strftime() argument 1")
			r.growTimes(len(format), 8)
			return text(strftime(r.now, format))
		}},

		"lipsum": {refused: "a prompt must not depend on chance"},
	}
}

// rangeFunction is range(), with the limit of the sandbox.
func rangeFunction(r *render, _ Value, a arguments) Value {
	if len(a.values) > 3 {
		throw("TypeError", "range expected at most 3 arguments, got %d", len(a.values))
	}
	return newSpan(r, a.values)
}

// dictFunction is dict().
func dictFunction(r *render, _ Value, a arguments) Value {
	o := newObject(r, len(a.named))
	r.fill(o, a)
	return o
}

// namespaceFunction is namespace(), which takes what dict() takes.
func namespaceFunction(r *render, _ Value, a arguments) Value {
	return &namespace{dictFunction(r, nil, a).(*Object)}
}

// cycler hands its items out in turn, over and over.
type cycler struct {
	items []Value
	at    int
}

func (*cycler) class() string { return "Cycler" }

// newCycler is cycler().
func newCycler(r *render, _ Value, a arguments) Value {
	if len(a.values) == 0 {
		throw("RuntimeError", "at least one item has to be provided")
	}
	r.grow(64)
	return &cycler{items: a.values}
}

func (c *cycler) property(name string) Value {
	switch name {
	case "current":
		return c.items[c.at]
	case "next":
		return &function{name: name, call: func(*render, arguments) Value {
			v := c.items[c.at]
			c.at = (c.at + 1) % len(c.items)
			return v
		}}
	case "reset":
		return &function{name: name, call: func(*render, arguments) Value {
			c.at = 0
			return none{}
		}}
	}
	return nil
}

// newJoiner makes a function that returns nothing when first called, and a separator from then on.
func newJoiner(r *render, _ Value, a arguments) Value {
	r.grow(64)
	used := false
	return &function{name: "joiner", call: func(*render, arguments) Value {
		if used {
			return a.values[0]
		}
		used = true
		return text("")
	}}
}
