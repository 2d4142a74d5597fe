package jinja

import "strings"

// equal is Python's a == b. Every node looked at is charged: values that share parts make trees of exponential size.
func (r *render) equal(a, b Value) bool { return r.equalAt(a, b, 0) }

// equalAt is equal at a depth of nesting.
func (r *render) equalAt(a, b Value, depth int) bool {
	if depth > depthOfValues {
		throw("RecursionError", "maximum recursion depth exceeded in comparison")
	}
	if x, ok := str(a); ok {
		y, ok := str(b)
		r.touch(min(len(x), len(y)))
		return ok && x == y
	}
	if order, ordered, ok := compareNumbers(a, b); ok {
		return ordered && order == 0
	}
	switch x := a.(type) {
	case none:
		_, ok := b.(none)
		return ok
	case *undefined:
		_, ok := b.(*undefined)
		return ok
	case *list:
		y, ok := b.(*list)
		return ok && x.tuple == y.tuple && r.equalLists(x.items, y.items, depth)
	case *Object:
		y, ok := b.(*Object)
		return ok && r.equalObjects(x, y, depth)
	case *span:
		y, ok := b.(*span)
		return ok && x.equal(y)
	case *view:
		return r.equalViews(x, b, depth)
	}
	return a == b
}

func (r *render) equalLists(x, y []Value, depth int) bool {
	if len(x) != len(y) {
		return false
	}
	for i := range x {
		r.charge(1)
		if !r.equalAt(x[i], y[i], depth+1) {
			return false
		}
	}
	return true
}

// equalObjects compares by key; the order does not matter.
func (r *render) equalObjects(x, y *Object, depth int) bool {
	if x.Len() != y.Len() {
		return false
	}
	for i, k := range x.keys {
		r.charge(1)
		j := y.find(r, k)
		if j < 0 || !r.equalAt(x.values[i], y.values[j], depth+1) {
			return false
		}
	}
	return true
}

// equalViews compares keys and pairs as sets; values compare by identity, as in Python.
func (r *render) equalViews(x *view, b Value, depth int) bool {
	y, ok := b.(*view)
	if !ok || x.part == "values" || y.part == "values" {
		return ok && x == y
	}
	if x.of.Len() != y.of.Len() || x.part != y.part {
		return false
	}
	if x.part == "items" {
		return r.equalObjects(x.of, y.of, depth)
	}
	for _, k := range x.of.keys {
		r.charge(1)
		if y.of.find(r, k) < 0 {
			return false
		}
	}
	return true
}

// compare is Python's a < b and so on.
func (r *render) compare(op string, a, b Value) bool {
	mustExist(a, b)
	order, ordered, ok := r.order(a, b, 0)
	if !ok {
		throw("TypeError", "'%s' not supported between instances of '%s' and '%s'", op, a.class(), b.class())
	}
	if !ordered {
		return false
	}
	switch op {
	case "<":
		return order < 0
	case "<=":
		return order <= 0
	case ">":
		return order > 0
	}
	return order >= 0
}

// order compares what has an order. ok is false for other types.
func (r *render) order(a, b Value, depth int) (order int, ordered, ok bool) {
	if depth > depthOfValues {
		throw("RecursionError", "maximum recursion depth exceeded in comparison")
	}
	if x, ok := str(a); ok {
		if y, ok := str(b); ok {
			r.touch(min(len(x), len(y)))
			return strings.Compare(x, y), true, true
		}
		return 0, false, false
	}
	if order, ordered, ok := compareNumbers(a, b); ok {
		return order, ordered, true
	}
	x, xok := a.(*list)
	y, yok := b.(*list)
	if !xok || !yok || x.tuple != y.tuple {
		return 0, false, false
	}
	return r.orderLists(x.items, y.items, depth)
}

// orderLists compares the first elements that differ.
func (r *render) orderLists(x, y []Value, depth int) (order int, ordered, ok bool) {
	for i := range min(len(x), len(y)) {
		r.charge(1)
		if r.equalAt(x[i], y[i], depth+1) {
			continue
		}
		mustExist(x[i], y[i])
		order, ordered, ok := r.order(x[i], y[i], depth+1)
		if !ok {
			throw("TypeError", "'<' not supported between instances of '%s' and '%s'", x[i].class(), y[i].class())
		}
		return order, ordered, true
	}
	return compareOrdered(int64(len(x)), int64(len(y))), true, true
}

// less orders for sorting.
func (r *render) less(a, b Value) bool {
	r.charge(1)
	return r.compare("<", a, b)
}

// contains is Python's v in seq.
func (r *render) contains(seq, v Value) bool {
	switch s := seq.(type) {
	case *undefined:
		return false
	case *Object:
		return s.find(r, v) >= 0
	case *list:
		for _, x := range s.items {
			r.charge(1)
			if r.equal(x, v) {
				return true
			}
		}
		return false
	case none, boolean, integer, *bigInteger, float, *function, *namespace:
		throw("TypeError", "argument of type '%s' is not iterable", seq.class())
	}
	if s, ok := str(seq); ok {
		x, ok := str(v)
		if !ok {
			throw("TypeError", "'in <string>' requires string as left operand, not %s", v.class())
		}
		r.touch(len(s))
		return strings.Contains(s, x)
	}
	for it := r.iterate(seq); ; {
		x, ok := it.step()
		if !ok {
			return false
		}
		r.charge(1)
		if r.equal(x, v) {
			return true
		}
	}
}
