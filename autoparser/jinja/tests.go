package jinja

// allTests is every test a template can name after is.
func allTests() map[string]*builtin {
	m := map[string]*builtin{
		"defined":   {run: is(func(v Value) bool { _, u := v.(*undefined); return !u })},
		"undefined": {run: is(func(v Value) bool { _, u := v.(*undefined); return u })},
		"none":      {run: is(isNone)},
		"boolean":   {run: is(func(v Value) bool { _, ok := v.(boolean); return ok })},
		"true":      {run: is(func(v Value) bool { return v == yes })},
		"false":     {run: is(func(v Value) bool { return v == no })},
		"integer":   {run: is(isInteger)},
		"float":     {run: is(func(v Value) bool { _, ok := v.(float); return ok })},
		"number":    {run: is(isNumber)},
		"string":    {run: is(func(v Value) bool { _, ok := str(v); return ok })},
		"mapping":   {run: is(func(v Value) bool { _, ok := v.(*Object); return ok })},
		"sequence":  {run: is(isSequence)},
		"iterable":  {run: is(iterable)},
		"callable":  {run: is(isCallable)},
		"escaped":   {run: is(func(v Value) bool { _, ok := v.(markup); return ok })},
		"lower":     {run: func(r *render, in Value, _ arguments) Value { return boolean(islower(r.str(in))) }},
		"upper":     {run: func(r *render, in Value, _ arguments) Value { return boolean(isupper(r.str(in))) }},

		"even":        {run: remainder(func(_ arguments) Value { return integer(2) }, 0)},
		"odd":         {run: remainder(func(_ arguments) Value { return integer(2) }, 1)},
		"divisibleby": {params: takes("num"), run: remainder(func(a arguments) Value { return a.values[0] }, 0)},
		"in":          {params: takes("seq"), run: func(r *render, in Value, a arguments) Value { return boolean(r.contains(a.values[0], in)) }},
		"sameas":      {params: takes("other"), run: func(_ *render, in Value, a arguments) Value { return boolean(same(in, a.values[0])) }},
		"filter":      {run: func(r *render, in Value, _ arguments) Value { return boolean(r.lib.filters[r.str(in)] != nil) }},
		"test":        {run: func(r *render, in Value, _ arguments) Value { return boolean(r.lib.tests[r.str(in)] != nil) }},
	}
	for op, names := range map[string][]string{
		"==": {"==", "eq", "equalto"},
		"!=": {"!=", "ne"},
		"<":  {"<", "lt", "lessthan"},
		"<=": {"<=", "le"},
		">":  {">", "gt", "greaterthan"},
		">=": {">=", "ge"},
	} {
		t := &builtin{params: takes("other"), run: func(r *render, in Value, a arguments) Value {
			return boolean(r.relate(op, in, a.values[0]))
		}}
		for _, name := range names {
			m[name] = t
		}
	}
	return m
}

// is makes a test from a question about a value.
func is(f func(Value) bool) func(*render, Value, arguments) Value {
	return func(_ *render, in Value, _ arguments) Value { return boolean(f(in)) }
}

// relate is a op b for the comparing operators.
func (r *render) relate(op string, a, b Value) bool {
	switch op {
	case "==":
		return r.equal(a, b)
	case "!=":
		return !r.equal(a, b)
	case "in":
		return r.contains(b, a)
	case "not in":
		return !r.contains(b, a)
	}
	return r.compare(op, a, b)
}

// remainder makes tests of divisibility.
func remainder(divisor func(arguments) Value, want integer) func(*render, Value, arguments) Value {
	return func(r *render, in Value, a arguments) Value {
		return boolean(r.equal(r.binary("%", in, divisor(a)), want))
	}
}

func isInteger(v Value) bool {
	switch v.(type) {
	case integer, *bigInteger:
		return true
	}
	return false
}

func isNumber(v Value) bool {
	switch v.(type) {
	case integer, *bigInteger, float, boolean:
		return true
	}
	return false
}

func isSequence(v Value) bool {
	switch v.(type) {
	case text, markup, *list, *Object, *span, *undefined:
		return true
	}
	return false
}

func isCallable(v Value) bool {
	switch v.(type) {
	case *function, *loop, *undefined:
		return true
	}
	return false
}

// same is Python's a is b, as far as it can be known: small values are the same when they are equal.
func same(a, b Value) bool {
	if u, ok := a.(*undefined); ok {
		v, ok := b.(*undefined)
		return ok && u == v
	}
	if x, ok := a.(*bigInteger); ok {
		y, ok := b.(*bigInteger)
		return ok && x == y
	}
	return a == b
}
