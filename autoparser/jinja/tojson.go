package jinja

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode/utf8"
)

var tojsonParameters = []parameter{{"ensure_ascii", no}, {"indent", none{}}, {"separators", none{}}, {"sort_keys", no}}

// tojson is Python's json.dumps as transformers calls it: non-ASCII stays, and so do <, > and &.
func tojson(r *render, in Value, a arguments) Value {
	w := &jsonWriter{r: r, b: r.json[:0], ascii: truth(a.values[0]), items: ", ", pairs: ": ", sorted: truth(a.values[3])}
	if !isNone(a.values[1]) {
		w.lines, w.items = true, ","
		if s, ok := str(a.values[1]); ok {
			w.indent = s
		} else {
			w.indent = r.times(" ", index(a.values[1]))
		}
	}
	if !isNone(a.values[2]) {
		pair := r.unpack(a.values[2], 2)
		w.items, w.pairs = needText(pair[0], "a separator"), needText(pair[1], "a separator")
	}
	w.value(in, 0)
	r.grow(len(w.b) - w.paid)
	r.json = w.b
	return text(w.b)
}

// Encode writes v as compact JSON. It fails for what JSON cannot say: ranges, macros, undefined values.
func Encode(v Value) (data []byte, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("encode a template value: %s", recovered(p).message)
		}
	}()
	w := &jsonWriter{items: ",", pairs: ":"}
	w.value(orNone(v), 0)
	return w.b, nil
}

// jsonWriter writes JSON as Python does. r is charged where there is one.
type jsonWriter struct {
	r      *render
	b      []byte
	ascii  bool
	lines  bool // one element a line, indented
	indent string
	items  string // between elements
	pairs  string // between key and value
	sorted bool
	paid   int // bytes already charged
}

// pay charges what was written since the last time, now and then.
func (w *jsonWriter) pay() {
	if w.r != nil && len(w.b)-w.paid >= 1024 {
		w.r.grow(len(w.b) - w.paid)
		w.paid = len(w.b)
	}
}

func (w *jsonWriter) value(v Value, depth int) {
	if w.r != nil {
		w.r.charge(1)
	}
	w.pay()
	if depth > depthOfValues {
		throw("ValueError", "Circular reference detected")
	}
	if s, ok := str(v); ok {
		w.text(s)
		return
	}
	switch v := v.(type) {
	case *list:
		w.list(v.items, depth)
	case *Object:
		w.object(v, depth)
	case none, boolean, integer, *bigInteger, float:
		w.b = append(w.b, jsonScalar(v)...)
	case *generator:
		if w.r != nil && w.r.tolerant {
			w.list(w.r.collect(v), depth)
			return
		}
		notJSON(v)
	default:
		notJSON(v)
	}
}

func notJSON(v Value) {
	throw("TypeError", "Object of type %s is not JSON serializable", v.class())
}

func jsonScalar(v Value) string {
	switch v := v.(type) {
	case none:
		return "null"
	case boolean:
		if v {
			return "true"
		}
		return "false"
	case float:
		switch f := float64(v); {
		case math.IsNaN(f):
			return "NaN"
		case math.IsInf(f, 0):
			return strings.Replace(floatText(f), "inf", "Infinity", 1)
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
	if w.sorted {
		o = w.ordered(o)
	}
	for i := range o.keys {
		w.separate(i, depth+1)
		w.key(o.keys[i])
		w.b = append(w.b, w.pairs...)
		w.value(o.values[i], depth+1)
	}
	w.newline(depth)
	w.b = append(w.b, '}')
}

// ordered returns a copy of o with its keys sorted.
func (w *jsonWriter) ordered(o *Object) *Object {
	places := make([]int, o.Len())
	for i := range places {
		places[i] = i
	}
	slices.SortStableFunc(places, func(i, j int) int {
		switch {
		case w.r.less(o.keys[i], o.keys[j]):
			return -1
		case w.r.less(o.keys[j], o.keys[i]):
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

// key writes a key; Python makes strings of numbers, booleans and None.
func (w *jsonWriter) key(k Value) {
	if s, ok := str(k); ok {
		w.text(s)
		return
	}
	switch k.(type) {
	case none, boolean, integer, *bigInteger, float:
		w.text(jsonScalar(k))
	default:
		throw("TypeError", "keys must be str, int, float, bool or None, not %s", k.class())
	}
}

// separate begins the element at i.
func (w *jsonWriter) separate(i, depth int) {
	if i > 0 {
		w.b = append(w.b, w.items...)
	}
	w.newline(depth)
}

// newline begins a line, if there are lines.
func (w *jsonWriter) newline(depth int) {
	if !w.lines {
		return
	}
	w.b = append(w.b, '\n')
	for range depth {
		w.b = append(w.b, w.indent...)
		w.pay()
	}
}

// text writes a string, copying what needs no escape in one piece.
func (w *jsonWriter) text(s string) {
	if w.r != nil {
		w.r.touch(len(s))
	}
	w.b = append(w.b, '"')
	from := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c >= utf8.RuneSelf && w.ascii {
			r, n := utf8.DecodeRuneInString(s[i:])
			w.b = appendUnicode(append(w.b, s[from:i]...), r)
			w.pay()
			i += n
			from = i
			continue
		}
		if c < 0x20 || c == '"' || c == '\\' || c == 0x7f && w.ascii {
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

// appendUnicode writes \uXXXX, twice for characters beyond 16 bits.
func appendUnicode(b []byte, r rune) []byte {
	if r > 0xffff {
		r -= 0x10000
		return fmt.Appendf(b, `\u%04x\u%04x`, 0xd800+(r>>10), 0xdc00+(r&0x3ff))
	}
	return fmt.Appendf(b, `\u%04x`, r)
}
