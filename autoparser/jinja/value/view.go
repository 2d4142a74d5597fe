package value

// NewView returns the keys, the values or the items of an object.
func NewView(of *Object, part string) *View { return &View{of, part} }

// entry returns the element at position i.
func (v *View) entry(i int) Value {
	switch v.part {
	case "keys":
		return v.of.keys[i]
	case "values":
		return v.of.values[i]
	}
	return pair(v.of.keys[i], v.of.values[i])
}

// Items returns the elements.
func (v *View) Items(h *Heap) []Value {
	if h != nil {
		h.GrowTimes(v.of.Len(), 64)
	}
	items := make([]Value, v.of.Len())
	for i := range items {
		items[i] = v.entry(i)
	}
	return items
}

// View is a live view of the keys, the values or the items of an object.
type View struct {
	of   *Object
	part string // keys, values or items
}

// Class implements Value.
func (v *View) Class() string { return "dict_" + v.part }
