package standard

import (
	"github.com/dragoman-project/dragoman/autoparser/jinja/library"
	"github.com/dragoman-project/dragoman/autoparser/jinja/pystr"
	"github.com/dragoman-project/dragoman/autoparser/jinja/value"
)

// allTests returns all tests by name.
func allTests() map[string]*library.Builtin {
	m := map[string]*library.Builtin{
		"defined":   {Run: is(func(v value.Value) bool { _, u := v.(*value.Undefined); return !u })},
		"undefined": {Run: is(func(v value.Value) bool { _, u := v.(*value.Undefined); return u })},
		"none":      {Run: is(value.IsNone)},
		"boolean":   {Run: is(func(v value.Value) bool { _, ok := v.(value.Bool); return ok })},
		"true":      {Run: is(func(v value.Value) bool { return v == value.True })},
		"false":     {Run: is(func(v value.Value) bool { return v == value.False })},
		"integer":   {Run: is(value.IsInteger)},
		"float":     {Run: is(func(v value.Value) bool { _, ok := v.(value.Float); return ok })},
		"number":    {Run: is(value.IsNumber)},
		"string":    {Run: is(func(v value.Value) bool { _, ok := value.Text(v); return ok })},
		"mapping":   {Run: is(func(v value.Value) bool { _, ok := v.(*value.Object); return ok })},
		"sequence":  {Run: is(value.IsSequence)},
		"iterable":  {Run: is(value.CanIterate)},
		"callable":  {Run: is(isCallable)},
		"escaped":   {Run: is(func(v value.Value) bool { _, ok := v.(value.Markup); return ok })},
		"lower": {Run: func(e *library.Env, in value.Value, _ library.Arguments) value.Value {
			return value.Bool(pystr.IsLower(e.Str(in)))
		}},
		"upper": {Run: func(e *library.Env, in value.Value, _ library.Arguments) value.Value {
			return value.Bool(pystr.IsUpper(e.Str(in)))
		}},

		"even":        {Run: remainder(func(_ library.Arguments) value.Value { return value.Int(2) }, 0)},
		"odd":         {Run: remainder(func(_ library.Arguments) value.Value { return value.Int(2) }, 1)},
		"divisibleby": {Params: library.Takes("num"), Run: remainder(func(a library.Arguments) value.Value { return a.Values[0] }, 0)},
		"in": {Params: library.Takes("seq"), Run: func(e *library.Env, in value.Value, a library.Arguments) value.Value {
			return value.Bool(e.Contains(a.Values[0], in))
		}},
		"sameas": {Params: library.Takes("other"), Run: func(_ *library.Env, in value.Value, a library.Arguments) value.Value {
			return value.Bool(value.Same(in, a.Values[0]))
		}},
		"filter": {Run: func(e *library.Env, in value.Value, _ library.Arguments) value.Value {
			return value.Bool(e.Lib.Filters[e.Str(in)] != nil)
		}},
		"test": {Run: func(e *library.Env, in value.Value, _ library.Arguments) value.Value {
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
		t := &library.Builtin{Params: library.Takes("other"), Run: func(e *library.Env, in value.Value, a library.Arguments) value.Value {
			return value.Bool(e.Relate(op, in, a.Values[0]))
		}}
		for _, name := range names {
			m[name] = t
		}
	}
	return m
}

// is returns a test that applies f.
func is(f func(value.Value) bool) library.Func {
	return func(_ *library.Env, in value.Value, _ library.Arguments) value.Value { return value.Bool(f(in)) }
}

// remainder returns a test of divisibility.
func remainder(divisor func(library.Arguments) value.Value, want value.Int) library.Func {
	return func(e *library.Env, in value.Value, a library.Arguments) value.Value {
		return value.Bool(e.Equal(e.Binary("%", in, divisor(a)), want))
	}
}

func isCallable(v value.Value) bool {
	switch v.(type) {
	case *library.Function, *library.Loop, *value.Undefined:
		return true
	}
	return false
}
