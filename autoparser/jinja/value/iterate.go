package value

import (
	"unicode/utf8"

	"github.com/dragoman-project/dragoman/autoparser/jinja/failure"
)

// Unpack returns the elements of v, of which there must be n.
func (h *Heap) Unpack(v Value, n int) []Value {
	items := h.Collect(v)
	switch {
	case len(items) > n:
		failure.Throw("ValueError", "too many values to unpack (expected %d)", n)
	case len(items) < n:
		failure.Throw("ValueError", "not enough values to unpack (expected %d, got %d)", n, len(items))
	}
	return items
}

// Iterator iterates over a sequence. As in Python, changes of a list during the iteration are seen,
// and an object must keep its size.
type Iterator struct {
	list   *List
	view   View
	size   int // of the object in view, or of the range
	at     int
	ranged *Range
	from   *Iterator            // of a generator, whose elements are consumed once
	next   func() (Value, bool) // other sequences
	keep   func(Value) bool     // selects elements; nil selects all
}

// Step returns the next element, or false at the end.
func (it *Iterator) Step() (Value, bool) {
	for {
		v, ok := it.fetch()
		if !ok || it.keep == nil || it.keep(v) {
			return v, ok
		}
	}
}

// Filtered returns the iterator over the elements for which keep holds.
func (it Iterator) Filtered(keep func(Value) bool) Iterator {
	it.keep = keep
	return it
}

// fetch returns the next element, selected or not.
func (it *Iterator) fetch() (Value, bool) {
	switch {
	case it.list != nil:
		if it.at >= len(it.list.Items) {
			return nil, false
		}
		it.at++
		return it.list.Items[it.at-1], true
	case it.view.of != nil:
		if it.view.of.Len() != it.size {
			failure.Throw("RuntimeError", "dictionary changed size during iteration")
		}
		if it.at >= it.size {
			return nil, false
		}
		it.at++
		return it.view.entry(it.at - 1), true
	}
	switch {
	case it.ranged != nil:
		if it.at >= it.size {
			return nil, false
		}
		it.at++
		return it.ranged.at(it.at - 1), true
	case it.from != nil:
		return it.from.Step()
	}
	return it.next()
}

// Iterate is Python's iter(v).
func (h *Heap) Iterate(v Value) Iterator {
	switch v := v.(type) {
	case *List:
		return Iterator{list: v}
	case String:
		return Iterator{next: characters(string(v))}
	case Markup:
		return Iterator{next: characters(string(v))}
	case *Object:
		return Iterator{view: View{v, "keys"}, size: v.Len()}
	case *View:
		return Iterator{view: *v, size: v.of.Len()}
	case *Undefined:
		return Iterator{list: &List{}}
	case *Generator:
		return Iterator{from: &v.Iterator}
	case *Range:
		return Iterator{ranged: v, size: v.len()}
	case Iterable:
		return v.Iterate()
	}
	failure.Throw("TypeError", "'%s' object is not iterable", v.Class())
	return Iterator{}
}

// IterateOver returns an iterator over items.
func IterateOver(items []Value) Iterator { return Iterator{list: &List{Items: items}} }

// IterateWith returns an iterator that calls next.
func IterateWith(next func() (Value, bool)) Iterator { return Iterator{next: next} }

// NewGenerator returns a lazy sequence whose elements next returns.
func NewGenerator(next func() (Value, bool)) *Generator { return GeneratorOf(IterateWith(next)) }

// GeneratorOf returns a lazy sequence of what an iterator yields.
func GeneratorOf(it Iterator) *Generator { return &Generator{it} }

// CanIterate reports whether Iterate accepts v.
func CanIterate(v Value) bool {
	switch v.(type) {
	case *List, String, Markup, *Object, *View, *Undefined, *Generator, *Range, Iterable:
		return true
	}
	return false
}

// Collect returns all elements of v in a slice that must not be changed.
func (h *Heap) Collect(v Value) []Value {
	if l, ok := v.(*List); ok {
		h.Charge(len(l.Items) / 16)
		return l.Items
	}
	var items []Value
	for it := h.Iterate(v); ; {
		x, ok := it.Step()
		if !ok {
			return items
		}
		h.Grow(16)
		h.Charge(1)
		items = append(items, x)
	}
}

// characters returns a function that returns the characters of s one by one.
func characters(s string) func() (Value, bool) {
	return func() (Value, bool) {
		if s == "" {
			return nil, false
		}
		_, n := utf8.DecodeRuneInString(s)
		c := s[:n]
		s = s[n:]
		return String(c), true
	}
}

// Length is Python's len(v).
func (h *Heap) Length(v Value) int {
	switch v := v.(type) {
	case String:
		h.Scan(len(v))
		return runeLength(string(v))
	case Markup:
		h.Scan(len(v))
		return runeLength(string(v))
	case *List:
		return len(v.Items)
	case *Object:
		return v.Len()
	case *View:
		return v.of.Len()
	case *Undefined:
		return 0
	case *Range:
		return v.len()
	case Sized:
		return v.Length()
	}
	failure.Throw("TypeError", "object of type '%s' has no len()", v.Class())
	return 0
}

// HasLength reports whether Length accepts v.
func HasLength(v Value) bool {
	switch v.(type) {
	case String, Markup, *List, *Object, *View, *Undefined, *Range, Sized:
		return true
	}
	return false
}

// runeLength counts characters.
func runeLength(s string) int { return utf8.RuneCountInString(s) }

// Generator is a lazy sequence, which can be iterated over once: the result of filters such as map
// and select.
type Generator struct{ Iterator }

// Class implements Value.
func (*Generator) Class() string { return "generator" }

// Iterable is a value of another package that Python's iter() accepts.
type Iterable interface{ Iterate() Iterator }

// Sized is a value of another package that Python's len() accepts.
type Sized interface{ Length() int }
