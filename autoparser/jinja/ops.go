package jinja

import (
	"math"
	"sort"
	"strings"
	"unicode/utf8"
)

func sortInts(a []int, lt func(i, j int) bool) {
	sort.SliceStable(a, func(i, j int) bool { return lt(a[i], a[j]) })
}

func escapeHTML(s string) string {
	return htmlEsc.Replace(s)
}

var htmlEsc = strings.NewReplacer("&", "&amp;", ">", "&gt;", "<", "&lt;", "'", "&#39;", `"`, "&#34;")

func undefFail(vs ...Value) {
	for _, v := range vs {
		if u, ok := v.(*undef); ok {
			throw("UndefinedError: %s", u.msg)
		}
	}
}

func objName(v Value) string {
	if v == nil {
		return "None"
	}
	return "'" + typeName(v) + " object'"
}

func iterate(rt *runtime, v Value) []Value {
	switch t := v.(type) {
	case *listV:
		return t.v
	case *Dict:
		return t.k
	case string:
		return runes(rt, t)
	case markup:
		return runes(rt, string(t))
	case *undef:
		return nil
	case *Gen:
		if t.done {
			return nil
		}
		t.done = true
		return t.v
	case *rangeV:
		n := t.len()
		rt.alloc(16 * n)
		out := make([]Value, n)
		for i := range out {
			out[i] = t.start + i*t.step
		}
		return out
	}
	throw("TypeError: '%s' object is not iterable", typeName(v))
	return nil
}

func runes(rt *runtime, s string) []Value {
	rt.alloc(32 * len(s))
	out := make([]Value, 0, len(s))
	for i := 0; i < len(s); {
		_, w := utf8.DecodeRuneInString(s[i:])
		out = append(out, s[i:i+w])
		i += w
	}
	return out
}

func strLen(s string) int {
	for i := 0; i < len(s); i++ {
		if s[i] >= utf8.RuneSelf {
			return utf8.RuneCountInString(s)
		}
	}
	return len(s)
}

func length(v Value) int {
	switch t := v.(type) {
	case string:
		return strLen(t)
	case markup:
		return strLen(string(t))
	case *listV:
		return len(t.v)
	case *Dict:
		return len(t.k)
	case *undef:
		return 0
	case *rangeV:
		return t.len()
	case *loopV:
		return len(t.items)
	}
	throw("TypeError: object of type '%s' has no len()", typeName(v))
	return 0
}

func less(a, b Value) bool {
	if x, ok := asStr(a); ok {
		if y, ok := asStr(b); ok {
			return x < y
		}
	}
	if x, ok := num(a); ok {
		if y, ok := num(b); ok {
			return x < y
		}
	}
	if x, ok := a.(*listV); ok {
		if y, ok := b.(*listV); ok && x.tuple == y.tuple {
			for i := range x.v {
				if i >= len(y.v) {
					return false
				}
				if !equal(x.v[i], y.v[i]) {
					return less(x.v[i], y.v[i])
				}
			}
			return len(x.v) < len(y.v)
		}
	}
	undefFail(a, b)
	throw("TypeError: '<' not supported between instances of '%s' and '%s'", typeName(a), typeName(b))
	return false
}

func contains(rt *runtime, seq, v Value) bool {
	switch t := seq.(type) {
	case string, markup:
		s, _ := asStr(t)
		x, ok := asStr(v)
		if !ok {
			undefFailIn(v)
			throw("TypeError: 'in <string>' requires string as left operand, not %s", typeName(v))
		}
		return strings.Contains(s, x)
	case *Dict:
		switch v.(type) {
		case *listV:
			if !v.(*listV).tuple {
				throw("TypeError: unhashable type: 'list'")
			}
		case *Dict:
			throw("TypeError: unhashable type: 'dict'")
		}
		return t.find(v) >= 0
	case *listV:
		for _, x := range t.v {
			if equalN(rt, x, v) {
				return true
			}
		}
		return false
	case *undef:
		return false
	case *Gen, *rangeV:
		for _, x := range iterate(rt, t) {
			if equalN(rt, x, v) {
				return true
			}
		}
		return false
	}
	throw("TypeError: argument of type '%s' is not iterable", typeName(seq))
	return false
}

func undefFailIn(v Value) {
	if _, ok := v.(*undef); ok {
		throw("TypeError: 'in <string>' requires string as left operand, not Undefined")
	}
}

func compare(rt *runtime, op string, a, b Value) bool {
	switch op {
	case "==":
		return equalN(rt, a, b)
	case "!=":
		return !equalN(rt, a, b)
	case "<":
		return less(a, b)
	case ">":
		return less(b, a)
	case "<=":
		if f, ok := num(a); ok {
			if g, ok := num(b); ok {
				return f <= g
			}
		}
		return !less(b, a)
	case ">=":
		if f, ok := num(a); ok {
			if g, ok := num(b); ok {
				return f >= g
			}
		}
		return !less(a, b)
	case "in":
		return contains(rt, b, a)
	case "not in":
		return !contains(rt, b, a)
	}
	throw("unknown operator %s", op)
	return false
}

func add(rt *runtime, a, b Value) Value {
	switch x := a.(type) {
	case string:
		switch y := b.(type) {
		case string:
			rt.alloc(len(x) + len(y))
			return x + y
		case markup:
			e := escapeHTML(x)
			rt.alloc(len(e) + len(y))
			return markup(e + string(y))
		}
		undefFail(b)
		throw("TypeError: can only concatenate str (not \"%s\") to str", typeName(b))
	case markup:
		switch y := b.(type) {
		case string:
			e := escapeHTML(y)
			rt.alloc(len(e) + len(x))
			return markup(string(x) + e)
		case markup:
			rt.alloc(len(x) + len(y))
			return x + y
		}
		undefFail(b)
		throw("TypeError: unsupported operand type(s) for +: 'Markup' and '%s'", typeName(b))
	case *listV:
		if y, ok := b.(*listV); ok && x.tuple == y.tuple {
			n := len(x.v) + len(y.v)
			rt.alloc(16 * n)
			out := make([]Value, 0, n)
			return &listV{append(append(out, x.v...), y.v...), x.tuple}
		}
		undefFail(b)
		throw("TypeError: can only concatenate %s (not \"%s\") to %s", typeName(a), typeName(b), typeName(a))
	}
	return arith(rt, "+", a, b)
}

func repeat(rt *runtime, s string, n int) string {
	if n <= 0 || s == "" {
		return ""
	}
	if n > math.MaxInt32 || len(s) > math.MaxInt32 {
		rt.alloc(math.MaxInt32)
		rt.alloc(math.MaxInt32)
		panic(thrown{&limitError{"memory"}})
	}
	rt.alloc(len(s) * n)
	return strings.Repeat(s, n)
}

func arith(rt *runtime, op string, a, b Value) Value {
	undefFail(a, b)
	if op == "+" {
		switch a.(type) {
		case string, markup, *listV:
			if _, ok := a.(*listV); !ok {
				return add(rt, a, b)
			}
			if bl, ok := b.(*listV); ok && bl.tuple == a.(*listV).tuple {
				return add(rt, a, b)
			}
		}
	}
	if op == "*" {
		if n, ok := integer(b); ok {
			switch x := a.(type) {
			case string:
				return repeat(rt, x, n)
			case markup:
				return markup(repeat(rt, string(x), n))
			case *listV:
				if n < 0 {
					n = 0
				}
				if n > 1<<24 {
					panic(thrown{&limitError{"memory"}})
				}
				rt.alloc(16 * n * len(x.v))
				out := make([]Value, 0, n*len(x.v))
				for i := 0; i < n; i++ {
					out = append(out, x.v...)
				}
				return &listV{out, x.tuple}
			}
		}
		if n, ok := integer(a); ok {
			switch b.(type) {
			case string, markup, *listV:
				return arith(rt, op, b, n)
			}
		}
	}
	if op == "%" {
		if s, ok := asStr(a); ok {
			return percentFormat(rt, s, b)
		}
	}
	x, xi := integer(a)
	y, yi := integer(b)
	if xi && yi {
		switch op {
		case "+":
			return x + y
		case "-":
			return x - y
		case "*":
			return x * y
		case "/":
			if y == 0 {
				throw("ZeroDivisionError: division by zero")
			}
			return float64(x) / float64(y)
		case "//":
			if y == 0 {
				throw("ZeroDivisionError: integer division or modulo by zero")
			}
			q := x / y
			if (x%y != 0) && ((x < 0) != (y < 0)) {
				q--
			}
			return q
		case "%":
			if y == 0 {
				throw("ZeroDivisionError: integer division or modulo by zero")
			}
			r := x % y
			if r != 0 && (r < 0) != (y < 0) {
				r += y
			}
			return r
		case "**":
			if y >= 0 {
				if y > 1024 {
					throw("OverflowError: exponent too large")
				}
				r := 1
				for i := 0; i < y; i++ {
					r *= x
				}
				return r
			}
			return math.Pow(float64(x), float64(y))
		}
	}
	f, fo := num(a)
	g, go_ := num(b)
	if fo && go_ {
		switch op {
		case "+":
			return f + g
		case "-":
			return f - g
		case "*":
			return f * g
		case "/":
			if g == 0 {
				throw("ZeroDivisionError: float division by zero")
			}
			return f / g
		case "//":
			if g == 0 {
				throw("ZeroDivisionError: float divmod()")
			}
			return math.Floor(f / g)
		case "%":
			if g == 0 {
				throw("ZeroDivisionError: float modulo")
			}
			r := math.Mod(f, g)
			if r != 0 && (r < 0) != (g < 0) {
				r += g
			}
			return r
		case "**":
			return math.Pow(f, g)
		}
	}
	throw("TypeError: unsupported operand type(s) for %s: '%s' and '%s'", op, typeName(a), typeName(b))
	return nil
}

func slice(rt *runtime, v, a, b, c Value) Value {
	undefFail(v)
	rt.workOn(v)
	step := 1
	if c != nil {
		n, ok := integer(c)
		if !ok {
			throw("TypeError: slice indices must be integers or None or have an __index__ method")
		}
		if n == 0 {
			throw("ValueError: slice step cannot be zero")
		}
		step = n
	}
	var n int
	var s string
	var ascii bool
	var l []Value
	switch t := v.(type) {
	case string, markup:
		s, _ = asStr(t)
		n = strLen(s)
		ascii = n == len(s)
	case *listV:
		l = t.v
		n = len(l)
	case *rangeV:
		l = iterate(rt, t)
		n = len(l)
	default:
		throw("TypeError: '%s' object is not subscriptable", typeName(v))
	}
	bound := func(x Value, def int) int {
		if x == nil {
			return def
		}
		undefFail(x)
		i, ok := integer(x)
		if !ok {
			throw("TypeError: slice indices must be integers or None or have an __index__ method")
		}
		lo, hi := 0, n
		if step < 0 {
			lo, hi = -1, n-1
		}
		if i < 0 {
			i += n
			if i < lo {
				i = lo
			}
		} else if i > hi {
			i = hi
		}
		return i
	}
	var start, stop int
	if step > 0 {
		start, stop = bound(a, 0), bound(b, n)
	} else {
		start, stop = bound(a, n-1), bound(b, -1)
	}
	if l == nil && s == "" {
		if t, ok := v.(*listV); ok {
			return &listV{nil, t.tuple}
		}
		return v
	}
	if l == nil {
		if step == 1 {
			if start >= stop {
				return ""
			}
			if ascii {
				return s[start:stop]
			}
			i, from := 0, -1
			for p := range s {
				if i == start {
					from = p
				}
				if i == stop {
					return s[from:p]
				}
				i++
			}
			if from < 0 {
				return ""
			}
			return s[from:]
		}
		rs := []rune(s)
		var out []rune
		for i := start; (step > 0 && i < stop) || (step < 0 && i > stop); i += step {
			out = append(out, rs[i])
		}
		return string(out)
	}
	tuple := false
	if t, ok := v.(*listV); ok {
		tuple = t.tuple
	}
	if step == 1 {
		if start >= stop {
			return &listV{nil, tuple}
		}
		return &listV{l[start:stop:stop], tuple}
	}
	var out []Value
	for i := start; (step > 0 && i < stop) || (step < 0 && i > stop); i += step {
		out = append(out, l[i])
	}
	rt.alloc(16 * len(out))
	return &listV{out, tuple}
}

func getattr(rt *runtime, v Value, n string) Value {
	switch t := v.(type) {
	case *undef:
		throw("UndefinedError: %s", t.msg)
	case *Namespace:
		if x, ok := t.d.Get(n); ok {
			return x
		}
		return &undef{"'Namespace object' has no attribute '" + n + "'"}
	case *loopV:
		if x, ok := t.attr(rt, n); ok {
			return x
		}
	case *Dict:
		if m := lookupMethod(v, n); m != nil {
			return &Func{n, func(rt *runtime, a []Value, k []KW) Value { return m(rt, v, a, k) }}
		}
		if i := t.findS(n); i >= 0 {
			return t.v[i]
		}
		return &undef{"'dict object' has no attribute '" + n + "'"}
	default:
		if m := lookupMethod(v, n); m != nil {
			return &Func{n, func(rt *runtime, a []Value, k []KW) Value { return m(rt, v, a, k) }}
		}
	}
	if v == nil {
		return &undef{"'None' has no attribute '" + n + "'"}
	}
	return &undef{objName(v) + " has no attribute '" + n + "'"}
}

func getitem(rt *runtime, v, i Value) Value {
	switch t := v.(type) {
	case *undef:
		throw("UndefinedError: %s", t.msg)
	case *Dict:
		if x := t.find(i); x >= 0 {
			return t.v[x]
		}
	case *listV:
		if n, ok := integer(i); ok {
			if n < 0 {
				n += len(t.v)
			}
			if n >= 0 && n < len(t.v) {
				return t.v[n]
			}
		}
	case string:
		if n, ok := integer(i); ok {
			rt.work(len(t))
			if n < 0 {
				n += strLen(t)
			}
			if n >= 0 {
				k := 0
				for p := range t {
					if k == n {
						_, w := utf8.DecodeRuneInString(t[p:])
						return t[p : p+w]
					}
					k++
				}
			}
		}
	case markup:
		return getitem(rt, string(t), i)
	case *rangeV:
		if n, ok := integer(i); ok {
			if n < 0 {
				n += t.len()
			}
			if n >= 0 && n < t.len() {
				return t.start + n*t.step
			}
		}
	}
	if s, ok := asStr(i); ok {
		x := getattr(rt, v, s)
		return x
	}
	var b strings.Builder
	repr(&b, i, 0)
	return &undef{objName(v) + " has no element " + b.String()}
}

func (l *loopV) attr(rt *runtime, n string) (Value, bool) {
	switch n {
	case "index":
		return l.i + 1, true
	case "index0":
		return l.i, true
	case "first":
		return l.i == 0, true
	case "last":
		return l.i == len(l.items)-1, true
	case "length":
		return len(l.items), true
	case "revindex":
		return len(l.items) - l.i, true
	case "revindex0":
		return len(l.items) - l.i - 1, true
	case "depth":
		return l.depth0 + 1, true
	case "depth0":
		return l.depth0, true
	case "previtem":
		if l.i == 0 {
			return &undef{"there is no previous item"}, true
		}
		return l.items[l.i-1], true
	case "nextitem":
		if l.i == len(l.items)-1 {
			return &undef{"there is no next item"}, true
		}
		return l.items[l.i+1], true
	case "cycle":
		return &Func{"cycle", func(rt *runtime, a []Value, _ []KW) Value {
			if len(a) == 0 {
				throw("TypeError: no items for cycling given")
			}
			return a[l.i%len(a)]
		}}, true
	case "changed":
		return &Func{"changed", func(rt *runtime, a []Value, _ []KW) Value {
			if l.hasChg && equal(&listV{a, true}, &listV{l.changed, true}) {
				return false
			}
			l.changed, l.hasChg = a, true
			return true
		}}, true
	}
	return nil, false
}
