package value

import (
	"strconv"
	"strings"

	"github.com/dragoman-project/dragoman/autoparser/jinja/failure"
	"github.com/dragoman-project/dragoman/autoparser/jinja/meter"
	"github.com/dragoman-project/dragoman/autoparser/jinja/pystr"
)

// printer writes values as Python's repr does. If heap is not nil, the output is counted; limit cuts
// texts for messages.
type printer struct {
	b     strings.Builder
	heap  *Heap
	limit int
}

// Str is Python's str(v).
func (h *Heap) Str(v Value) string {
	switch v := v.(type) {
	case String:
		return string(v)
	case Markup:
		return string(v)
	case *Undefined:
		return ""
	}
	return h.Repr(v)
}

// Repr is Python's repr(v).
func (h *Heap) Repr(v Value) string {
	if s, ok := scalar(v); ok {
		return s
	}
	w := &printer{heap: h}
	w.repr(v, 0)
	return w.b.String()
}

// scalar returns the repr of a value that has neither parts nor quotes.
func scalar(v Value) (string, bool) {
	switch v := v.(type) {
	case None:
		return "None", true
	case Bool:
		if v {
			return "True", true
		}
		return "False", true
	case Int:
		return strconv.FormatInt(int64(v), 10), true
	case *BigInt:
		return v.Digits(), true
	case Float:
		return FloatText(float64(v)), true
	case *Undefined:
		return "Undefined", true
	}
	return "", false
}

// write appends s and counts its memory.
func (w *printer) write(s string) {
	if w.heap != nil {
		w.heap.Grow(len(s))
	}
	if w.limit > 0 && w.b.Len()+len(s) > w.limit {
		return
	}
	w.b.WriteString(s)
}

// quote is pystr.Quote, and counts it: what cannot be printed costs most.
func (w *printer) quote(s string) string {
	if w.heap != nil {
		w.heap.Scan(8 * len(s))
	}
	return pystr.Quote(s)
}

func (w *printer) repr(v Value, depth int) {
	if w.heap != nil {
		w.heap.Charge(1)
	}
	if depth > meter.MaxDepth {
		failure.Throw("RecursionError", "maximum recursion depth exceeded while getting the repr of an object")
	}
	if s, ok := scalar(v); ok {
		w.write(s)
		return
	}
	switch v := v.(type) {
	case String:
		w.write(w.quote(string(v)))
	case Markup:
		w.write("Markup(" + w.quote(string(v)) + ")")
	case *List:
		w.list(v, depth)
	case *Object:
		w.object(v, depth)
	case *View:
		w.write(v.Class() + "(")
		w.list(&List{Items: v.Items(w.heap)}, depth)
		w.write(")")
	case *Namespace:
		w.write("<Namespace ")
		w.object(v.Attributes, depth)
		w.write(">")
	case *Range:
		w.write(v.Repr())
	case *Generator:
		w.write("<generator object>")
	case Special:
		w.write(v.Repr())
	}
}

func (w *printer) list(l *List, depth int) {
	open, shut := "[", "]"
	if l.Tuple {
		open, shut = "(", ")"
	}
	if l.Tuple && len(l.Items) == 1 {
		shut = ",)"
	}
	w.write(open)
	for i := range l.Items {
		if i > 0 {
			w.write(", ")
		}
		w.repr(l.Items[i], depth+1)
	}
	w.write(shut)
}

func (w *printer) object(o *Object, depth int) {
	w.write("{")
	for i := range o.keys {
		if i > 0 {
			w.write(", ")
		}
		w.repr(o.keys[i], depth+1)
		w.write(": ")
		w.repr(o.values[i], depth+1)
	}
	w.write("}")
}

// Printed returns the repr of a small value for a message.
func Printed(v Value) string {
	const most = 200
	w := &printer{limit: most}
	w.repr(v, 0)
	return w.b.String()
}
