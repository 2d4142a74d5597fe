package library

import (
	"fmt"

	"github.com/dragoman-project/dragoman/autoparser/jinja/failure"
	"github.com/dragoman-project/dragoman/autoparser/jinja/value"
)

// Loop is the variable loop inside a for block. The next element is only fetched on demand, because
// it may depend on what the body does.
type Loop struct {
	heap    *value.Heap
	over    value.Iterator
	index   int // from 0; -1 before the first
	known   int // number of elements, or -1 if it is not known
	current value.Value
	before  value.Value
	after   value.Value // next element if it was fetched ahead, or nil
	Depth   int         // of recursion, from 0
	Again   func(over value.Value, depth int) value.Value
	changed []value.Value
	seen    bool // loop.changed was called
}

// NewLoop returns the variable of a loop over v. If the elements are filtered, their number is not
// known.
func NewLoop(h *value.Heap, v value.Value, over value.Iterator, filtered bool) *Loop {
	h.Grow(128)
	l := &Loop{heap: h, over: over, index: -1, known: -1}
	if !filtered && value.HasLength(v) {
		l.known = h.Length(v)
	}
	return l
}

// Advance moves to the next element, and returns false at the end.
func (l *Loop) Advance() (value.Value, bool) {
	v, ok := l.after, true
	if l.after = nil; v == nil {
		v, ok = l.over.Step()
	}
	if !ok {
		return nil, false
	}
	l.index++
	l.before, l.current = l.current, v
	return v, true
}

// peek fetches the next element, or returns nil.
func (l *Loop) peek() value.Value {
	if l.after == nil {
		l.after, _ = l.over.Step()
	}
	return l.after
}

// Length returns the number of elements, for which it may have to fetch the rest.
func (l *Loop) Length() int {
	if l.known >= 0 {
		return l.known
	}
	var rest []value.Value
	for {
		v, ok := l.over.Step()
		if !ok {
			break
		}
		l.heap.Charge(1)
		l.heap.Grow(16)
		rest = append(rest, v)
	}
	l.over = value.IterateOver(rest)
	l.known = len(rest) + l.index + 1
	if l.after != nil {
		l.known++
	}
	return l.known
}

// Property returns an attribute, or nil.
func (l *Loop) Property(name string) value.Value {
	switch name {
	case "index":
		return value.Int(l.index + 1)
	case "index0":
		return value.Int(l.index)
	case "first":
		return value.Bool(l.index == 0)
	case "last":
		return value.Bool(l.peek() == nil)
	case "length":
		return value.Int(l.Length())
	case "revindex":
		return value.Int(l.Length() - l.index)
	case "revindex0":
		return value.Int(l.Length() - l.index - 1)
	case "depth":
		return value.Int(l.Depth + 1)
	case "depth0":
		return value.Int(l.Depth)
	case "previtem":
		if l.index == 0 {
			return &value.Undefined{Hint: "there is no previous item"}
		}
		return l.before
	case "nextitem":
		if v := l.peek(); v != nil {
			return v
		}
		return &value.Undefined{Hint: "there is no next item"}
	case "cycle":
		return &Function{Name: name, Call: l.cycle}
	case "changed":
		return &Function{Name: name, Call: l.hasChanged}
	}
	return nil
}

// cycle is loop.cycle.
func (l *Loop) cycle(_ *Env, a Arguments) value.Value {
	if len(a.Values) == 0 {
		failure.Throw("TypeError", "no items for cycling given")
	}
	return a.Values[l.index%len(a.Values)]
}

// hasChanged is loop.changed: it reports whether the arguments differ from those of the last call.
func (l *Loop) hasChanged(e *Env, a Arguments) value.Value {
	if l.seen && e.EqualLists(l.changed, a.Values, 0) {
		return value.False
	}
	l.seen, l.changed = true, a.Values
	return value.True
}

// recurse is loop(…) inside a recursive for block.
func (l *Loop) recurse(a Arguments) value.Value {
	if l.Again == nil {
		failure.Throw("TypeError", "The loop must have the 'recursive' marker to be called recursively.")
	}
	if len(a.Values) != 1 || len(a.Named) > 0 {
		failure.Throw("TypeError", "loop() takes exactly one argument")
	}
	return l.Again(a.Values[0], l.Depth+1)
}

// Class implements Value.
func (*Loop) Class() string { return "LoopContext" }

// Describe implements Special.
func (*Loop) Describe() string { return "jinja2.runtime.LoopContext object" }

// Repr implements Special.
func (l *Loop) Repr() string { return fmt.Sprintf("<LoopContext %d/%d>", l.index+1, l.Length()) }

// Iterate continues with the elements that the loop has not reached yet.
func (l *Loop) Iterate() value.Iterator { return value.IterateWith(l.Advance) }
