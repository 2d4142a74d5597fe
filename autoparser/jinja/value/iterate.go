package value

import (
	"fmt"
	"math"
	"unicode/utf8"

	"github.com/dragoman-project/dragoman/autoparser/jinja/fault"
)

// Iterator goes through a sequence. A list is read as it is at the time, as in Python; an object must keep its size.
type Iterator struct {
	list *List
	view View
	size int // of the object in view, or of the span
	at   int
	span *Range
	from *Iterator            // of a generator: what one takes, the others do not get
	next func() (Value, bool) // other sequences
	keep func(Value) bool     // leaves elements out; nil keeps all
}

// Step returns the next element that is kept.
func (it *Iterator) Step() (Value, bool) {
	for {
		v, ok := it.fetch()
		if !ok || it.keep == nil || it.keep(v) {
			return v, ok
		}
	}
}

// Filtered returns the iterator without the elements that keep refuses.
func (it Iterator) Filtered(keep func(Value) bool) Iterator {
	it.keep = keep
	return it
}

// fetch returns the next element.
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
			fault.Throw("RuntimeError", "dictionary changed size during iteration")
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
		return Iterator{span: v, size: v.len()}
	case Iterable:
		return v.Iterate()
	}
	fault.Throw("TypeError", "'%s' object is not iterable", v.Class())
	return Iterator{}
}

// IterateOver returns an iterator over items, iterateWith one over what next returns.
func IterateOver(items []Value) Iterator { return Iterator{list: &List{Items: items}} }

func IterateWith(next func() (Value, bool)) Iterator { return Iterator{next: next} }

// NewGenerator and generatorOf return a lazy sequence.
func NewGenerator(next func() (Value, bool)) *Generator { return GeneratorOf(IterateWith(next)) }

func GeneratorOf(it Iterator) *Generator { return &Generator{it} }

// NewView returns the keys, the values or the items of an object.
func NewView(of *Object, part string) *View { return &View{of, part} }

// CanIterate reports whether iterate accepts v.
func CanIterate(v Value) bool {
	switch v.(type) {
	case *List, String, Markup, *Object, *View, *Undefined, *Generator, *Range, Iterable:
		return true
	}
	return false
}

// Collect returns all elements. The slice is only to be read.
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

// NewList returns a list that the template may change.
func (h *Heap) NewList(items []Value) *List {
	h.GrowTimes(len(items)+2, 16)
	return &List{Items: items, mutable: true}
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
		return String(c), true
	}
}

// entry is what the view shows at a position.
func (v *View) entry(i int) Value {
	switch v.part {
	case "keys":
		return v.of.keys[i]
	case "values":
		return v.of.values[i]
	}
	return pair(v.of.keys[i], v.of.values[i])
}

// Items lists what the view shows.
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

func (s *Range) len() int {
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

func (s *Range) at(i int) Value { return Int(s.start + int64(i)*s.step) }

// equal compares as Python does: by the elements.
func (s *Range) equal(t *Range) bool {
	n := s.len()
	if n != t.len() {
		return false
	}
	return n == 0 || s.start == t.start && (n == 1 || s.step == t.step)
}

// Property is an attribute of a range, or nil.
func (s *Range) Property(name string) Value {
	switch name {
	case "start":
		return Int(s.start)
	case "stop":
		return Int(s.stop)
	case "step":
		return Int(s.step)
	}
	return nil
}

func (s *Range) Repr() string {
	if s.step == 1 {
		return fmt.Sprintf("range(%d, %d)", s.start, s.stop)
	}
	return fmt.Sprintf("range(%d, %d, %d)", s.start, s.stop, s.step)
}

// NewRange is the sandbox's range().
func NewRange(h *Heap, a []Value) *Range {
	s := &Range{step: 1}
	bounds := make([]int64, len(a))
	for i, v := range a {
		if _, ok := v.(*BigInt); ok {
			fault.Throw("OverflowError", "Python int too large to convert to C ssize_t")
		}
		Index(v)
		bounds[i], _ = Int64(v)
		if bounds[i] > math.MaxInt64/4 || bounds[i] < -math.MaxInt64/4 {
			fault.Throw("OverflowError", "Range too big. The sandbox blocks ranges larger than MAX_RANGE (%d).", h.Limits.Range)
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
		fault.Throw("ValueError", "range() arg 3 must not be zero")
	}
	if s.len() > h.Limits.Range {
		fault.Throw("OverflowError", "Range too big. The sandbox blocks ranges larger than MAX_RANGE (%d).", h.Limits.Range)
	}
	return s
}

// Length is Python's len(v).
func (h *Heap) Length(v Value) int {
	switch v := v.(type) {
	case String:
		h.Touch(len(v))
		return runeLength(string(v))
	case Markup:
		h.Touch(len(v))
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
	fault.Throw("TypeError", "object of type '%s' has no len()", v.Class())
	return 0
}

// HasLength reports whether length accepts v.
func HasLength(v Value) bool {
	switch v.(type) {
	case String, Markup, *List, *Object, *View, *Undefined, *Range, Sized:
		return true
	}
	return false
}

// runeLength counts characters; most strings are ASCII.
func runeLength(s string) int { return utf8.RuneCountInString(s) }
