package filters

import (
	"slices"
	"strings"

	"github.com/dragoman-project/dragoman/autoparser/jinja/failure"
	"github.com/dragoman-project/dragoman/autoparser/jinja/library"
	"github.com/dragoman-project/dragoman/autoparser/jinja/value"
)

// first fetches one element only, because the others may fail.
func first(e *library.Env, in value.Value, _ library.Arguments) value.Value {
	it := e.Iterate(in)
	if v, ok := it.Step(); ok {
		return v
	}
	return &value.Undefined{Hint: "No first item, sequence was empty."}
}

// last needs a sequence that can be read backwards.
func last(e *library.Env, in value.Value, _ library.Arguments) value.Value {
	switch in.(type) {
	case *value.Generator, *library.Loop:
		failure.Throw("TypeError", "'%s' object is not reversible", in.Class())
	}
	items := e.Collect(in)
	if len(items) == 0 {
		return &value.Undefined{Hint: "No last item, sequence was empty."}
	}
	return items[len(items)-1]
}

// joinFilter joins the elements as strings.
func joinFilter(e *library.Env, in value.Value, a library.Arguments) value.Value {
	get := getter(e, a.Values[1], value.None{})
	items := e.Collect(in)
	parts := make([]string, len(items))
	for i, v := range items {
		parts[i] = e.Str(get(v))
	}
	return value.String(e.Join(parts, e.Str(a.Values[0])))
}

// reverse reverses a string, or iterates backwards over anything else.
func reverse(e *library.Env, in value.Value, _ library.Arguments) value.Value {
	if _, ok := value.Text(in); ok {
		return e.Slice(in, value.None{}, value.None{}, value.Int(-1))
	}
	if !value.CanIterate(in) {
		failure.Throw("FilterArgumentError", "argument must be iterable")
	}
	items := slices.Clone(copied(e, in))
	e.GrowTimes(len(items), 16)
	slices.Reverse(items)
	if _, ok := in.(*value.Generator); ok { // Python cannot reverse generators, so Jinja2 makes a list
		return e.NewList(items)
	}
	return value.GeneratorOf(value.IterateOver(items))
}

// sortFilter compares lists of attributes, as Jinja2 does. Equal ones need no order.
func sortFilter(e *library.Env, in value.Value, a library.Arguments) value.Value {
	attributes := []value.Value{a.Values[2]}
	if s, ok := value.Text(a.Values[2]); ok {
		attributes = nil
		for _, name := range strings.Split(s, ",") {
			attributes = append(attributes, value.String(name))
		}
	}
	var getters []func(value.Value) value.Value
	for _, attribute := range attributes {
		getters = append(getters, ignoringCase(e, getter(e, attribute, value.None{}), a.Values[1]))
	}
	key := func(v value.Value) value.Value {
		parts := make([]value.Value, len(getters))
		for i, get := range getters {
			parts[i] = get(v)
		}
		return &value.List{Items: parts}
	}
	return e.NewList(e.Sorted(e.Collect(in), key, value.Truth(a.Values[0])))
}

// unique yields the first of equal elements.
func unique(e *library.Env, in value.Value, a library.Arguments) value.Value {
	get := ignoringCase(e, getter(e, a.Values[1], value.None{}), a.Values[0])
	seen := map[any]bool{}
	return lazily(e, in, func() {}, func(v value.Value) (value.Value, bool) {
		id := value.Identity(&e.Heap, get(v), 0)
		known := seen[id]
		e.Grow(48)
		seen[id] = true
		return v, !known
	})
}

// extreme is min and max. better reports whether a key beats the best one so far.
func extreme(better func(e *library.Env, key, best value.Value) bool) library.Func {
	return func(e *library.Env, in value.Value, a library.Arguments) value.Value {
		get := ignoringCase(e, getter(e, a.Values[1], value.None{}), a.Values[0])
		it := e.Iterate(in)
		best, ok := it.Step()
		if !ok {
			return &value.Undefined{Hint: "No aggregated item, sequence was empty."}
		}
		bestKey := get(best)
		for {
			v, ok := it.Step()
			if !ok {
				return best
			}
			if key := get(v); better(e, key, bestKey) {
				best, bestKey = v, key
			}
		}
	}
}

// sum adds from left to right.
func sum(e *library.Env, in value.Value, a library.Arguments) value.Value {
	get := getter(e, a.Values[0], value.None{})
	total := a.Values[1]
	if _, ok := value.Text(total); ok {
		failure.Throw("TypeError", "sum() can't sum strings [use ''.join(seq) instead]")
	}
	for it := e.Iterate(in); ; {
		v, ok := it.Step()
		if !ok {
			return total
		}
		e.Charge(1)
		total = e.Arithmetic("+", total, get(v))
	}
}

// batch yields lists of equal length. The last one may be padded.
func batch(e *library.Env, in value.Value, a library.Arguments) value.Value {
	size, fill := value.Index(a.Values[0]), a.Values[1]
	it := e.Iterate(in)
	var held value.Value // the first of the next batch
	return value.NewGenerator(func() (value.Value, bool) {
		var items []value.Value
		if held != nil {
			items, held = append(items, held), nil
		}
		for {
			v, ok := it.Step()
			if !ok {
				break
			}
			e.Grow(16)
			e.Charge(1)
			if len(items) == size {
				held = v
				return e.NewList(items), true
			}
			items = append(items, v)
		}
		if len(items) == 0 {
			return nil, false
		}
		if !value.IsNone(fill) && len(items) < size {
			e.GrowTimes(size-len(items), 16)
			items = append(items, slices.Repeat([]value.Value{fill}, size-len(items))...)
		}
		return e.NewList(items), true
	})
}

// columns is the filter slice, which yields columns of about equal length.
func columns(e *library.Env, in value.Value, a library.Arguments) value.Value {
	n, fill := value.Index(a.Values[0]), a.Values[1]
	if n == 0 {
		failure.Throw("ZeroDivisionError", "integer division or modulo by zero")
	}
	items := copied(e, in)
	column, offset := 0, 0
	return value.NewGenerator(func() (value.Value, bool) {
		if column >= n {
			return nil, false
		}
		e.Charge(1)
		size := len(items) / n
		longer := column < len(items)%n
		if longer {
			size++
		}
		part := slices.Clone(items[offset : offset+size])
		if !longer && !value.IsNone(fill) {
			part = append(part, fill)
		}
		column, offset = column+1, offset+size
		return e.NewList(part), true
	})
}

// groupBy sorts by an attribute and groups by it. Each group is a pair whose parts have names.
func groupBy(e *library.Env, in value.Value, a library.Arguments) value.Value {
	get := getter(e, a.Values[0], a.Values[1])
	key := ignoringCase(e, get, a.Values[2])
	var groups []value.Value
	var lastKey value.Value
	var members *value.List
	for _, v := range e.Sorted(e.Collect(in), key, false) {
		k := key(v)
		if members != nil && e.Equal(k, lastKey) {
			e.Grow(16)
			members.Items = append(members.Items, v)
			continue
		}
		members, lastKey = e.NewList([]value.Value{v}), k
		groups = append(groups, &value.List{Items: []value.Value{get(v), members}, Tuple: true, Group: true})
	}
	return e.NewList(groups)
}

// dictSort sorts the items of an object by key or by value.
func dictSort(e *library.Env, in value.Value, a library.Arguments) value.Value {
	value.MustExist(in)
	o, ok := in.(*value.Object)
	if !ok {
		failure.Throw("AttributeError", "'%s' object has no attribute 'items'", in.Class())
	}
	at := slices.Index([]string{"key", "value"}, e.Str(a.Values[1]))
	if at < 0 {
		failure.Throw("FilterArgumentError", `You can only sort by either "key" or "value"`)
	}
	key := ignoringCase(e, func(v value.Value) value.Value { return v.(*value.List).Items[at] }, a.Values[0])
	pairs := value.NewView(o, "items").Items(&e.Heap)
	return e.NewList(e.Sorted(pairs, key, value.Truth(a.Values[2])))
}
