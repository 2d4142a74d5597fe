package jinja

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// printer writes values as Python's repr does. r is charged where there is one; limit cuts texts for messages.
type printer struct {
	b     strings.Builder
	r     *render
	limit int
}

// printable is Python's str(v).
func (r *render) str(v Value) string {
	switch v := v.(type) {
	case text:
		return string(v)
	case markup:
		return string(v)
	case *undefined:
		return ""
	}
	return r.repr(v)
}

// repr is Python's repr(v).
func (r *render) repr(v Value) string {
	if s, ok := scalar(v); ok {
		return s
	}
	w := &printer{r: r}
	w.repr(v, 0)
	return w.b.String()
}

// scalar writes what has no parts and no quotes.
func scalar(v Value) (string, bool) {
	switch v := v.(type) {
	case none:
		return "None", true
	case boolean:
		if v {
			return "True", true
		}
		return "False", true
	case integer:
		return strconv.FormatInt(int64(v), 10), true
	case *bigInteger:
		return v.digits(), true
	case float:
		return floatText(float64(v)), true
	case *undefined:
		return "Undefined", true
	}
	return "", false
}

// write appends s, which counts as memory of the rendering.
func (w *printer) write(s string) {
	if w.r != nil {
		w.r.grow(len(s))
	}
	if w.limit > 0 && w.b.Len()+len(s) > w.limit {
		return
	}
	w.b.WriteString(s)
}

func (w *printer) repr(v Value, depth int) {
	if w.r != nil {
		w.r.charge(1)
	}
	if depth > depthOfValues {
		throw("RecursionError", "maximum recursion depth exceeded while getting the repr of an object")
	}
	if s, ok := scalar(v); ok {
		w.write(s)
		return
	}
	switch v := v.(type) {
	case text:
		w.write(quote(string(v)))
	case markup:
		w.write("Markup(" + quote(string(v)) + ")")
	case *list:
		w.list(v, depth)
	case *Object:
		w.object(v, depth)
	case *view:
		w.write(v.class() + "(")
		w.list(&list{items: v.items(w.r)}, depth)
		w.write(")")
	case *namespace:
		w.write("<Namespace ")
		w.object(v.attributes, depth)
		w.write(">")
	case *span:
		w.write(v.repr())
	case *generator:
		w.write("<generator object>")
	case *loop:
		w.write(fmt.Sprintf("<LoopContext %d/%d>", v.index+1, v.length()))
	case *function:
		w.write(v.repr())
	}
}

func (w *printer) list(l *list, depth int) {
	open, shut := "[", "]"
	if l.tuple {
		open, shut = "(", ")"
	}
	if l.tuple && len(l.items) == 1 {
		shut = ",)"
	}
	w.write(open)
	for i := range l.items {
		if i > 0 {
			w.write(", ")
		}
		w.repr(l.items[i], depth+1)
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

// quote is Python's repr of a string: single quotes, unless the string has those and no double ones.
func quote(s string) string {
	q := byte('\'')
	if strings.Contains(s, "'") && !strings.Contains(s, `"`) {
		q = '"'
	}
	b := make([]byte, 0, len(s)+2)
	b = append(b, q)
	for _, c := range s {
		b = appendQuoted(b, c, rune(q))
	}
	return string(append(b, q))
}

func appendQuoted(b []byte, c, q rune) []byte {
	switch {
	case c == q || c == '\\':
		return append(b, '\\', byte(c))
	case c == '\n':
		return append(b, '\\', 'n')
	case c == '\r':
		return append(b, '\\', 'r')
	case c == '\t':
		return append(b, '\\', 't')
	case c == ' ' || unicode.IsPrint(c):
		return utf8.AppendRune(b, c)
	case c < 0x100:
		return fmt.Appendf(b, `\x%02x`, c)
	case c < 0x10000:
		return fmt.Appendf(b, `\u%04x`, c)
	}
	return fmt.Appendf(b, `\U%08x`, c)
}
