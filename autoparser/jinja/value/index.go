package value

import (
	"unicode/utf8"

	"github.com/dragoman-project/dragoman/autoparser/jinja/failure"
)

// Lookup returns the place of a key, and whether it is set. Unlike Find it does not raise for lists
// and objects.
func (o *Object) Lookup(h *Heap, key Value) (i int, ok bool) {
	switch k := key.(type) {
	case String:
		i = o.FindText(string(k))
	case *Object:
		return 0, false
	case *List:
		if !k.Tuple {
			return 0, false
		}
		i = o.Find(h, key)
	default:
		i = o.Find(h, key)
	}
	return i, i >= 0
}

// Item returns the element of a sequence at a position, or nil.
func (h *Heap) Item(v, key Value) Value {
	n, ok := Int64(key)
	if !ok {
		return nil
	}
	if s, ok := Text(v); ok {
		return character(h, s, n)
	}
	var size int
	switch v := v.(type) {
	case *List:
		size = len(v.Items)
	case *Range:
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
	if l, ok := v.(*List); ok {
		return l.Items[n]
	}
	return v.(*Range).at(int(n))
}

// character returns the character at a position, or nil.
func character(h *Heap, s string, n int64) Value {
	h.Scan(len(s))
	if n < 0 {
		n += int64(utf8.RuneCountInString(s))
	}
	if n < 0 || n >= int64(len(s)) {
		return nil
	}
	for i := range s {
		if n == 0 {
			_, w := utf8.DecodeRuneInString(s[i:])
			return String(s[i : i+w])
		}
		n--
	}
	return nil
}

// bounds are the positions of a slice.
type bounds struct{ start, stop, step int }

// newBounds returns the positions of a slice of n elements, by Python's rules for bounds that are
// absent, negative or too large.
func newBounds(n int, start, stop, step Value) bounds {
	b := bounds{step: 1}
	if _, ok := step.(None); !ok {
		b.step = sliceIndex(step)
	}
	switch {
	case b.step == 0:
		failure.Throw("ValueError", "slice step cannot be zero")
	case b.step > 0:
		b.start, b.stop = ClampIndex(start, 0, n, 0, n), ClampIndex(stop, n, n, 0, n)
	default:
		b.start, b.stop = ClampIndex(start, n-1, n, -1, n-1), ClampIndex(stop, -1, n, -1, n-1)
	}
	return b
}

// sliceIndex converts a bound of a slice.
func sliceIndex(v Value) int {
	MustExist(v)
	if !IsAnyInteger(v) {
		failure.Throw("TypeError", "slice indices must be integers or None or have an __index__ method")
	}
	return Index(v)
}

// ClampIndex converts a position and limits it to lo and hi. Negative positions count from the end
// of n; None means absent.
func ClampIndex(v Value, absent, n, lo, hi int) int {
	if _, ok := v.(None); ok {
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

// Slice is {{ v[start:stop:step] }}.
func (h *Heap) Slice(v, start, stop, step Value) Value {
	MustExist(v)
	switch v := v.(type) {
	case String:
		return String(h.Substring(string(v), start, stop, step))
	case Markup:
		return Markup(h.Substring(string(v), start, stop, step))
	case *List:
		b := newBounds(len(v.Items), start, stop, step)
		var items []Value
		if b.step == 1 && b.start < b.stop {
			items = append(items, v.Items[b.start:b.stop]...)
		} else {
			b.positions(func(i int) { items = append(items, v.Items[i]) })
		}
		l := h.NewList(items)
		l.Tuple = v.Tuple
		return l
	case *Range:
		b := newBounds(v.len(), start, stop, step)
		s := &Range{start: v.start + int64(b.start)*v.step, stop: v.start + int64(b.stop)*v.step, step: v.step * int64(b.step)}
		return s
	case *Object:
		failure.Throw("TypeError", "unhashable type: 'slice'")
	}
	failure.Throw("TypeError", "'%s' object is not subscriptable", v.Class())
	return nil
}

// Substring is a slice of a string, in characters.
func (h *Heap) Substring(s string, start, stop, step Value) string {
	h.Scan(len(s))
	n := utf8.RuneCountInString(s)
	b := newBounds(n, start, stop, step)
	if b.step == 1 && b.start >= b.stop {
		return ""
	}
	if b.step == 1 {
		return s[byteOffset(s, b.start, n):byteOffset(s, b.stop, n)]
	}
	h.Scan(4 * len(s))
	h.GrowTimes(n, 4)
	characters := []rune(s)
	var out []rune
	b.positions(func(i int) { out = append(out, characters[i]) })
	return string(out)
}

// byteOffset converts a position in characters to one in bytes. n is the number of characters of s.
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
