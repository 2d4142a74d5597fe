package jinja

import (
	"slices"
	"sort"
	"strconv"
	"strings"
)

// attributeParts splits "a.0.b".
func attributeParts(attribute Value) []Value {
	s, ok := str(attribute)
	switch {
	case isNone(attribute):
		return nil
	case !ok:
		return []Value{attribute}
	}
	var parts []Value
	for _, p := range strings.Split(s, ".") {
		if n, err := strconv.ParseInt(p, 10, 64); err == nil && every(p, digit) {
			parts = append(parts, integer(n))
			continue
		}
		parts = append(parts, text(p))
	}
	return parts
}

// copied returns the elements in a slice of their own.
func (r *render) copied(v Value) []Value {
	if l, ok := v.(*list); ok {
		r.charge(len(l.items) / 16)
		return slices.Clone(l.items)
	}
	return r.collect(v)
}

// first asks for one element only: the others may not be computable.
func first(r *render, in Value, _ arguments) Value {
	it := r.iterate(in)
	if v, ok := it.step(); ok {
		return v
	}
	return &undefined{hint: "No first item, sequence was empty."}
}

// last needs a sequence that can be read backwards.
func last(r *render, in Value, _ arguments) Value {
	switch in.(type) {
	case *generator, *loop:
		throw("TypeError", "'%s' object is not reversible", in.class())
	}
	items := r.collect(in)
	if len(items) == 0 {
		return &undefined{hint: "No last item, sequence was empty."}
	}
	return items[len(items)-1]
}

// joinFilter joins what the elements print as.
func joinFilter(r *render, in Value, a arguments) Value {
	get := r.getter(a.values[1], none{})
	items := r.collect(in)
	parts := make([]string, len(items))
	for i, v := range items {
		parts[i] = r.str(get(v))
	}
	return text(r.join(parts, r.str(a.values[0])))
}

// reverse reverses a string, or goes backwards through anything else.
func reverse(r *render, in Value, _ arguments) Value {
	if _, ok := str(in); ok {
		return r.slice(in, none{}, none{}, integer(-1))
	}
	if !iterable(in) {
		throw("FilterArgumentError", "argument must be iterable")
	}
	items := slices.Clone(r.copied(in))
	r.growTimes(len(items), 16)
	slices.Reverse(items)
	if _, ok := in.(*generator); ok { // Python cannot reverse one, so Jinja2 makes a list
		return r.made(items)
	}
	return &generator{iterator{list: &list{items: items}}}
}

// sorted sorts by a key, keeping the order of equal ones.
func (r *render) sorted(items []Value, key func(Value) Value, reverse bool) []Value {
	r.growTimes(len(items), 64)
	s := &sorting{r: r, values: slices.Clone(items), keys: make([]Value, len(items)), reverse: reverse}
	for i, v := range items {
		s.keys[i] = key(v)
	}
	sort.Stable(s)
	return s.values
}

// sorting implements sort.Interface for values and their keys.
type sorting struct {
	r            *render
	keys, values []Value
	reverse      bool
}

func (s *sorting) Len() int { return len(s.keys) }

func (s *sorting) Less(i, j int) bool {
	if s.reverse {
		i, j = j, i
	}
	return s.r.less(s.keys[i], s.keys[j])
}

func (s *sorting) Swap(i, j int) {
	s.keys[i], s.keys[j] = s.keys[j], s.keys[i]
	s.values[i], s.values[j] = s.values[j], s.values[i]
}

// sortFilter compares lists of attributes, as Jinja2 does: equal ones need no order.
func sortFilter(r *render, in Value, a arguments) Value {
	attributes := []Value{a.values[2]}
	if s, ok := str(a.values[2]); ok {
		attributes = nil
		for _, name := range strings.Split(s, ",") {
			attributes = append(attributes, text(name))
		}
	}
	var getters []func(Value) Value
	for _, attribute := range attributes {
		getters = append(getters, r.ignoringCase(r.getter(attribute, none{}), a.values[1]))
	}
	key := func(v Value) Value {
		parts := make([]Value, len(getters))
		for i, get := range getters {
			parts[i] = get(v)
		}
		return &list{items: parts}
	}
	return r.made(r.sorted(r.collect(in), key, truth(a.values[0])))
}

// unique keeps the first of equal elements, lazily.
func unique(r *render, in Value, a arguments) Value {
	get := r.ignoringCase(r.getter(a.values[1], none{}), a.values[0])
	seen := map[any]bool{}
	return r.lazily(in, func() {}, func(v Value) (Value, bool) {
		id := identity(r, get(v), 0)
		known := seen[id]
		r.grow(48)
		seen[id] = true
		return v, !known
	})
}

// extreme is min and max; better says that a key beats the best one so far.
func extreme(better func(r *render, key, best Value) bool) func(*render, Value, arguments) Value {
	return func(r *render, in Value, a arguments) Value {
		get := r.ignoringCase(r.getter(a.values[1], none{}), a.values[0])
		it := r.iterate(in)
		best, ok := it.step()
		if !ok {
			return &undefined{hint: "No aggregated item, sequence was empty."}
		}
		bestKey := get(best)
		for {
			v, ok := it.step()
			if !ok {
				return best
			}
			if key := get(v); better(r, key, bestKey) {
				best, bestKey = v, key
			}
		}
	}
}

// sum adds from left to right.
func sum(r *render, in Value, a arguments) Value {
	get := r.getter(a.values[0], none{})
	total := a.values[1]
	if _, ok := str(total); ok {
		throw("TypeError", "sum() can't sum strings [use ''.join(seq) instead]")
	}
	for it := r.iterate(in); ; {
		v, ok := it.step()
		if !ok {
			return total
		}
		r.charge(1)
		total = r.binary("+", total, get(v))
	}
}

// batch makes lists of the same length; a last one that is shorter may be filled up.
func batch(r *render, in Value, a arguments) Value {
	size, fill := index(a.values[0]), a.values[1]
	it := r.iterate(in)
	var held Value // the first of the next batch
	return &generator{iterator{next: func() (Value, bool) {
		var items []Value
		if held != nil {
			items, held = append(items, held), nil
		}
		for {
			v, ok := it.step()
			if !ok {
				break
			}
			r.grow(16)
			r.charge(1)
			if len(items) == size {
				held = v
				return r.made(items), true
			}
			items = append(items, v)
		}
		if len(items) == 0 {
			return nil, false
		}
		if !isNone(fill) && len(items) < size {
			r.growTimes(size-len(items), 16)
			items = append(items, slices.Repeat([]Value{fill}, size-len(items))...)
		}
		return r.made(items), true
	}}}
}

// columns is the filter slice: columns of about the same length.
func columns(r *render, in Value, a arguments) Value {
	n, fill := index(a.values[0]), a.values[1]
	if n == 0 {
		throw("ZeroDivisionError", "integer division or modulo by zero")
	}
	items := r.copied(in)
	column, offset := 0, 0
	return &generator{iterator{next: func() (Value, bool) {
		if column >= n {
			return nil, false
		}
		r.charge(1)
		size := len(items) / n
		longer := column < len(items)%n
		if longer {
			size++
		}
		part := slices.Clone(items[offset : offset+size])
		if !longer && !isNone(fill) {
			part = append(part, fill)
		}
		column, offset = column+1, offset+size
		return r.made(part), true
	}}}
}

// groupBy sorts by an attribute and groups what is equal in it. Each group is a pair, with names for its parts.
func groupBy(r *render, in Value, a arguments) Value {
	get := r.getter(a.values[0], a.values[1])
	key := r.ignoringCase(get, a.values[2])
	var groups []Value
	var lastKey Value
	var members *list
	for _, v := range r.sorted(r.collect(in), key, false) {
		k := key(v)
		if members != nil && r.equal(k, lastKey) {
			r.grow(16)
			members.items = append(members.items, v)
			continue
		}
		members, lastKey = r.made([]Value{v}), k
		groups = append(groups, &list{items: []Value{get(v), members}, tuple: true, group: true})
	}
	return r.made(groups)
}

// dictSort sorts the pairs of an object by key or by value.
func dictSort(r *render, in Value, a arguments) Value {
	mustExist(in)
	o, ok := in.(*Object)
	if !ok {
		throw("AttributeError", "'%s' object has no attribute 'items'", in.class())
	}
	at := slices.Index([]string{"key", "value"}, r.str(a.values[1]))
	if at < 0 {
		throw("FilterArgumentError", `You can only sort by either "key" or "value"`)
	}
	key := r.ignoringCase(func(v Value) Value { return v.(*list).items[at] }, a.values[0])
	pairs := (&view{of: o, part: "items"}).items(r)
	return r.made(r.sorted(pairs, key, truth(a.values[2])))
}
