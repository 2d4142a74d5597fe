package methods

import (
	"math"
	"slices"

	"github.com/dragoman-project/dragoman/autoparser/jinja/failure"
	"github.com/dragoman-project/dragoman/autoparser/jinja/library"
	"github.com/dragoman-project/dragoman/autoparser/jinja/value"
)

var (
	positions = &library.Builtin{Params: library.Takes("value").Or("start", value.Int(0)).Or("stop", value.Int(math.MaxInt32)), Run: position}
	counts    = &library.Builtin{Params: library.Takes("value"), Run: countEqual}
)

// position is list.index.
func position(e *library.Env, in value.Value, a library.Arguments) value.Value {
	items := e.Collect(in)
	n := len(items)
	from, to := value.ClampIndex(a.Values[1], 0, n, 0, n), value.ClampIndex(a.Values[2], n, n, 0, n)
	for i := from; i < to; i++ {
		e.Charge(1)
		if e.Equal(items[i], a.Values[0]) {
			return value.Int(i)
		}
	}
	failure.Throw("ValueError", "%s is not in %s", value.Printed(a.Values[0]), in.Class())
	return nil
}

// countEqual is list.count.
func countEqual(e *library.Env, in value.Value, a library.Arguments) value.Value {
	n := 0
	for _, v := range e.Collect(in) {
		e.Charge(1)
		if e.Equal(v, a.Values[0]) {
			n++
		}
	}
	return value.Int(n)
}

func listMethods() map[string]*library.Builtin {
	return map[string]*library.Builtin{
		"index": positions,
		"count": counts,
		"copy": {Run: func(e *library.Env, in value.Value, _ library.Arguments) value.Value {
			return e.NewList(slices.Clone(in.(*value.List).Items))
		}},
		"append": changesList(library.Takes("object"), func(e *library.Env, l *value.List, a library.Arguments) value.Value {
			e.Grow(16)
			l.Items = append(l.Items, a.Values[0])
			return value.None{}
		}),
		"extend": changesList(library.Takes("iterable"), func(e *library.Env, l *value.List, a library.Arguments) value.Value {
			value.MustExist(a.Values[0])
			l.Items = append(l.Items, slices.Clone(e.Collect(a.Values[0]))...)
			return value.None{}
		}),
		"insert": changesList(library.Takes("index", "object"), func(e *library.Env, l *value.List, a library.Arguments) value.Value {
			e.Grow(16)
			e.Charge(len(l.Items) / 64)
			l.Items = slices.Insert(l.Items, value.ClampIndex(a.Values[0], 0, len(l.Items), 0, len(l.Items)), a.Values[1])
			return value.None{}
		}),
		"pop": changesList(library.Takes().Or("index", value.Int(-1)), popItem),
		"remove": changesList(library.Takes("value"), func(e *library.Env, l *value.List, a library.Arguments) value.Value {
			i, _ := value.Int64(position(e, l, library.Arguments{Values: []value.Value{a.Values[0], value.Int(0), value.Int(math.MaxInt32)}}))
			l.Items = slices.Delete(l.Items, int(i), int(i)+1)
			return value.None{}
		}),
		"reverse": changesList(nil, func(_ *library.Env, l *value.List, _ library.Arguments) value.Value {
			slices.Reverse(l.Items)
			return value.None{}
		}),
		"sort": changesList(library.Takes().Or("reverse", value.False), func(e *library.Env, l *value.List, a library.Arguments) value.Value {
			l.Items = e.Sorted(l.Items, func(v value.Value) value.Value { return v }, value.Truth(a.Values[0]))
			return value.None{}
		}),
		"clear": changesList(nil, func(_ *library.Env, l *value.List, _ library.Arguments) value.Value {
			l.Items = nil
			return value.None{}
		}),
	}
}

// changesList returns a method that changes a list.
func changesList(params library.Parameters, f func(*library.Env, *value.List, library.Arguments) value.Value) *library.Builtin {
	return &library.Builtin{Params: params, Changes: true, Run: func(e *library.Env, in value.Value, a library.Arguments) value.Value {
		l := in.(*value.List)
		e.Charge(1 + len(l.Items)/256)
		return f(e, l, a)
	}}
}

// popItem is list.pop.
func popItem(_ *library.Env, l *value.List, a library.Arguments) value.Value {
	i, n := value.Index(a.Values[0]), len(l.Items)
	if i < 0 {
		i += n
	}
	if n == 0 {
		failure.Throw("IndexError", "pop from empty list")
	}
	if i < 0 || i >= n {
		failure.Throw("IndexError", "pop index out of range")
	}
	v := l.Items[i]
	l.Items = slices.Delete(l.Items, i, i+1)
	return v
}
