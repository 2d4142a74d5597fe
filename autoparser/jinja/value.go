package jinja

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Value is one of: nil (None), *undef, bool, int, float64, string, markup,
// *listV, *Dict, *Namespace, *Gen, *rangeV, *loopV, *Func.
type Value = any

type markup string

type undef struct{ msg string }

type listV struct {
	v     []Value
	tuple bool
}

// Dict keeps insertion order. Small dicts are searched linearly.
type Dict struct {
	k   []Value
	v   []Value
	idx map[string]int
}

func NewDict(n int) *Dict { return &Dict{k: make([]Value, 0, n), v: make([]Value, 0, n)} }

func (d *Dict) find(k Value) int {
	s, ok := asStr(k)
	if !ok {
		for i := range d.k {
			if _, isS := asStr(d.k[i]); !isS && equal(d.k[i], k) {
				return i
			}
		}
		return -1
	}
	return d.findS(s)
}

func (d *Dict) findS(s string) int {
	if d.idx != nil {
		if i, ok := d.idx[s]; ok {
			return i
		}
		return -1
	}
	for i := range d.k {
		if t, ok := d.k[i].(string); ok && t == s {
			return i
		}
	}
	return -1
}

func (d *Dict) Get(s string) (Value, bool) {
	if i := d.findS(s); i >= 0 {
		return d.v[i], true
	}
	return nil, false
}

func (d *Dict) Set(k, v Value) {
	if m, ok := k.(markup); ok {
		k = string(m)
	}
	if i := d.find(k); i >= 0 {
		d.v[i] = v
		return
	}
	d.k = append(d.k, k)
	d.v = append(d.v, v)
	s, ok := k.(string)
	if d.idx != nil {
		if ok {
			d.idx[s] = len(d.k) - 1
		}
	} else if len(d.k) > 12 {
		d.idx = make(map[string]int, len(d.k)*2)
		for i, k := range d.k {
			if s, ok := k.(string); ok {
				d.idx[s] = i
			}
		}
	}
}

type Namespace struct{ d *Dict }

// Gen stands for a Python generator (result of map/select/reject…): one pass, no len, not JSON.
type Gen struct {
	v    []Value
	done bool
}

type rangeV struct{ start, stop, step int }

func (r *rangeV) len() int {
	if r.step > 0 && r.start < r.stop {
		return (r.stop-r.start-1)/r.step + 1
	}
	if r.step < 0 && r.start > r.stop {
		return (r.start-r.stop-1)/(-r.step) + 1
	}
	return 0
}

type KW struct {
	n string
	v Value
}

type Func struct {
	name string
	fn   func(rt *runtime, args []Value, kw []KW) Value
}

type loopV struct {
	items   []Value
	i       int
	depth0  int
	changed []Value
	hasChg  bool
}

func asStr(v Value) (string, bool) {
	switch t := v.(type) {
	case string:
		return t, true
	case markup:
		return string(t), true
	}
	return "", false
}

func truth(v Value) bool {
	switch t := v.(type) {
	case nil:
		return false
	case bool:
		return t
	case string:
		return t != ""
	case markup:
		return t != ""
	case int:
		return t != 0
	case float64:
		return t != 0
	case *listV:
		return len(t.v) > 0
	case *Dict:
		return len(t.k) > 0
	case *undef:
		return false
	case *rangeV:
		return t.len() > 0
	}
	return true
}

func num(v Value) (float64, bool) {
	switch t := v.(type) {
	case int:
		return float64(t), true
	case float64:
		return t, true
	case bool:
		if t {
			return 1, true
		}
		return 0, true
	}
	return 0, false
}

func integer(v Value) (int, bool) {
	switch t := v.(type) {
	case int:
		return t, true
	case bool:
		if t {
			return 1, true
		}
		return 0, true
	}
	return 0, false
}

func equal(a, b Value) bool { return equalN(nil, a, b) }

// equalN charges rt (when given) per node: shared sub-values make trees exponentially large.
func equalN(rt *runtime, a, b Value) bool {
	switch x := a.(type) {
	case nil:
		return b == nil
	case string:
		switch y := b.(type) {
		case string:
			return x == y
		case markup:
			return x == string(y)
		}
		return false
	case markup:
		return equalN(rt, string(x), b)
	case *undef:
		_, ok := b.(*undef)
		return ok
	case *listV:
		y, ok := b.(*listV)
		if !ok || x.tuple != y.tuple || len(x.v) != len(y.v) {
			return false
		}
		if rt != nil {
			rt.charge(int64(1 + len(x.v)/4))
		}
		for i := range x.v {
			if !equalN(rt, x.v[i], y.v[i]) {
				return false
			}
		}
		return true
	case *Dict:
		y, ok := b.(*Dict)
		if !ok || len(x.k) != len(y.k) {
			return false
		}
		if rt != nil {
			rt.charge(int64(1 + len(x.k)/4))
		}
		for i := range x.k {
			j := y.find(x.k[i])
			if j < 0 || !equalN(rt, x.v[i], y.v[j]) {
				return false
			}
		}
		return true
	}
	if i, ok := integer(a); ok {
		if j, ok := integer(b); ok {
			return i == j
		}
	}
	if f, ok := num(a); ok {
		if g, ok := num(b); ok {
			return f == g
		}
		return false
	}
	switch b.(type) {
	case string, markup:
		return false
	}
	return a == b
}

func typeName(v Value) string {
	switch t := v.(type) {
	case nil:
		return "NoneType"
	case bool:
		return "bool"
	case int:
		return "int"
	case float64:
		return "float"
	case string:
		return "str"
	case markup:
		return "Markup"
	case *listV:
		if t.tuple {
			return "tuple"
		}
		return "list"
	case *Dict:
		return "dict"
	case *Namespace:
		return "Namespace"
	case *Gen:
		return "generator"
	case *rangeV:
		return "range"
	case *undef:
		return "Undefined"
	case *Func:
		return "function"
	}
	return fmt.Sprintf("%T", v)
}

func floatRepr(f float64) string {
	switch {
	case math.IsNaN(f):
		return "nan"
	case math.IsInf(f, 1):
		return "inf"
	case math.IsInf(f, -1):
		return "-inf"
	}
	if f == 0 {
		if math.Signbit(f) {
			return "-0.0"
		}
		return "0.0"
	}
	e := strconv.FormatFloat(f, 'e', -1, 64)
	i := strings.IndexByte(e, 'e')
	x, _ := strconv.Atoi(e[i+1:])
	if x < -4 || x >= 16 {
		// mantissa without trailing .0; exponent at least two digits
		m := e[:i]
		sign := "+"
		if x < 0 {
			sign, x = "-", -x
		}
		return m + "e" + sign + fmt.Sprintf("%02d", x)
	}
	s := strconv.FormatFloat(f, 'f', -1, 64)
	if !strings.Contains(s, ".") {
		s += ".0"
	}
	return s
}

// str is Python's str(v).
func str(v Value) string { return strN(nil, v) }

func strN(rt *runtime, v Value) string {
	switch t := v.(type) {
	case string:
		return t
	case markup:
		return string(t)
	case nil:
		return "None"
	case bool:
		if t {
			return "True"
		}
		return "False"
	case int:
		return strconv.Itoa(t)
	case float64:
		return floatRepr(t)
	case *undef:
		return ""
	}
	var b strings.Builder
	reprN(rt, &b, v, 0)
	return b.String()
}

func reprStr(b *strings.Builder, s string) {
	q := byte('\'')
	if strings.IndexByte(s, '\'') >= 0 && strings.IndexByte(s, '"') < 0 {
		q = '"'
	}
	b.WriteByte(q)
	for i := 0; i < len(s); {
		c := s[i]
		if c < utf8.RuneSelf {
			switch {
			case c == q || c == '\\':
				b.WriteByte('\\')
				b.WriteByte(c)
			case c == '\n':
				b.WriteString(`\n`)
			case c == '\r':
				b.WriteString(`\r`)
			case c == '\t':
				b.WriteString(`\t`)
			case c < 0x20 || c == 0x7f:
				fmt.Fprintf(b, `\x%02x`, c)
			default:
				b.WriteByte(c)
			}
			i++
			continue
		}
		r, w := utf8.DecodeRuneInString(s[i:])
		if unicode.IsPrint(r) {
			b.WriteString(s[i : i+w])
		} else if r <= 0xff {
			fmt.Fprintf(b, `\x%02x`, r)
		} else if r <= 0xffff {
			fmt.Fprintf(b, `\u%04x`, r)
		} else {
			fmt.Fprintf(b, `\U%08x`, r)
		}
		i += w
	}
	b.WriteByte(q)
}

func repr(b *strings.Builder, v Value, depth int) { reprN(nil, b, v, depth) }

func reprN(rt *runtime, b *strings.Builder, v Value, depth int) {
	if rt != nil {
		rt.charge(1)
		rt.checkBytes(b.Len())
	}
	if depth > 200 {
		throw("RecursionError: maximum recursion depth exceeded")
	}
	switch t := v.(type) {
	case string:
		reprStr(b, t)
	case markup:
		b.WriteString("Markup(")
		reprStr(b, string(t))
		b.WriteByte(')')
	case *listV:
		o, c := byte('['), byte(']')
		if t.tuple {
			o, c = '(', ')'
		}
		b.WriteByte(o)
		for i, x := range t.v {
			if i > 0 {
				b.WriteString(", ")
			}
			reprN(rt, b, x, depth+1)
		}
		if t.tuple && len(t.v) == 1 {
			b.WriteByte(',')
		}
		b.WriteByte(c)
	case *Dict:
		b.WriteByte('{')
		for i := range t.k {
			if i > 0 {
				b.WriteString(", ")
			}
			reprN(rt, b, t.k[i], depth+1)
			b.WriteString(": ")
			reprN(rt, b, t.v[i], depth+1)
		}
		b.WriteByte('}')
	case *undef:
		b.WriteString("Undefined")
	case *rangeV:
		if t.step == 1 {
			fmt.Fprintf(b, "range(%d, %d)", t.start, t.stop)
		} else {
			fmt.Fprintf(b, "range(%d, %d, %d)", t.start, t.stop, t.step)
		}
	case *Namespace:
		b.WriteString("<Namespace ")
		reprN(rt, b, t.d, depth+1)
		b.WriteByte('>')
	case *Gen:
		b.WriteString("<generator object>")
	case *Func:
		b.WriteString("<function " + t.name + ">")
	case *loopV:
		fmt.Fprintf(b, "<LoopContext %d/%d>", t.i+1, len(t.items))
	default:
		b.WriteString(str(v))
	}
}

// ---- JSON in / out ----

type jsonOpts struct {
	ascii    bool
	indent   string
	hasInd   bool
	itemSep  string
	keySep   string
	sortKeys bool
}

func jsonStr(b []byte, s string, ascii bool) []byte {
	b = append(b, '"')
	start := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c < utf8.RuneSelf {
			if c >= 0x20 && c != '"' && c != '\\' && !(ascii && c == 0x7f) {
				i++
				continue
			}
			b = append(b, s[start:i]...)
			switch c {
			case '"':
				b = append(b, '\\', '"')
			case '\\':
				b = append(b, '\\', '\\')
			case '\n':
				b = append(b, '\\', 'n')
			case '\r':
				b = append(b, '\\', 'r')
			case '\t':
				b = append(b, '\\', 't')
			case '\f':
				b = append(b, '\\', 'f')
			case '\b':
				b = append(b, '\\', 'b')
			default:
				b = append(b, fmt.Sprintf(`\u%04x`, c)...)
			}
			i++
			start = i
			continue
		}
		if !ascii {
			i++
			continue
		}
		r, w := utf8.DecodeRuneInString(s[i:])
		b = append(b, s[start:i]...)
		if r > 0xffff {
			r -= 0x10000
			b = append(b, fmt.Sprintf(`\u%04x\u%04x`, 0xd800+(r>>10), 0xdc00+(r&0x3ff))...)
		} else {
			b = append(b, fmt.Sprintf(`\u%04x`, r)...)
		}
		i += w
		start = i
	}
	b = append(b, s[start:]...)
	return append(b, '"')
}

func jsonDump(rt *runtime, b []byte, v Value, o *jsonOpts, level int) []byte {
	if level > 200 {
		throw("ValueError: Circular reference detected or nesting too deep")
	}
	if rt != nil {
		rt.charge(1)
		rt.checkBytes(len(b))
	}
	nl := func() {
		if o.hasInd {
			b = append(b, '\n')
			for i := 0; i < level; i++ {
				b = append(b, o.indent...)
			}
		}
	}
	switch t := v.(type) {
	case nil:
		return append(b, "null"...)
	case bool:
		if t {
			return append(b, "true"...)
		}
		return append(b, "false"...)
	case int:
		return strconv.AppendInt(b, int64(t), 10)
	case float64:
		switch {
		case math.IsNaN(t):
			return append(b, "NaN"...)
		case math.IsInf(t, 1):
			return append(b, "Infinity"...)
		case math.IsInf(t, -1):
			return append(b, "-Infinity"...)
		}
		return append(b, floatRepr(t)...)
	case string:
		return jsonStr(b, t, o.ascii)
	case markup:
		return jsonStr(b, string(t), o.ascii)
	case *listV:
		if len(t.v) == 0 {
			return append(b, "[]"...)
		}
		b = append(b, '[')
		level++
		nl()
		for i, x := range t.v {
			if i > 0 {
				b = append(b, o.itemSep...)
				nl()
			}
			b = jsonDump(rt, b, x, o, level)
		}
		level--
		nl()
		return append(b, ']')
	case *Dict:
		if len(t.k) == 0 {
			return append(b, "{}"...)
		}
		b = append(b, '{')
		level++
		nl()
		order := make([]int, 0, 16)
		for i := range t.k {
			order = append(order, i)
		}
		if o.sortKeys {
			sortInts(order, func(a, c int) bool { return less(t.k[a], t.k[c]) })
		}
		for n, i := range order {
			if n > 0 {
				b = append(b, o.itemSep...)
				nl()
			}
			switch k := t.k[i].(type) {
			case string:
				b = jsonStr(b, k, o.ascii)
			case nil:
				b = append(b, `"null"`...)
			case bool:
				if k {
					b = append(b, `"true"`...)
				} else {
					b = append(b, `"false"`...)
				}
			case int, float64:
				b = jsonStr(b, str(k), o.ascii)
			default:
				throw("TypeError: keys must be str, int, float, bool or None, not %s", typeName(k))
			}
			b = append(b, o.keySep...)
			b = jsonDump(rt, b, t.v[i], o, level)
		}
		level--
		nl()
		return append(b, '}')
	}
	throw("TypeError: Object of type %s is not JSON serializable", typeName(v))
	return nil
}
