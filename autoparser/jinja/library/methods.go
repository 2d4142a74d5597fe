package library

import (
	"math"
	"math/big"
	"slices"

	"github.com/dragoman-project/dragoman/autoparser/jinja/fault"
	"github.com/dragoman-project/dragoman/autoparser/jinja/value"
)

// allMethods is every method of a value that a template can call, by class.
func allMethods() map[string]map[string]*Builtin {
	all := map[string]map[string]*Builtin{
		"str":    strMethods(),
		"Markup": markupMethods(),
		"list":   listMethods(),
		"tuple":  {"index": positions, "count": counts},
		"range":  {"index": positions, "count": counts},
		"dict":   dictMethods(),
		"int":    {"bit_length": {run: bitLength}},
		"bool":   {"bit_length": {run: bitLength}},
		"float":  {"is_integer": {run: isWhole}},
	}
	for _, methods := range all {
		for name, m := range methods {
			m.unnamed = !m.Keywords && !slices.Contains(withNames, name)
		}
	}
	return all
}

// withNames are the methods whose arguments may be given by name. Python's others know only positions.
var withNames = []string{"split", "rsplit", "splitlines", "expandtabs", "sort"}

// markupMethods are those of strings, whose results are marked too.
func markupMethods() map[string]*Builtin {
	methods := strMethods()
	for name, m := range methods {
		marked := *m
		if m.run != nil {
			marked.run = func(e *Env, in value.Value, a Arguments) value.Value { return value.Mark(m.run(e, in, a)) }
		}
		methods[name] = &marked
	}
	return methods
}

func bitLength(_ *Env, in value.Value, _ Arguments) value.Value {
	n, _ := value.Big(in)
	return value.Int(new(big.Int).Abs(n).BitLen())
}

func isWhole(_ *Env, in value.Value, _ Arguments) value.Value {
	f, _ := value.Float64(in)
	return value.Bool(f == math.Trunc(f) && !math.IsInf(f, 0))
}

var (
	positions = &Builtin{Params: []parameter{{"value", nil}, {"start", value.Int(0)}, {"stop", value.Int(math.MaxInt32)}}, run: position}
	counts    = &Builtin{Params: takes("value"), run: countEqual}
)

// position is list.index.
func position(e *Env, in value.Value, a Arguments) value.Value {
	items := e.Collect(in)
	n := len(items)
	from, to := value.ClampIndex(a.Values[1], 0, n, 0, n), value.ClampIndex(a.Values[2], n, n, 0, n)
	for i := from; i < to; i++ {
		e.Charge(1)
		if e.Equal(items[i], a.Values[0]) {
			return value.Int(i)
		}
	}
	fault.Throw("ValueError", "%s is not in %s", value.Printed(a.Values[0]), in.Class())
	return nil
}

// countEqual is list.count.
func countEqual(e *Env, in value.Value, a Arguments) value.Value {
	n := 0
	for _, v := range e.Collect(in) {
		e.Charge(1)
		if e.Equal(v, a.Values[0]) {
			n++
		}
	}
	return value.Int(n)
}

func listMethods() map[string]*Builtin {
	return map[string]*Builtin{
		"index": positions,
		"count": counts,
		"copy": {run: func(e *Env, in value.Value, _ Arguments) value.Value {
			return e.NewList(slices.Clone(in.(*value.List).Items))
		}},
		"append": changesList(takes("object"), func(e *Env, l *value.List, a Arguments) value.Value {
			e.Grow(16)
			l.Items = append(l.Items, a.Values[0])
			return value.None{}
		}),
		"extend": changesList(takes("iterable"), func(e *Env, l *value.List, a Arguments) value.Value {
			value.MustExist(a.Values[0])
			l.Items = append(l.Items, slices.Clone(e.Collect(a.Values[0]))...)
			return value.None{}
		}),
		"insert": changesList(takes("index", "object"), func(e *Env, l *value.List, a Arguments) value.Value {
			e.Grow(16)
			e.Charge(len(l.Items) / 64)
			l.Items = slices.Insert(l.Items, value.ClampIndex(a.Values[0], 0, len(l.Items), 0, len(l.Items)), a.Values[1])
			return value.None{}
		}),
		"pop": changesList([]parameter{{"index", value.Int(-1)}}, popItem),
		"remove": changesList(takes("value"), func(e *Env, l *value.List, a Arguments) value.Value {
			i, _ := value.Int64(position(e, l, Arguments{Values: []value.Value{a.Values[0], value.Int(0), value.Int(math.MaxInt32)}}))
			l.Items = slices.Delete(l.Items, int(i), int(i)+1)
			return value.None{}
		}),
		"reverse": changesList(nil, func(_ *Env, l *value.List, _ Arguments) value.Value {
			slices.Reverse(l.Items)
			return value.None{}
		}),
		"sort": changesList([]parameter{{"reverse", value.False}}, func(e *Env, l *value.List, a Arguments) value.Value {
			l.Items = e.sorted(l.Items, func(v value.Value) value.Value { return v }, value.Truth(a.Values[0]))
			return value.None{}
		}),
		"clear": changesList(nil, func(_ *Env, l *value.List, _ Arguments) value.Value {
			l.Items = nil
			return value.None{}
		}),
	}
}

// changesList makes a method that only lists made by the template have.
func changesList(params []parameter, f func(*Env, *value.List, Arguments) value.Value) *Builtin {
	return &Builtin{Params: params, Changes: true, run: func(e *Env, in value.Value, a Arguments) value.Value {
		l := in.(*value.List)
		e.Charge(1 + len(l.Items)/256)
		return f(e, l, a)
	}}
}

// popItem is list.pop.
func popItem(_ *Env, l *value.List, a Arguments) value.Value {
	i, n := value.Index(a.Values[0]), len(l.Items)
	if i < 0 {
		i += n
	}
	if n == 0 {
		fault.Throw("IndexError", "pop from empty list")
	}
	if i < 0 || i >= n {
		fault.Throw("IndexError", "pop index out of range")
	}
	v := l.Items[i]
	l.Items = slices.Delete(l.Items, i, i+1)
	return v
}

func dictMethods() map[string]*Builtin {
	return map[string]*Builtin{
		"keys":   {run: viewOf("keys")},
		"values": {run: viewOf("values")},
		"items":  {run: viewOf("items")},
		"get":    {Params: []parameter{{"key", nil}, {"default", value.None{}}}, run: getKey},
		"copy":   {run: func(e *Env, in value.Value, _ Arguments) value.Value { return in.(*value.Object).CopyOf(&e.Heap) }},

		"pop": changesObject([]parameter{{"key", nil}, {"default", missing}}, popKey),
		"popitem": changesObject(nil, func(e *Env, o *value.Object, _ Arguments) value.Value {
			last := o.Len() - 1
			if last < 0 {
				fault.Throw("KeyError", "'popitem(): dictionary is empty'")
			}
			pair := value.TupleOf(o.KeyAt(last), o.ValueAt(last))
			o.Remove(&e.Heap, last)
			return pair
		}),
		"setdefault": changesObject([]parameter{{"key", nil}, {"default", value.None{}}}, func(e *Env, o *value.Object, a Arguments) value.Value {
			if i := o.Find(&e.Heap, a.Values[0]); i >= 0 {
				return o.ValueAt(i)
			}
			e.Grow(32)
			o.Put(&e.Heap, a.Values[0], a.Values[1])
			return a.Values[1]
		}),
		"update": {Variadic: true, Keywords: true, Changes: true, run: func(e *Env, in value.Value, a Arguments) value.Value {
			e.fill(in.(*value.Object), a)
			return value.None{}
		}},
		"clear": changesObject(nil, func(_ *Env, o *value.Object, _ Arguments) value.Value {
			o.RemoveAll()
			return value.None{}
		}),
		"fromkeys": {Refused: "write the object out"},
	}
}

// missing tells an argument that was not given from one that is None.
var missing value.Value = &value.Undefined{Hint: "missing"}

// changesObject makes a method that only objects made by the template have.
func changesObject(params []parameter, f func(*Env, *value.Object, Arguments) value.Value) *Builtin {
	return &Builtin{Params: params, Changes: true, run: func(e *Env, in value.Value, a Arguments) value.Value {
		e.Charge(1)
		return f(e, in.(*value.Object), a)
	}}
}

// viewOf makes keys(), values() and items().
func viewOf(part string) func(*Env, value.Value, Arguments) value.Value {
	return func(_ *Env, in value.Value, _ Arguments) value.Value { return value.NewView(in.(*value.Object), part) }
}

// getKey is dict.get.
func getKey(e *Env, in value.Value, a Arguments) value.Value {
	o := in.(*value.Object)
	if i := o.Find(&e.Heap, a.Values[0]); i >= 0 {
		return o.ValueAt(i)
	}
	return a.Values[1]
}

// popKey is dict.pop.
func popKey(e *Env, o *value.Object, a Arguments) value.Value {
	i := o.Find(&e.Heap, a.Values[0])
	if i < 0 {
		if a.Values[1] == missing {
			fault.Throw("KeyError", "%s", value.Printed(a.Values[0]))
		}
		return a.Values[1]
	}
	v := o.ValueAt(i)
	o.Remove(&e.Heap, i)
	return v
}

// fill adds what dict() and dict.update() take: a mapping or pairs, then named arguments.
func (e *Env) fill(o *value.Object, a Arguments) {
	if len(a.Values) > 1 {
		fault.Throw("TypeError", "dict expected at most 1 argument, got %d", len(a.Values))
	}
	for _, v := range a.Values {
		e.fillFrom(o, v)
	}
	for _, n := range a.Named {
		e.Grow(32)
		o.Put(&e.Heap, n.Key, n.Value)
	}
}

// fillFrom adds the keys of a mapping, or pairs.
func (e *Env) fillFrom(o *value.Object, v value.Value) {
	if from, ok := v.(*value.Object); ok {
		for k, v := range from.Entries() {
			e.Grow(32)
			o.Put(&e.Heap, k, v)
		}
		return
	}
	for i, pair := range e.Collect(v) {
		if !value.CanIterate(pair) {
			fault.Throw("TypeError", "cannot convert dictionary update sequence element #%d to a sequence", i)
		}
		kv := e.Collect(pair)
		if len(kv) != 2 {
			fault.Throw("ValueError", "dictionary update sequence element #%d has length %d; 2 is required", i, len(kv))
		}
		e.Grow(32)
		o.Put(&e.Heap, kv[0], kv[1])
	}
}
