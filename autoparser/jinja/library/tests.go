package library

import (
	"github.com/dragoman-project/dragoman/autoparser/jinja/pystr"
	"github.com/dragoman-project/dragoman/autoparser/jinja/value"
)

// allTests is every test a template can name after is.
func allTests() map[string]*Builtin {
	m := map[string]*Builtin{
		"defined":   {run: is(func(v value.Value) bool { _, u := v.(*value.Undefined); return !u })},
		"undefined": {run: is(func(v value.Value) bool { _, u := v.(*value.Undefined); return u })},
		"none":      {run: is(value.IsNone)},
		"boolean":   {run: is(func(v value.Value) bool { _, ok := v.(value.Bool); return ok })},
		"true":      {run: is(func(v value.Value) bool { return v == value.True })},
		"false":     {run: is(func(v value.Value) bool { return v == value.False })},
		"integer":   {run: is(value.IsInteger)},
		"float":     {run: is(func(v value.Value) bool { _, ok := v.(value.Float); return ok })},
		"number":    {run: is(value.IsNumber)},
		"string":    {run: is(func(v value.Value) bool { _, ok := value.Text(v); return ok })},
		"mapping":   {run: is(func(v value.Value) bool { _, ok := v.(*value.Object); return ok })},
		"sequence":  {run: is(value.IsSequence)},
		"iterable":  {run: is(value.CanIterate)},
		"callable":  {run: is(isCallable)},
		"escaped":   {run: is(func(v value.Value) bool { _, ok := v.(value.Markup); return ok })},
		"lower":     {run: func(e *Env, in value.Value, _ Arguments) value.Value { return value.Bool(pystr.IsLower(e.Str(in))) }},
		"upper":     {run: func(e *Env, in value.Value, _ Arguments) value.Value { return value.Bool(pystr.IsUpper(e.Str(in))) }},

		"even":        {run: remainder(func(_ Arguments) value.Value { return value.Int(2) }, 0)},
		"odd":         {run: remainder(func(_ Arguments) value.Value { return value.Int(2) }, 1)},
		"divisibleby": {Params: takes("num"), run: remainder(func(a Arguments) value.Value { return a.Values[0] }, 0)},
		"in":          {Params: takes("seq"), run: func(e *Env, in value.Value, a Arguments) value.Value { return value.Bool(e.Contains(a.Values[0], in)) }},
		"sameas":      {Params: takes("other"), run: func(_ *Env, in value.Value, a Arguments) value.Value { return value.Bool(value.Same(in, a.Values[0])) }},
		"filter": {run: func(e *Env, in value.Value, _ Arguments) value.Value {
			return value.Bool(e.Lib.Filters[e.Str(in)] != nil)
		}},
		"test": {run: func(e *Env, in value.Value, _ Arguments) value.Value {
			return value.Bool(e.Lib.Tests[e.Str(in)] != nil)
		}},
	}
	for op, names := range map[string][]string{
		"==": {"==", "eq", "equalto"},
		"!=": {"!=", "ne"},
		"<":  {"<", "lt", "lessthan"},
		"<=": {"<=", "le"},
		">":  {">", "gt", "greaterthan"},
		">=": {">=", "ge"},
	} {
		t := &Builtin{Params: takes("other"), run: func(e *Env, in value.Value, a Arguments) value.Value {
			return value.Bool(e.Relate(op, in, a.Values[0]))
		}}
		for _, name := range names {
			m[name] = t
		}
	}
	return m
}

// is makes a test from a question about a value.
func is(f func(value.Value) bool) func(*Env, value.Value, Arguments) value.Value {
	return func(_ *Env, in value.Value, _ Arguments) value.Value { return value.Bool(f(in)) }
}

// remainder makes tests of divisibility.
func remainder(divisor func(Arguments) value.Value, want value.Int) func(*Env, value.Value, Arguments) value.Value {
	return func(e *Env, in value.Value, a Arguments) value.Value {
		return value.Bool(e.Equal(e.Binary("%", in, divisor(a)), want))
	}
}

func isCallable(v value.Value) bool {
	switch v.(type) {
	case *Function, *Loop, *value.Undefined:
		return true
	}
	return false
}
