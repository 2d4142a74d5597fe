package jinja

import (
	"fmt"
	"math"
	"unicode/utf8"
)

// iterator goes through a sequence. A list is read as it is at the time, as in Python; an object must keep its size.
type iterator struct {
	list *list
	view view
	size int // of the object in view, or of the span
	at   int
	span *span
	from *iterator            // of a generator: what one takes, the others do not get
	next func() (Value, bool) // other sequences
	keep func(Value) bool     // leaves elements out; nil keeps all
}

// step returns the next element that is kept.
func (it *iterator) step() (Value, bool) {
	for {
		v, ok := it.fetch()
		if !ok || it.keep == nil || it.keep(v) {
			return v, ok
		}
	}
}

// fetch returns the next element.
func (it *iterator) fetch() (Value, bool) {
	switch {
	case it.list != nil:
		if it.at >= len(it.list.items) {
			return nil, false
		}
		it.at++
		return it.list.items[it.at-1], true
	case it.view.of != nil:
		if it.view.of.Len() != it.size {
			throw("RuntimeError", "dictionary changed size during iteration")
		}
		if it.at >= it.size {
			return nil, false
		}
		it.at++
		return it.view.entry(it.at - 1), true
	}
	switch {
	case it.span != nil:
		if it.at >= it.size {
			return nil, false
		}
		it.at++
		return it.span.at(it.at - 1), true
	case it.from != nil:
		return it.from.step()
	}
	return it.next()
}

// iterate is Python's iter(v).
func (r *render) iterate(v Value) iterator {
	switch v := v.(type) {
	case *list:
		return iterator{list: v}
	case text:
		return iterator{next: characters(string(v))}
	case markup:
		return iterator{next: characters(string(v))}
	case *Object:
		return iterator{view: view{v, "keys"}, size: v.Len()}
	case *view:
		return iterator{view: *v, size: v.of.Len()}
	case *undefined:
		return iterator{list: &list{}}
	case *generator:
		return iterator{from: &v.iterator}
	case *span:
		return iterator{span: v, size: v.len()}
	case *loop:
		return iterator{next: v.advance}
	}
	throw("TypeError", "'%s' object is not iterable", v.class())
	return iterator{}
}

// iterable reports whether iterate accepts v.
func iterable(v Value) bool {
	switch v.(type) {
	case *list, text, markup, *Object, *view, *undefined, *generator, *span, *loop:
		return true
	}
	return false
}

// collect returns all elements. The slice is only to be read.
func (r *render) collect(v Value) []Value {
	if l, ok := v.(*list); ok {
		r.charge(len(l.items) / 16)
		return l.items
	}
	var items []Value
	for it := r.iterate(v); ; {
		x, ok := it.step()
		if !ok {
			return items
		}
		r.grow(16)
		r.charge(1)
		items = append(items, x)
	}
}

// made returns a list that the template may change.
func (r *render) made(items []Value) *list {
	r.growTimes(len(items)+2, 16)
	return &list{items: items, mutable: true}
}

// characters goes through a string.
func characters(s string) func() (Value, bool) {
	return func() (Value, bool) {
		if s == "" {
			return nil, false
		}
		_, n := utf8.DecodeRuneInString(s)
		c := s[:n]
		s = s[n:]
		return text(c), true
	}
}

// entry is what the view shows at a position.
func (v *view) entry(i int) Value {
	switch v.part {
	case "keys":
		return v.of.keys[i]
	case "values":
		return v.of.values[i]
	}
	return pair(v.of.keys[i], v.of.values[i])
}

// items lists what the view shows.
func (v *view) items(r *render) []Value {
	if r != nil {
		r.growTimes(v.of.Len(), 64)
	}
	items := make([]Value, v.of.Len())
	for i := range items {
		items[i] = v.entry(i)
	}
	return items
}

func (s *span) len() int {
	width := s.stop - s.start
	step := s.step
	if step < 0 {
		width, step = -width, -step
	}
	if width <= 0 {
		return 0
	}
	return int((width-1)/step + 1)
}

func (s *span) at(i int) Value { return integer(s.start + int64(i)*s.step) }

// equal compares as Python does: by the elements.
func (s *span) equal(t *span) bool {
	n := s.len()
	if n != t.len() {
		return false
	}
	return n == 0 || s.start == t.start && (n == 1 || s.step == t.step)
}

// property is an attribute of a range, or nil.
func (s *span) property(name string) Value {
	switch name {
	case "start":
		return integer(s.start)
	case "stop":
		return integer(s.stop)
	case "step":
		return integer(s.step)
	}
	return nil
}

func (s *span) repr() string {
	if s.step == 1 {
		return fmt.Sprintf("range(%d, %d)", s.start, s.stop)
	}
	return fmt.Sprintf("range(%d, %d, %d)", s.start, s.stop, s.step)
}

// newSpan is the sandbox's range().
func newSpan(r *render, a []Value) *span {
	s := &span{step: 1}
	bounds := make([]int64, len(a))
	for i, v := range a {
		if _, ok := v.(*bigInteger); ok {
			throw("OverflowError", "Python int too large to convert to C ssize_t")
		}
		index(v)
		bounds[i], _ = small(v)
		if bounds[i] > math.MaxInt64/4 || bounds[i] < -math.MaxInt64/4 {
			throw("OverflowError", "Range too big. The sandbox blocks ranges larger than MAX_RANGE (%d).", r.limits.Range)
		}
	}
	switch len(bounds) {
	case 1:
		s.stop = bounds[0]
	case 2:
		s.start, s.stop = bounds[0], bounds[1]
	default:
		s.start, s.stop, s.step = bounds[0], bounds[1], bounds[2]
	}
	if s.step == 0 {
		throw("ValueError", "range() arg 3 must not be zero")
	}
	if s.len() > r.limits.Range {
		throw("OverflowError", "Range too big. The sandbox blocks ranges larger than MAX_RANGE (%d).", r.limits.Range)
	}
	return s
}

// length is Python's len(v).
func (r *render) length(v Value) int {
	switch v := v.(type) {
	case text:
		r.touch(len(v))
		return runeLength(string(v))
	case markup:
		r.touch(len(v))
		return runeLength(string(v))
	case *list:
		return len(v.items)
	case *Object:
		return v.Len()
	case *view:
		return v.of.Len()
	case *undefined:
		return 0
	case *span:
		return v.len()
	case *loop:
		return v.length()
	}
	throw("TypeError", "object of type '%s' has no len()", v.class())
	return 0
}

// sized reports whether length accepts v.
func sized(v Value) bool {
	switch v.(type) {
	case text, markup, *list, *Object, *view, *undefined, *span, *loop:
		return true
	}
	return false
}

// runeLength counts characters; most strings are ASCII.
func runeLength(s string) int { return utf8.RuneCountInString(s) }
