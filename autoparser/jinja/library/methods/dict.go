package methods

import (
	"github.com/dragoman-project/dragoman/autoparser/jinja/failure"
	"github.com/dragoman-project/dragoman/autoparser/jinja/library"
	"github.com/dragoman-project/dragoman/autoparser/jinja/value"
)

func dictMethods() map[string]*library.Builtin {
	return map[string]*library.Builtin{
		"keys":   {Run: viewOf("keys")},
		"values": {Run: viewOf("values")},
		"items":  {Run: viewOf("items")},
		"get":    {Params: library.Takes("key").Or("default", value.None{}), Run: getKey},
		"copy": {Run: func(e *library.Env, in value.Value, _ library.Arguments) value.Value {
			return in.(*value.Object).CopyOf(&e.Heap)
		}},

		"pop": changesObject(library.Takes("key").Or("default", missing), popKey),
		"popitem": changesObject(nil, func(e *library.Env, o *value.Object, _ library.Arguments) value.Value {
			last := o.Len() - 1
			if last < 0 {
				failure.Throw("KeyError", "'popitem(): dictionary is empty'")
			}
			pair := value.TupleOf(o.KeyAt(last), o.ValueAt(last))
			o.Remove(&e.Heap, last)
			return pair
		}),
		"setdefault": changesObject(library.Takes("key").Or("default", value.None{}), func(e *library.Env, o *value.Object, a library.Arguments) value.Value {
			if i := o.Find(&e.Heap, a.Values[0]); i >= 0 {
				return o.ValueAt(i)
			}
			e.Grow(32)
			o.Put(&e.Heap, a.Values[0], a.Values[1])
			return a.Values[1]
		}),
		"update": {Variadic: true, Keywords: true, Changes: true, Run: func(e *library.Env, in value.Value, a library.Arguments) value.Value {
			e.Fill(in.(*value.Object), a)
			return value.None{}
		}},
		"clear": changesObject(nil, func(_ *library.Env, o *value.Object, _ library.Arguments) value.Value {
			o.RemoveAll()
			return value.None{}
		}),
		"fromkeys": {Refused: "write the object out"},
	}
}

// missing distinguishes an absent argument from None.
var missing value.Value = &value.Undefined{Hint: "missing"}

// changesObject returns a method that changes an object.
func changesObject(params library.Parameters, f func(*library.Env, *value.Object, library.Arguments) value.Value) *library.Builtin {
	return &library.Builtin{Params: params, Changes: true, Run: func(e *library.Env, in value.Value, a library.Arguments) value.Value {
		e.Charge(1)
		return f(e, in.(*value.Object), a)
	}}
}

// viewOf returns keys(), values() or items().
func viewOf(part string) library.Func {
	return func(_ *library.Env, in value.Value, _ library.Arguments) value.Value {
		return value.NewView(in.(*value.Object), part)
	}
}

// getKey is dict.get.
func getKey(e *library.Env, in value.Value, a library.Arguments) value.Value {
	o := in.(*value.Object)
	if i := o.Find(&e.Heap, a.Values[0]); i >= 0 {
		return o.ValueAt(i)
	}
	return a.Values[1]
}

// popKey is dict.pop.
func popKey(e *library.Env, o *value.Object, a library.Arguments) value.Value {
	i := o.Find(&e.Heap, a.Values[0])
	if i < 0 {
		if a.Values[1] == missing {
			failure.Throw("KeyError", "%s", value.Printed(a.Values[0]))
		}
		return a.Values[1]
	}
	v := o.ValueAt(i)
	o.Remove(&e.Heap, i)
	return v
}
