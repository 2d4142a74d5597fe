package value

import (
	"strings"

	"github.com/dragoman-project/dragoman/autoparser/jinja/failure"
	"github.com/dragoman-project/dragoman/autoparser/jinja/meter"
)

// Equal is Python's a == b. It charges for every node visited: values that share parts unfold to
// trees of exponential size.
func (h *Heap) Equal(a, b Value) bool { return h.equalAt(a, b, 0) }

// equalAt is Equal at a depth of nesting.
func (h *Heap) equalAt(a, b Value, depth int) bool {
	if depth > meter.MaxDepth {
		failure.Throw("RecursionError", "maximum recursion depth exceeded in comparison")
	}
	if x, ok := Text(a); ok {
		y, ok := Text(b)
		h.Touch(min(len(x), len(y)))
		return ok && x == y
	}
	if order, ordered, ok := compareNumbers(a, b); ok {
		return ordered && order == 0
	}
	switch x := a.(type) {
	case None:
		_, ok := b.(None)
		return ok
	case *Undefined:
		_, ok := b.(*Undefined)
		return ok
	case *List:
		y, ok := b.(*List)
		return ok && x.Tuple == y.Tuple && h.EqualLists(x.Items, y.Items, depth)
	case *Object:
		y, ok := b.(*Object)
		return ok && h.equalObjects(x, y, depth)
	case *Range:
		y, ok := b.(*Range)
		return ok && x.equal(y)
	case *View:
		return h.equalViews(x, b, depth)
	}
	return a == b
}

// EqualLists reports whether two lists have equal elements.
func (h *Heap) EqualLists(x, y []Value, depth int) bool {
	if len(x) != len(y) {
		return false
	}
	for i := range x {
		h.Charge(1)
		if !h.equalAt(x[i], y[i], depth+1) {
			return false
		}
	}
	return true
}

// equalObjects compares objects regardless of order.
func (h *Heap) equalObjects(x, y *Object, depth int) bool {
	if x.Len() != y.Len() {
		return false
	}
	for i, k := range x.keys {
		h.Charge(1)
		j := y.Find(h, k)
		if j < 0 || !h.equalAt(x.values[i], y.values[j], depth+1) {
			return false
		}
	}
	return true
}

// equalViews compares keys and items as sets. Values are compared by identity, as in Python.
func (h *Heap) equalViews(x *View, b Value, depth int) bool {
	y, ok := b.(*View)
	if !ok || x.part == "values" || y.part == "values" {
		return ok && x == y
	}
	if x.of.Len() != y.of.Len() || x.part != y.part {
		return false
	}
	if x.part == "items" {
		return h.equalObjects(x.of, y.of, depth)
	}
	for _, k := range x.of.keys {
		h.Charge(1)
		if y.of.Find(h, k) < 0 {
			return false
		}
	}
	return true
}

// compare is Python's <, <=, > and >=.
func (h *Heap) compare(op string, a, b Value) bool {
	MustExist(a, b)
	order, ordered, ok := h.order(a, b, 0)
	if !ok {
		failure.Throw("TypeError", "'%s' not supported between instances of '%s' and '%s'", op, a.Class(), b.Class())
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

// order compares two values. ok is false if their types have no order, ordered is false for NaN.
func (h *Heap) order(a, b Value, depth int) (order int, ordered, ok bool) {
	if depth > meter.MaxDepth {
		failure.Throw("RecursionError", "maximum recursion depth exceeded in comparison")
	}
	if x, ok := Text(a); ok {
		if y, ok := Text(b); ok {
			h.Touch(min(len(x), len(y)))
			return strings.Compare(x, y), true, true
		}
		return 0, false, false
	}
	if order, ordered, ok := compareNumbers(a, b); ok {
		return order, ordered, true
	}
	x, xok := a.(*List)
	y, yok := b.(*List)
	if !xok || !yok || x.Tuple != y.Tuple {
		return 0, false, false
	}
	return h.orderLists(x.Items, y.Items, depth)
}

// orderLists compares the first elements that differ.
func (h *Heap) orderLists(x, y []Value, depth int) (order int, ordered, ok bool) {
	for i := range min(len(x), len(y)) {
		h.Charge(1)
		if h.equalAt(x[i], y[i], depth+1) {
			continue
		}
		MustExist(x[i], y[i])
		order, ordered, ok := h.order(x[i], y[i], depth+1)
		if !ok {
			failure.Throw("TypeError", "'<' not supported between instances of '%s' and '%s'", x[i].Class(), y[i].Class())
		}
		return order, ordered, true
	}
	return compareOrdered(int64(len(x)), int64(len(y))), true, true
}

// Less is a < b, for sorting.
func (h *Heap) Less(a, b Value) bool {
	h.Charge(1)
	return h.compare("<", a, b)
}

// Contains is Python's v in seq.
func (h *Heap) Contains(seq, v Value) bool {
	switch s := seq.(type) {
	case *Undefined:
		return false
	case *Object:
		return s.Find(h, v) >= 0
	case *List:
		for _, x := range s.Items {
			h.Charge(1)
			if h.Equal(x, v) {
				return true
			}
		}
		return false
	case None, Bool, Int, *BigInt, Float, *Namespace:
		failure.Throw("TypeError", "argument of type '%s' is not iterable", seq.Class())
	case Iterable:
	case Special:
		failure.Throw("TypeError", "argument of type '%s' is not iterable", seq.Class())
	}
	if s, ok := Text(seq); ok {
		x, ok := Text(v)
		if !ok {
			failure.Throw("TypeError", "'in <string>' requires string as left operand, not %s", v.Class())
		}
		h.Touch(len(s))
		return strings.Contains(s, x)
	}
	for it := h.Iterate(seq); ; {
		x, ok := it.Step()
		if !ok {
			return false
		}
		h.Charge(1)
		if h.Equal(x, v) {
			return true
		}
	}
}

// Relate is a op b for the comparison operators.
func (h *Heap) Relate(op string, a, b Value) bool {
	switch op {
	case "==":
		return h.Equal(a, b)
	case "!=":
		return !h.Equal(a, b)
	case "in":
		return h.Contains(b, a)
	case "not in":
		return !h.Contains(b, a)
	}
	return h.compare(op, a, b)
}

// Same is Python's a is b, as far as that is specified: small values are the same if they are
// equal.
func Same(a, b Value) bool {
	if u, ok := a.(*Undefined); ok {
		v, ok := b.(*Undefined)
		return ok && u == v
	}
	if x, ok := a.(*BigInt); ok {
		y, ok := b.(*BigInt)
		return ok && x == y
	}
	return a == b
}
