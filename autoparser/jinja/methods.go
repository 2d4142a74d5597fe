package jinja

import (
	"math"
	"math/big"
	"slices"
)

// allMethods is every method of a value that a template can call, by class.
func allMethods() map[string]map[string]*builtin {
	all := map[string]map[string]*builtin{
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
			m.unnamed = !m.keywords && !slices.Contains(withNames, name)
		}
	}
	return all
}

// withNames are the methods whose arguments may be given by name. Python's others know only positions.
var withNames = []string{"split", "rsplit", "splitlines", "expandtabs", "sort"}

// markupMethods are those of strings, whose results are marked too.
func markupMethods() map[string]*builtin {
	methods := strMethods()
	for name, m := range methods {
		marked := *m
		if m.run != nil {
			marked.run = func(r *render, in Value, a arguments) Value { return mark(m.run(r, in, a)) }
		}
		methods[name] = &marked
	}
	return methods
}

// mark marks a string, or the strings of a list, as safe.
func mark(v Value) Value {
	switch v := v.(type) {
	case text:
		return markup(v)
	case *list:
		for i, x := range v.items {
			v.items[i] = mark(x)
		}
	}
	return v
}

func bitLength(_ *render, in Value, _ arguments) Value {
	n, _ := wide(in)
	return integer(new(big.Int).Abs(n).BitLen())
}

func isWhole(_ *render, in Value, _ arguments) Value {
	f, _ := number(in)
	return boolean(f == math.Trunc(f) && !math.IsInf(f, 0))
}

var (
	positions = &builtin{params: []parameter{{"value", nil}, {"start", integer(0)}, {"stop", integer(math.MaxInt32)}}, run: position}
	counts    = &builtin{params: takes("value"), run: countEqual}
)

// position is list.index.
func position(r *render, in Value, a arguments) Value {
	items := r.collect(in)
	n := len(items)
	from, to := clampIndex(a.values[1], 0, n, 0, n), clampIndex(a.values[2], n, n, 0, n)
	for i := from; i < to; i++ {
		r.charge(1)
		if r.equal(items[i], a.values[0]) {
			return integer(i)
		}
	}
	throw("ValueError", "%s is not in %s", printed(a.values[0]), in.class())
	return nil
}

// countEqual is list.count.
func countEqual(r *render, in Value, a arguments) Value {
	n := 0
	for _, v := range r.collect(in) {
		r.charge(1)
		if r.equal(v, a.values[0]) {
			n++
		}
	}
	return integer(n)
}

func listMethods() map[string]*builtin {
	return map[string]*builtin{
		"index": positions,
		"count": counts,
		"copy": {run: func(r *render, in Value, _ arguments) Value {
			return r.made(slices.Clone(in.(*list).items))
		}},
		"append": changesList(takes("object"), func(r *render, l *list, a arguments) Value {
			r.grow(16)
			l.items = append(l.items, a.values[0])
			return none{}
		}),
		"extend": changesList(takes("iterable"), func(r *render, l *list, a arguments) Value {
			mustExist(a.values[0])
			l.items = append(l.items, slices.Clone(r.collect(a.values[0]))...)
			return none{}
		}),
		"insert": changesList(takes("index", "object"), func(r *render, l *list, a arguments) Value {
			r.grow(16)
			r.charge(len(l.items) / 64)
			l.items = slices.Insert(l.items, clampIndex(a.values[0], 0, len(l.items), 0, len(l.items)), a.values[1])
			return none{}
		}),
		"pop": changesList([]parameter{{"index", integer(-1)}}, popItem),
		"remove": changesList(takes("value"), func(r *render, l *list, a arguments) Value {
			i, _ := small(position(r, l, arguments{values: []Value{a.values[0], integer(0), integer(math.MaxInt32)}}))
			l.items = slices.Delete(l.items, int(i), int(i)+1)
			return none{}
		}),
		"reverse": changesList(nil, func(_ *render, l *list, _ arguments) Value {
			slices.Reverse(l.items)
			return none{}
		}),
		"sort": changesList([]parameter{{"reverse", no}}, func(r *render, l *list, a arguments) Value {
			l.items = r.sorted(l.items, func(v Value) Value { return v }, truth(a.values[0]))
			return none{}
		}),
		"clear": changesList(nil, func(_ *render, l *list, _ arguments) Value {
			l.items = nil
			return none{}
		}),
	}
}

// changesList makes a method that only lists made by the template have.
func changesList(params []parameter, f func(*render, *list, arguments) Value) *builtin {
	return &builtin{params: params, changes: true, run: func(r *render, in Value, a arguments) Value {
		l := in.(*list)
		r.charge(1 + len(l.items)/256)
		return f(r, l, a)
	}}
}

// popItem is list.pop.
func popItem(_ *render, l *list, a arguments) Value {
	i, n := index(a.values[0]), len(l.items)
	if i < 0 {
		i += n
	}
	if n == 0 {
		throw("IndexError", "pop from empty list")
	}
	if i < 0 || i >= n {
		throw("IndexError", "pop index out of range")
	}
	v := l.items[i]
	l.items = slices.Delete(l.items, i, i+1)
	return v
}

func dictMethods() map[string]*builtin {
	return map[string]*builtin{
		"keys":   {run: viewOf("keys")},
		"values": {run: viewOf("values")},
		"items":  {run: viewOf("items")},
		"get":    {params: []parameter{{"key", nil}, {"default", none{}}}, run: getKey},
		"copy":   {run: func(r *render, in Value, _ arguments) Value { return in.(*Object).copyOf(r) }},

		"pop": changesObject([]parameter{{"key", nil}, {"default", missing}}, popKey),
		"popitem": changesObject(nil, func(r *render, o *Object, _ arguments) Value {
			last := o.Len() - 1
			if last < 0 {
				throw("KeyError", "'popitem(): dictionary is empty'")
			}
			pair := tuple(o.keys[last], o.values[last])
			o.remove(r, last)
			return pair
		}),
		"setdefault": changesObject([]parameter{{"key", nil}, {"default", none{}}}, func(r *render, o *Object, a arguments) Value {
			if i := o.find(r, a.values[0]); i >= 0 {
				return o.values[i]
			}
			r.grow(32)
			o.put(r, a.values[0], a.values[1])
			return a.values[1]
		}),
		"update": {variadic: true, keywords: true, changes: true, run: func(r *render, in Value, a arguments) Value {
			r.fill(in.(*Object), a)
			return none{}
		}},
		"clear": changesObject(nil, func(_ *render, o *Object, _ arguments) Value {
			o.keys, o.values, o.index = nil, nil, nil
			return none{}
		}),
		"fromkeys": {refused: "write the object out"},
	}
}

// missing tells an argument that was not given from one that is None.
var missing Value = &undefined{hint: "missing"}

// changesObject makes a method that only objects made by the template have.
func changesObject(params []parameter, f func(*render, *Object, arguments) Value) *builtin {
	return &builtin{params: params, changes: true, run: func(r *render, in Value, a arguments) Value {
		r.charge(1)
		return f(r, in.(*Object), a)
	}}
}

// viewOf makes keys(), values() and items().
func viewOf(part string) func(*render, Value, arguments) Value {
	return func(_ *render, in Value, _ arguments) Value { return &view{of: in.(*Object), part: part} }
}

// getKey is dict.get.
func getKey(r *render, in Value, a arguments) Value {
	o := in.(*Object)
	if i := o.find(r, a.values[0]); i >= 0 {
		return o.values[i]
	}
	return a.values[1]
}

// popKey is dict.pop.
func popKey(r *render, o *Object, a arguments) Value {
	i := o.find(r, a.values[0])
	if i < 0 {
		if a.values[1] == missing {
			throw("KeyError", "%s", printed(a.values[0]))
		}
		return a.values[1]
	}
	v := o.values[i]
	o.remove(r, i)
	return v
}

// fill adds what dict() and dict.update() take: a mapping or pairs, then named arguments.
func (r *render) fill(o *Object, a arguments) {
	if len(a.values) > 1 {
		throw("TypeError", "dict expected at most 1 argument, got %d", len(a.values))
	}
	for _, v := range a.values {
		r.fillFrom(o, v)
	}
	for _, n := range a.named {
		r.grow(32)
		o.put(r, n.key, n.value)
	}
}

// fillFrom adds the keys of a mapping, or pairs.
func (r *render) fillFrom(o *Object, v Value) {
	if from, ok := v.(*Object); ok {
		for i := range from.keys {
			r.grow(32)
			o.put(r, from.keys[i], from.values[i])
		}
		return
	}
	for i, pair := range r.collect(v) {
		if !iterable(pair) {
			throw("TypeError", "cannot convert dictionary update sequence element #%d to a sequence", i)
		}
		kv := r.collect(pair)
		if len(kv) != 2 {
			throw("ValueError", "dictionary update sequence element #%d has length %d; 2 is required", i, len(kv))
		}
		r.grow(32)
		o.put(r, kv[0], kv[1])
	}
}
