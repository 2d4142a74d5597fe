package value

// NewList returns a list that the template may change.
func (h *Heap) NewList(items []Value) *List {
	h.GrowTimes(len(items)+2, 16)
	return &List{Items: items, mutable: true}
}

// NewTexts returns a list of strings that the template may change.
func (h *Heap) NewTexts(parts []string) *List {
	items := make([]Value, len(parts))
	for i, s := range parts {
		h.Charge(1)
		items[i] = String(s)
	}
	return h.NewList(items)
}

// List is a list or a tuple. The template may change it only if it made it itself.
type List struct {
	Items   []Value
	Tuple   bool
	Group   bool // a tuple made by the filter groupby, whose two parts have names
	mutable bool
}

// Class implements Value.
func (l *List) Class() string {
	if l.Tuple {
		return "tuple"
	}
	return "list"
}

// ListOf returns a list that the template cannot change.
func ListOf(items ...Value) Value {
	l := &List{Items: make([]Value, len(items))}
	for i, v := range items {
		l.Items[i] = OrNone(v)
	}
	return l
}

// TupleOf returns a tuple.
func TupleOf(items ...Value) Value { return &List{Items: items, Tuple: true} }

// pair returns a tuple of two, in one allocation: loops over objects make many.
func pair(a, b Value) Value {
	p := &struct {
		List
		both [2]Value
	}{both: [2]Value{a, b}}
	p.Items, p.Tuple = p.both[:], true
	return &p.List
}
