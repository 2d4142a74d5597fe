package value

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/dragoman-project/dragoman/autoparser/jinja/failure"
	"github.com/dragoman-project/dragoman/autoparser/jinja/meter"
)

// JSONFormat holds the options of Python's json.dumps.
type JSONFormat struct {
	ASCII  bool   // escape non-ASCII characters
	Lines  bool   // put each element on a line of its own
	Indent string // per level
	Items  string // the separator between elements
	Pairs  string // the separator between key and value
	Sorted bool   // sort objects by key
}

// AppendJSON appends v as json.dumps writes it.
func (h *Heap) AppendJSON(b []byte, v Value, f JSONFormat) []byte {
	w := &jsonWriter{JSONFormat: f, heap: h, b: b, paid: len(b)}
	w.value(v, 0)
	h.Grow(len(w.b) - w.paid)
	return w.b
}

// Encode returns v as compact JSON. It fails for values that JSON does not have: ranges, macros,
// undefined values.
func Encode(v Value) (data []byte, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("encode a template value: %s", failure.Recovered(p).Message)
		}
	}()
	w := &jsonWriter{JSONFormat: JSONFormat{Items: ",", Pairs: ":"}}
	w.value(OrNone(v), 0)
	return w.b, nil
}

// jsonWriter writes JSON as Python does. If heap is not nil, the output is counted.
type jsonWriter struct {
	JSONFormat
	heap *Heap
	b    []byte
	paid int // bytes already counted

	steps int // spent on values, not on the bytes
}

// charge counts n steps.
func (w *jsonWriter) charge(n int) {
	if w.steps += n; w.heap != nil {
		w.heap.Charge(n)
	}
}

// pay counts what was written since the last time, once there are enough bytes.
func (w *jsonWriter) pay() {
	if w.heap != nil && len(w.b)-w.paid >= 1024 {
		w.heap.Grow(len(w.b) - w.paid)
		w.heap.Charge((len(w.b) - w.paid) >> 5)
		w.paid = len(w.b)
	}
}

func (w *jsonWriter) value(v Value, depth int) {
	w.charge(1)
	w.pay()
	if depth > meter.MaxDepth {
		failure.Throw("ValueError", "Circular reference detected")
	}
	if s, ok := Text(v); ok {
		w.text(s)
		return
	}
	switch v := v.(type) {
	case *List:
		w.list(v.Items, depth)
	case *Object:
		if v.json != nil {
			v.json.object(w, v, depth)
		} else {
			w.object(v, depth)
		}
	case None, Bool, Int, *BigInt, Float:
		w.b = append(w.b, jsonScalar(v)...)
	case *Generator:
		if w.heap != nil && w.heap.Tolerant {
			w.list(w.heap.Collect(v), depth)
			return
		}
		notJSON(v)
	default:
		notJSON(v)
	}
}

func notJSON(v Value) {
	failure.Throw("TypeError", "Object of type %s is not JSON serializable", v.Class())
}

func jsonScalar(v Value) string {
	switch v := v.(type) {
	case None:
		return "null"
	case Bool:
		if v {
			return "true"
		}
		return "false"
	case Float:
		switch f := float64(v); {
		case math.IsNaN(f):
			return "NaN"
		case math.IsInf(f, 0):
			return strings.Replace(FloatText(f), "inf", "Infinity", 1)
		}
	}
	s, _ := scalar(v)
	return s
}

func (w *jsonWriter) list(items []Value, depth int) {
	if len(items) == 0 {
		w.b = append(w.b, "[]"...)
		return
	}
	w.b = append(w.b, '[')
	for i := range items {
		w.separate(i, depth+1)
		w.value(items[i], depth+1)
	}
	w.newline(depth)
	w.b = append(w.b, ']')
}

func (w *jsonWriter) object(o *Object, depth int) {
	if o.Len() == 0 {
		w.b = append(w.b, "{}"...)
		return
	}
	w.b = append(w.b, '{')
	if w.Sorted {
		o = w.ordered(o)
	}
	for i := range o.keys {
		w.separate(i, depth+1)
		w.key(o.keys[i])
		w.b = append(w.b, w.Pairs...)
		w.value(o.values[i], depth+1)
	}
	w.newline(depth)
	w.b = append(w.b, '}')
}

// ordered returns a copy of o sorted by key.
func (w *jsonWriter) ordered(o *Object) *Object {
	places := make([]int, o.Len())
	for i := range places {
		places[i] = i
	}
	slices.SortStableFunc(places, func(i, j int) int {
		switch {
		case w.heap.Less(o.keys[i], o.keys[j]):
			return -1
		case w.heap.Less(o.keys[j], o.keys[i]):
			return 1
		}
		return 0
	})
	sorted := &Object{}
	for _, i := range places {
		sorted.keys, sorted.values = append(sorted.keys, o.keys[i]), append(sorted.values, o.values[i])
	}
	return sorted
}

// key writes a key. As in Python, numbers, booleans and None become strings.
func (w *jsonWriter) key(k Value) {
	if s, ok := Text(k); ok {
		w.text(s)
		return
	}
	switch k.(type) {
	case None, Bool, Int, *BigInt, Float:
		w.text(jsonScalar(k))
	default:
		failure.Throw("TypeError", "keys must be str, int, float, bool or None, not %s", k.Class())
	}
}

// separate writes what comes before the element at i.
func (w *jsonWriter) separate(i, depth int) {
	if i > 0 {
		w.b = append(w.b, w.Items...)
	}
	w.newline(depth)
}

// newline begins an indented line if the format has lines.
func (w *jsonWriter) newline(depth int) {
	if !w.Lines {
		return
	}
	w.b = append(w.b, '\n')
	for range depth {
		w.b = append(w.b, w.Indent...)
		w.pay()
	}
}

// text writes a string, copying runs of characters that need no escape at once.
func (w *jsonWriter) text(s string) {
	if len(s) >= 32 {
		w.charge(len(s) >> 5)
	}
	w.b = append(w.b, '"')
	from := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c >= utf8.RuneSelf && w.ASCII {
			r, n := utf8.DecodeRuneInString(s[i:])
			w.b = appendUnicode(append(w.b, s[from:i]...), r)
			w.pay()
			i += n
			from = i
			continue
		}
		if c < 0x20 || c == '"' || c == '\\' || c == 0x7f && w.ASCII {
			w.b = appendEscape(append(w.b, s[from:i]...), c)
			w.pay()
			from = i + 1
		}
		i++
	}
	w.b = append(append(w.b, s[from:]...), '"')
}

func appendEscape(b []byte, c byte) []byte {
	if i := strings.IndexByte("\"\\\n\r\t\f\b", c); i >= 0 {
		return append(b, '\\', `"\nrtfb`[i])
	}
	return appendUnicode(b, rune(c))
}

// appendUnicode appends \uXXXX, twice for characters beyond 16 bits.
func appendUnicode(b []byte, r rune) []byte {
	if r > 0xffff {
		r -= 0x10000
		return fmt.Appendf(b, `\u%04x\u%04x`, 0xd800+(r>>10), 0xdc00+(r&0x3ff))
	}
	return fmt.Appendf(b, `\u%04x`, r)
}
