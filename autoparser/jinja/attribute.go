package jinja

import (
	"strings"
	"unicode/utf8"
)

// attribute is {{ v.name }}: an attribute of the Python object first, an element of that name second.
func (r *render) attribute(v Value, name string) Value {
	if x := r.lookUp(v, name); x != nil {
		return x
	}
	return &undefined{of: v, name: text(name)}
}

// lookUp is attribute where nil means that there is none.
func (r *render) lookUp(v Value, name string) Value {
	mustExist(v)
	if x := r.property(v, name); x != nil {
		return x
	}
	if o, ok := v.(*Object); ok {
		if i := o.findText(name); i >= 0 {
			return o.values[i]
		}
	}
	return nil
}

// property finds what Python would find as an attribute of v, or nil.
func (r *render) property(v Value, name string) Value {
	switch v := v.(type) {
	case *namespace:
		if x, ok := v.attributes.Get(name); ok {
			if strings.HasPrefix(name, "_") {
				return &undefined{of: v, name: text(name), unsafe: true}
			}
			return x
		}
		return nil
	case *loop:
		return v.property(name)
	case *cycler:
		return v.property(name)
	case *function:
		if v.macro != nil {
			return v.macro.property(name)
		}
	case *span:
		if x := v.property(name); x != nil {
			return x
		}
	case integer, boolean, *bigInteger, float:
		if x := part(v, name); x != nil {
			return x
		}
	case *Object:
		if v.findText(name) >= 0 && !objectAttribute(name) {
			return nil
		}
	case *list:
		if v.group && (name == "grouper" || name == "list") {
			return v.items[strings.Index("g l", name[:1])/2]
		}
	}
	if strings.HasPrefix(name, "__") && strings.HasSuffix(name, "__") {
		return &undefined{of: v, name: text(name), unsafe: true}
	}
	if m := r.lib.methods[v.class()][name]; m != nil {
		return m.bound(v, name)
	}
	return nil
}

// objectAttribute reports whether Python's dict has an attribute of a name that looks like one of its own.
func objectAttribute(name string) bool {
	const all = " __class__ __class_getitem__ __contains__ __delattr__ __delitem__ __dir__ __doc__ __eq__ __format__ __ge__" +
		" __getattribute__ __getitem__ __getstate__ __gt__ __hash__ __init__ __init_subclass__ __ior__ __iter__ __le__ __len__" +
		" __lt__ __ne__ __new__ __or__ __reduce__ __reduce_ex__ __repr__ __reversed__ __ror__ __setattr__ __setitem__" +
		" __sizeof__ __str__ __subclasshook__ "
	return !strings.HasPrefix(name, "__") || strings.Contains(all, " "+name+" ")
}

// part is an attribute of a number, or nil.
func part(v Value, name string) Value {
	_, isFloat := v.(float)
	switch {
	case name == "real", name == "numerator" && !isFloat:
		return positive(v)
	case name == "imag" && isFloat:
		return float(0)
	case name == "imag":
		return integer(0)
	case name == "denominator" && !isFloat:
		return integer(1)
	}
	return nil
}

// element is {{ v[key] }}: an element first, an attribute second.
func (r *render) element(v, key Value) Value {
	switch v := v.(type) {
	case *undefined:
		v.raise()
	case *Object:
		if i, ok := v.lookup(r, key); ok {
			return v.values[i]
		}
	default:
		if x := r.item(v, key); x != nil {
			return x
		}
	}
	if name, ok := str(key); ok {
		if x := r.property(v, name); x != nil {
			return x
		}
	}
	return &undefined{of: v, name: key}
}

// lookup finds a key; one of a type that cannot be a key is not found.
func (o *Object) lookup(r *render, key Value) (i int, ok bool) {
	switch k := key.(type) {
	case text:
		i = o.findText(string(k))
	case *Object:
		return 0, false
	case *list:
		if !k.tuple {
			return 0, false
		}
		i = o.find(r, key)
	default:
		i = o.find(r, key)
	}
	return i, i >= 0
}

// item returns the element of a sequence at a position, or nil.
func (r *render) item(v, key Value) Value {
	n, ok := small(key)
	if !ok {
		return nil
	}
	if s, ok := str(v); ok {
		return character(r, s, n)
	}
	var size int
	switch v := v.(type) {
	case *list:
		size = len(v.items)
	case *span:
		size = v.len()
	default:
		return nil
	}
	if n < 0 {
		n += int64(size)
	}
	if n < 0 || n >= int64(size) {
		return nil
	}
	if l, ok := v.(*list); ok {
		return l.items[n]
	}
	return v.(*span).at(int(n))
}

// character returns the character at a position, or nil.
func character(r *render, s string, n int64) Value {
	r.touch(len(s))
	if n < 0 {
		n += int64(utf8.RuneCountInString(s))
	}
	if n < 0 || n >= int64(len(s)) {
		return nil
	}
	for i := range s {
		if n == 0 {
			_, w := utf8.DecodeRuneInString(s[i:])
			return text(s[i : i+w])
		}
		n--
	}
	return nil
}

// bounds are the positions that a slice of a sequence of n elements takes.
type bounds struct{ start, stop, step int }

// newBounds works out the positions of a slice of n elements, by Python's rules for what is absent, negative or too
// large.
func newBounds(n int, start, stop, step Value) bounds {
	b := bounds{step: 1}
	if _, ok := step.(none); !ok {
		b.step = sliceIndex(step)
	}
	switch {
	case b.step == 0:
		throw("ValueError", "slice step cannot be zero")
	case b.step > 0:
		b.start, b.stop = clampIndex(start, 0, n, 0, n), clampIndex(stop, n, n, 0, n)
	default:
		b.start, b.stop = clampIndex(start, n-1, n, -1, n-1), clampIndex(stop, -1, n, -1, n-1)
	}
	return b
}

// sliceIndex reads a bound of a slice.
func sliceIndex(v Value) int {
	mustExist(v)
	if !isAnyInteger(v) {
		throw("TypeError", "slice indices must be integers or None or have an __index__ method")
	}
	return index(v)
}

// clampIndex returns a position from v, counting from the end of n when negative, within lo and hi.
func clampIndex(v Value, absent, n, lo, hi int) int {
	if _, ok := v.(none); ok {
		return absent
	}
	i := sliceIndex(v)
	if i < 0 {
		i += n
	}
	return min(max(i, lo), hi)
}

// positions calls f with each position.
func (b bounds) positions(f func(i int)) {
	for i := b.start; (b.step > 0 && i < b.stop) || (b.step < 0 && i > b.stop); i += b.step {
		f(i)
	}
}

// slice is {{ v[start:stop:step] }}.
func (r *render) slice(v, start, stop, step Value) Value {
	mustExist(v)
	switch v := v.(type) {
	case text:
		return text(r.substring(string(v), start, stop, step))
	case markup:
		return markup(r.substring(string(v), start, stop, step))
	case *list:
		b := newBounds(len(v.items), start, stop, step)
		var items []Value
		if b.step == 1 && b.start < b.stop {
			items = append(items, v.items[b.start:b.stop]...)
		} else {
			b.positions(func(i int) { items = append(items, v.items[i]) })
		}
		l := r.made(items)
		l.tuple = v.tuple
		return l
	case *span:
		b := newBounds(v.len(), start, stop, step)
		s := &span{start: v.start + int64(b.start)*v.step, stop: v.start + int64(b.stop)*v.step, step: v.step * int64(b.step)}
		return s
	case *Object:
		throw("TypeError", "unhashable type: 'slice'")
	}
	throw("TypeError", "'%s' object is not subscriptable", v.class())
	return nil
}

// substring is a slice of a string, whose positions count characters.
func (r *render) substring(s string, start, stop, step Value) string {
	r.touch(len(s))
	n := utf8.RuneCountInString(s)
	b := newBounds(n, start, stop, step)
	if b.step == 1 && b.start >= b.stop {
		return ""
	}
	if b.step == 1 {
		return s[byteOffset(s, b.start, n):byteOffset(s, b.stop, n)]
	}
	r.growTimes(n, 4)
	characters := []rune(s)
	var out []rune
	b.positions(func(i int) { out = append(out, characters[i]) })
	return string(out)
}

// byteOffset turns a position in characters into one in bytes. n is the number of characters of s.
func byteOffset(s string, i, n int) int {
	if n == len(s) || i == 0 {
		return i
	}
	if i >= n {
		return len(s)
	}
	for at := range s {
		if i == 0 {
			return at
		}
		i--
	}
	return len(s)
}
