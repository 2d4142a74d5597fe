package jinja

import (
	"fmt"
	"math"
	"sort"
	"strconv"
	"strings"
	"time"
	"unicode"
)

type filterFn func(rt *runtime, v Value, args []Value, kw []KW) Value
type testFn func(rt *runtime, v Value, args []Value) bool
type methodFn func(rt *runtime, v Value, args []Value, kw []KW) Value

var (
	filters map[string]filterFn
	tests   map[string]testFn
	globals map[string]Value
)

// arg fetches positional i or keyword n.
func arg(args []Value, kw []KW, i int, n string, def Value) Value {
	if i < len(args) {
		return args[i]
	}
	for _, k := range kw {
		if k.n == n {
			return k.v
		}
	}
	return def
}

func kwOnly(kw []KW, names ...string) {
next:
	for _, k := range kw {
		for _, n := range names {
			if k.n == n {
				continue next
			}
		}
		throw("TypeError: got an unexpected keyword argument '%s'", k.n)
	}
}

func argInt(v Value, what string) int {
	n, ok := integer(v)
	if !ok {
		undefFail(v)
		throw("TypeError: '%s' object cannot be interpreted as an integer", typeName(v))
	}
	return n
}

func pySpace(r rune) bool { return unicode.IsSpace(r) || (r >= 0x1c && r <= 0x1f) }

func pySplitLines(s string, keep bool) []string {
	var out []string
	start := 0
	rs := s
	for i := 0; i < len(rs); {
		r := rune(rs[i])
		w := 1
		if r >= 0x80 {
			r, w = decode1(rs[i:])
		}
		switch r {
		case '\n', '\r', '\v', '\f', 0x1c, 0x1d, 0x1e, 0x85, 0x2028, 0x2029:
			e := i + w
			if r == '\r' && e < len(rs) && rs[e] == '\n' {
				e++
			}
			if keep {
				out = append(out, rs[start:e])
			} else {
				out = append(out, rs[start:i])
			}
			start, i = e, e
			continue
		}
		i += w
	}
	if start < len(rs) {
		out = append(out, rs[start:])
	}
	return out
}

func strs(rt *runtime, ss []string) *listV {
	rt.alloc(16 * len(ss))
	l := &listV{v: make([]Value, len(ss))}
	for i, s := range ss {
		l.v[i] = s
	}
	return l
}

func needStr(v Value, what string) string {
	s, ok := asStr(v)
	if !ok {
		undefFail(v)
		throw("TypeError: %s must be str, not %s", what, typeName(v))
	}
	return s
}

func lookupMethod(v Value, n string) methodFn {
	switch t := v.(type) {
	case string, markup:
		return strMethods[n]
	case *Dict:
		return dictMethods[n]
	case *listV:
		if t.tuple {
			return tupleMethods[n]
		}
		return listMethods[n]
	case int, bool:
		if n == "bit_length" {
			return nil
		}
	case float64:
		if n == "is_integer" {
			return func(rt *runtime, v Value, _ []Value, _ []KW) Value { f := v.(float64); return f == math.Trunc(f) }
		}
	}
	return nil
}

func unsafe(n, typ string) methodFn {
	return func(*runtime, Value, []Value, []KW) Value {
		throw("SecurityError: access to attribute '%s' of '%s' object is unsafe.", n, typ)
		return nil
	}
}

var strMethods, dictMethods, listMethods, tupleMethods map[string]methodFn

func stripper(l, r bool) methodFn {
	return func(rt *runtime, v Value, a []Value, kw []KW) Value {
		s, _ := asStr(v)
		c := arg(a, kw, 0, "chars", nil)
		f := pySpace
		if c != nil {
			cs := needStr(c, "strip arg")
			f = func(r rune) bool { return strings.ContainsRune(cs, r) }
		}
		if l {
			s = strings.TrimLeftFunc(s, f)
		}
		if r {
			s = strings.TrimRightFunc(s, f)
		}
		return s
	}
}

// window applies Python's [start:end] to s for startswith & co.
func window(rt *runtime, s string, a []Value, i int) string {
	var st, en Value
	if i < len(a) {
		st = a[i]
	}
	if i+1 < len(a) {
		en = a[i+1]
	}
	if st == nil && en == nil {
		return s
	}
	return slice(rt, s, st, en, nil).(string)
}

func prefixer(f func(s, p string) bool, name string) methodFn {
	return func(rt *runtime, v Value, a []Value, kw []KW) Value {
		s, _ := asStr(v)
		if len(a) == 0 {
			throw("TypeError: %s() takes at least 1 argument (0 given)", name)
		}
		s = window(rt, s, a, 1)
		switch p := a[0].(type) {
		case *listV:
			if p.tuple {
				for _, x := range p.v {
					if f(s, needStr(x, name+" first arg")) {
						return true
					}
				}
				return false
			}
			throw("TypeError: %s first arg must be str or a tuple of str, not list", name)
		}
		return f(s, needStr(a[0], name+" first arg"))
	}
}

func allRunes(s string, f func(rune) bool) bool {
	if s == "" {
		return false
	}
	for _, r := range s {
		if !f(r) {
			return false
		}
	}
	return true
}

func pyCapitalize(s string) string {
	for i, r := range s {
		_ = i
		w := len(string(r))
		return string(unicode.ToTitle(r)) + strings.ToLower(s[w:])
	}
	return s
}

func pyTitle(s string) string {
	var b strings.Builder
	prev := false
	for _, r := range s {
		if unicode.IsLetter(r) {
			if prev {
				b.WriteRune(unicode.ToLower(r))
			} else {
				b.WriteRune(unicode.ToTitle(r))
			}
			prev = true
		} else {
			b.WriteRune(r)
			prev = false
		}
	}
	return b.String()
}

func runeIndex(s, sub string, last bool) int {
	var i int
	if last {
		i = strings.LastIndex(s, sub)
	} else {
		i = strings.Index(s, sub)
	}
	if i < 0 {
		return -1
	}
	return strLen(s[:i])
}

func pad(rt *runtime, s string, w int, fill string, mode int) string {
	n := w - strLen(s)
	if n <= 0 {
		return s
	}
	switch mode {
	case 0:
		return s + repeat(rt, fill, n)
	case 1:
		return repeat(rt, fill, n) + s
	}
	l := n/2 + (n & w & 1)
	return repeat(rt, fill, l) + s + repeat(rt, fill, n-l)
}

func pySplit(rt *runtime, s string, a []Value, kw []KW, right bool) Value {
	sep := arg(a, kw, 0, "sep", nil)
	max := argInt(arg(a, kw, 1, "maxsplit", -1), "maxsplit")
	if sep == nil {
		var out []string
		if !right {
			rest := strings.TrimLeftFunc(s, pySpace)
			for rest != "" {
				if max >= 0 && len(out) >= max {
					out = append(out, strings.TrimRightFunc(rest, pySpace))
					rest = ""
					break
				}
				i := strings.IndexFunc(rest, pySpace)
				if i < 0 {
					out = append(out, rest)
					break
				}
				out = append(out, rest[:i])
				rest = strings.TrimLeftFunc(rest[i:], pySpace)
			}
			if max >= 0 && len(out) > max && len(out) > 0 {
				// CPython keeps trailing whitespace of the remainder
				last := out[len(out)-1]
				if i := strings.LastIndex(s, last); i >= 0 && len(out) == max+1 {
					out[len(out)-1] = s[i:]
				}
			}
			return strs(rt, out)
		}
		rest := strings.TrimRightFunc(s, pySpace)
		for rest != "" {
			if max >= 0 && len(out) >= max {
				out = append(out, rest)
				break
			}
			i := strings.LastIndexFunc(rest, pySpace)
			if i < 0 {
				out = append(out, rest)
				break
			}
			_, w := decode1(rest[i:])
			out = append(out, rest[i+w:])
			rest = strings.TrimRightFunc(rest[:i], pySpace)
		}
		for i, j := 0, len(out)-1; i < j; i, j = i+1, j-1 {
			out[i], out[j] = out[j], out[i]
		}
		return strs(rt, out)
	}
	p := needStr(sep, "sep")
	if p == "" {
		throw("ValueError: empty separator")
	}
	if !right {
		if max < 0 {
			return strs(rt, strings.Split(s, p))
		}
		return strs(rt, strings.SplitN(s, p, max+1))
	}
	parts := strings.Split(s, p)
	if max >= 0 && len(parts) > max+1 {
		k := len(parts) - max
		parts = append([]string{strings.Join(parts[:k], p)}, parts[k:]...)
	}
	return strs(rt, parts)
}

func tup(v ...Value) *listV { return &listV{v, true} }

func attrPath(rt *runtime, v Value, path Value, def Value, hasDef bool) Value {
	var parts []Value
	switch p := path.(type) {
	case int:
		parts = []Value{p}
	default:
		for _, s := range strings.Split(str(p), ".") {
			if n, err := strconv.Atoi(s); err == nil && s != "" && s[0] != '-' && s[0] != '+' {
				parts = append(parts, n)
			} else {
				parts = append(parts, s)
			}
		}
	}
	for _, p := range parts {
		// environment.getitem: subscript first, then attribute
		v = getitem(rt, v, p)
		if _, ok := v.(*undef); ok && hasDef {
			v = def
		}
	}
	return v
}

func doTest(rt *runtime, a []Value) func(Value) bool {
	if len(a) == 0 {
		return truth
	}
	n := needStr(a[0], "test name")
	t, ok := tests[n]
	if !ok {
		throw("TemplateRuntimeError: No test named '%s' found.", n)
	}
	rest := a[1:]
	return func(v Value) bool { return t(rt, v, rest) }
}

func selecter(want bool, attr bool) filterFn {
	return func(rt *runtime, v Value, a []Value, kw []KW) Value {
		get := func(x Value) Value { return x }
		ta := a
		if attr {
			if len(a) == 0 {
				throw("FilterArgumentError: Missing parameter for attribute name")
			}
			ta = a[1:]
			get = func(x Value) Value { return attrPath(rt, x, a[0], nil, false) }
		}
		if !truth(v) { // jinja2: "if value:"
			return &Gen{}
		}
		t := doTest(rt, ta)
		items := iterate(rt, v)
		out := make([]Value, 0, len(items))
		for _, x := range items {
			rt.step()
			if t(get(x)) == want {
				out = append(out, x)
			}
		}
		rt.alloc(16 * len(out))
		return &Gen{v: out}
	}
}

func lowerKey(v Value) Value {
	if s, ok := asStr(v); ok {
		return strings.ToLower(s)
	}
	return v
}

func sortVals(rt *runtime, items []Value, key func(Value) Value, rev bool) []Value {
	type kv struct{ k, v Value }
	ks := make([]kv, len(items))
	for i, x := range items {
		ks[i] = kv{key(x), x}
	}
	rt.alloc(48 * len(items))
	sort.SliceStable(ks, func(i, j int) bool {
		rt.step()
		if rev {
			return less(ks[j].k, ks[i].k)
		}
		return less(ks[i].k, ks[j].k)
	})
	out := make([]Value, len(items))
	for i := range ks {
		out[i] = ks[i].v
	}
	return out
}

func isTrue(v Value) bool { return truth(v) }

func tojson(rt *runtime, v Value, a []Value, kw []KW) Value {
	kwOnly(kw, "ensure_ascii", "indent", "separators", "sort_keys")
	o := &jsonOpts{itemSep: ", ", keySep: ": "}
	o.ascii = truth(arg(a, kw, 0, "ensure_ascii", false))
	switch ind := arg(a, kw, 1, "indent", nil).(type) {
	case nil:
	case string:
		o.hasInd, o.indent = true, ind
	default:
		o.hasInd = true
		o.indent = repeat(rt, " ", argInt(ind, "indent"))
	}
	if o.hasInd {
		o.itemSep = ","
	}
	if sep := arg(a, kw, 2, "separators", nil); sep != nil {
		s := iterate(rt, sep)
		if len(s) != 2 {
			throw("ValueError: separators")
		}
		o.itemSep, o.keySep = needStr(s[0], "separator"), needStr(s[1], "separator")
	}
	o.sortKeys = truth(arg(a, kw, 3, "sort_keys", false))
	b := jsonDump(rt, nil, v, o, 0)
	rt.alloc(len(b))
	return string(b)
}

func init() {
	strMethods = map[string]methodFn{
		"strip":      stripper(true, true),
		"lstrip":     stripper(true, false),
		"rstrip":     stripper(false, true),
		"startswith": prefixer(strings.HasPrefix, "startswith"),
		"endswith":   prefixer(strings.HasSuffix, "endswith"),
		"split": func(rt *runtime, v Value, a []Value, kw []KW) Value {
			s, _ := asStr(v)
			return pySplit(rt, s, a, kw, false)
		},
		"rsplit": func(rt *runtime, v Value, a []Value, kw []KW) Value {
			s, _ := asStr(v)
			return pySplit(rt, s, a, kw, true)
		},
		"splitlines": func(rt *runtime, v Value, a []Value, kw []KW) Value {
			s, _ := asStr(v)
			return strs(rt, pySplitLines(s, truth(arg(a, kw, 0, "keepends", false))))
		},
		"replace": func(rt *runtime, v Value, a []Value, kw []KW) Value {
			s, _ := asStr(v)
			if len(a) < 2 {
				throw("TypeError: replace expected at least 2 arguments, got %d", len(a))
			}
			return pyReplace(rt, s, needStr(a[0], "replace() argument 1"), needStr(a[1], "replace() argument 2"), argInt(arg(a, kw, 2, "count", -1), "count"))
		},
		"join": func(rt *runtime, v Value, a []Value, kw []KW) Value {
			s, _ := asStr(v)
			if len(a) != 1 {
				throw("TypeError: join() takes exactly one argument")
			}
			undefJoin := iterate(rt, a[0])
			parts := make([]string, len(undefJoin))
			n := 0
			for i, x := range undefJoin {
				t, ok := asStr(x)
				if !ok {
					throw("TypeError: sequence item %d: expected str instance, %s found", i, typeName(x))
				}
				parts[i] = t
				n += len(t) + len(s)
			}
			rt.alloc(n)
			return strings.Join(parts, s)
		},
		"upper":      sm(strings.ToUpper),
		"lower":      sm(strings.ToLower),
		"casefold":   sm(strings.ToLower),
		"title":      sm(pyTitle),
		"capitalize": sm(pyCapitalize),
		"swapcase": sm(func(s string) string {
			return strings.Map(func(r rune) rune {
				if unicode.IsUpper(r) {
					return unicode.ToLower(r)
				}
				return unicode.ToUpper(r)
			}, s)
		}),
		"isdigit":   bm(func(s string) bool { return allRunes(s, unicode.IsDigit) }),
		"isdecimal": bm(func(s string) bool { return allRunes(s, unicode.IsDigit) }),
		"isnumeric": bm(func(s string) bool { return allRunes(s, unicode.IsNumber) }),
		"isalpha":   bm(func(s string) bool { return allRunes(s, unicode.IsLetter) }),
		"isalnum": bm(func(s string) bool {
			return allRunes(s, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) })
		}),
		"isspace": bm(func(s string) bool { return allRunes(s, pySpace) }),
		"isupper": bm(func(s string) bool { return strings.ToUpper(s) == s && strings.ToLower(s) != s }),
		"islower": bm(func(s string) bool { return strings.ToLower(s) == s && strings.ToUpper(s) != s }),
		"isascii": bm(func(s string) bool { return strLen(s) == len(s) }),
		"find": func(rt *runtime, v Value, a []Value, kw []KW) Value {
			s, _ := asStr(v)
			return runeIndex(s, needStr(arg(a, nil, 0, "", nil), "find arg"), false)
		},
		"rfind": func(rt *runtime, v Value, a []Value, kw []KW) Value {
			s, _ := asStr(v)
			return runeIndex(s, needStr(arg(a, nil, 0, "", nil), "rfind arg"), true)
		},
		"index": func(rt *runtime, v Value, a []Value, kw []KW) Value {
			s, _ := asStr(v)
			i := runeIndex(s, needStr(arg(a, nil, 0, "", nil), "index arg"), false)
			if i < 0 {
				throw("ValueError: substring not found")
			}
			return i
		},
		"count": func(rt *runtime, v Value, a []Value, kw []KW) Value {
			s, _ := asStr(v)
			return strings.Count(window(rt, s, a, 1), needStr(arg(a, nil, 0, "", nil), "count arg"))
		},
		"partition": func(rt *runtime, v Value, a []Value, kw []KW) Value {
			s, _ := asStr(v)
			p := needStr(arg(a, nil, 0, "", nil), "partition arg")
			if i := strings.Index(s, p); i >= 0 && p != "" {
				return tup(s[:i], p, s[i+len(p):])
			}
			return tup(s, "", "")
		},
		"rpartition": func(rt *runtime, v Value, a []Value, kw []KW) Value {
			s, _ := asStr(v)
			p := needStr(arg(a, nil, 0, "", nil), "rpartition arg")
			if i := strings.LastIndex(s, p); i >= 0 && p != "" {
				return tup(s[:i], p, s[i+len(p):])
			}
			return tup("", "", s)
		},
		"removeprefix": func(rt *runtime, v Value, a []Value, kw []KW) Value {
			s, _ := asStr(v)
			return strings.TrimPrefix(s, needStr(arg(a, nil, 0, "", nil), "removeprefix arg"))
		},
		"removesuffix": func(rt *runtime, v Value, a []Value, kw []KW) Value {
			s, _ := asStr(v)
			return strings.TrimSuffix(s, needStr(arg(a, nil, 0, "", nil), "removesuffix arg"))
		},
		"ljust": func(rt *runtime, v Value, a []Value, kw []KW) Value {
			s, _ := asStr(v)
			return pad(rt, s, argInt(arg(a, nil, 0, "", nil), ""), needStr(arg(a, nil, 1, "", " "), ""), 0)
		},
		"rjust": func(rt *runtime, v Value, a []Value, kw []KW) Value {
			s, _ := asStr(v)
			return pad(rt, s, argInt(arg(a, nil, 0, "", nil), ""), needStr(arg(a, nil, 1, "", " "), ""), 1)
		},
		"center": func(rt *runtime, v Value, a []Value, kw []KW) Value {
			s, _ := asStr(v)
			return pad(rt, s, argInt(arg(a, nil, 0, "", nil), ""), needStr(arg(a, nil, 1, "", " "), ""), 2)
		},
		"zfill": func(rt *runtime, v Value, a []Value, kw []KW) Value {
			s, _ := asStr(v)
			w := argInt(arg(a, nil, 0, "", nil), "")
			if s != "" && (s[0] == '-' || s[0] == '+') {
				return s[:1] + pad(rt, s[1:], w-1, "0", 1)
			}
			return pad(rt, s, w, "0", 1)
		},
		"format": func(rt *runtime, v Value, a []Value, kw []KW) Value {
			s, _ := asStr(v)
			return braceFormat(rt, s, a, kw)
		},
	}
	dictMethods = map[string]methodFn{
		"items": func(rt *runtime, v Value, a []Value, kw []KW) Value {
			d := v.(*Dict)
			rt.alloc(80 * len(d.k))
			l := &listV{v: make([]Value, len(d.k))}
			// one backing array for all pairs
			pairs := make([]Value, 2*len(d.k))
			ls := make([]listV, len(d.k))
			for i := range d.k {
				pairs[2*i], pairs[2*i+1] = d.k[i], d.v[i]
				ls[i] = listV{pairs[2*i : 2*i+2 : 2*i+2], true}
				l.v[i] = &ls[i]
			}
			return l
		},
		"keys": func(rt *runtime, v Value, a []Value, kw []KW) Value { return &listV{v: v.(*Dict).k} },
		"values": func(rt *runtime, v Value, a []Value, kw []KW) Value {
			return &listV{v: v.(*Dict).v}
		},
		"get": func(rt *runtime, v Value, a []Value, kw []KW) Value {
			if len(a) == 0 {
				throw("TypeError: get expected at least 1 argument, got 0")
			}
			d := v.(*Dict)
			if i := d.find(a[0]); i >= 0 {
				return d.v[i]
			}
			if len(a) > 1 {
				return a[1]
			}
			return nil
		},
		"copy": func(rt *runtime, v Value, a []Value, kw []KW) Value {
			d := v.(*Dict)
			rt.alloc(64 + 32*len(d.k))
			n := NewDict(len(d.k))
			for i := range d.k {
				n.Set(d.k[i], d.v[i])
			}
			return n
		},
	}
	for _, n := range []string{"pop", "popitem", "update", "setdefault", "clear"} {
		dictMethods[n] = unsafe(n, "dict")
	}
	tupleMethods = map[string]methodFn{
		"index": func(rt *runtime, v Value, a []Value, kw []KW) Value {
			for i, x := range v.(*listV).v {
				if equal(x, arg(a, nil, 0, "", nil)) {
					return i
				}
			}
			throw("ValueError: value is not in list")
			return nil
		},
		"count": func(rt *runtime, v Value, a []Value, kw []KW) Value {
			n := 0
			for _, x := range v.(*listV).v {
				if equal(x, arg(a, nil, 0, "", nil)) {
					n++
				}
			}
			return n
		},
	}
	listMethods = map[string]methodFn{"index": tupleMethods["index"], "count": tupleMethods["count"],
		"copy": func(rt *runtime, v Value, a []Value, kw []KW) Value {
			l := v.(*listV)
			rt.alloc(16 * len(l.v))
			return &listV{v: append([]Value(nil), l.v...)}
		}}
	for _, n := range []string{"append", "pop", "insert", "extend", "remove", "reverse", "sort", "clear"} {
		listMethods[n] = unsafe(n, "list")
	}

	tests = map[string]testFn{
		"defined":   func(_ *runtime, v Value, _ []Value) bool { _, u := v.(*undef); return !u },
		"undefined": func(_ *runtime, v Value, _ []Value) bool { _, u := v.(*undef); return u },
		"none":      func(_ *runtime, v Value, _ []Value) bool { return v == nil },
		"boolean":   func(_ *runtime, v Value, _ []Value) bool { _, ok := v.(bool); return ok },
		"true":      func(_ *runtime, v Value, _ []Value) bool { b, ok := v.(bool); return ok && b },
		"false":     func(_ *runtime, v Value, _ []Value) bool { b, ok := v.(bool); return ok && !b },
		"integer":   func(_ *runtime, v Value, _ []Value) bool { _, ok := v.(int); return ok },
		"float":     func(_ *runtime, v Value, _ []Value) bool { _, ok := v.(float64); return ok },
		"number":    func(_ *runtime, v Value, _ []Value) bool { _, ok := num(v); return ok },
		"string":    func(_ *runtime, v Value, _ []Value) bool { _, ok := asStr(v); return ok },
		"mapping":   func(_ *runtime, v Value, _ []Value) bool { _, ok := v.(*Dict); return ok },
		"iterable": func(_ *runtime, v Value, _ []Value) bool {
			switch v.(type) {
			case string, markup, *listV, *Dict, *Gen, *rangeV, *undef, *loopV:
				return true
			}
			return false
		},
		"sequence": func(_ *runtime, v Value, _ []Value) bool {
			switch v.(type) {
			case string, markup, *listV, *Dict, *rangeV, *undef:
				return true
			}
			return false
		},
		"callable": func(_ *runtime, v Value, _ []Value) bool {
			switch v.(type) {
			case *Func, *undef:
				return true
			}
			return false
		},
		"even": func(rt *runtime, v Value, _ []Value) bool { return equal(arith(rt, "%", v, 2), 0) },
		"odd":  func(rt *runtime, v Value, _ []Value) bool { return equal(arith(rt, "%", v, 2), 1) },
		"divisibleby": func(rt *runtime, v Value, a []Value) bool {
			return equal(arith(rt, "%", v, arg(a, nil, 0, "", nil)), 0)
		},
		"lower": func(rt *runtime, v Value, _ []Value) bool {
			s := strN(rt, v)
			return strMethods["islower"](rt, s, nil, nil).(bool)
		},
		"upper": func(rt *runtime, v Value, _ []Value) bool {
			s := strN(rt, v)
			return strMethods["isupper"](rt, s, nil, nil).(bool)
		},
		"escaped": func(_ *runtime, v Value, _ []Value) bool { _, ok := v.(markup); return ok },
		"in":      func(rt *runtime, v Value, a []Value) bool { return contains(rt, arg(a, nil, 0, "", nil), v) },
		"sameas": func(_ *runtime, v Value, a []Value) bool {
			w := arg(a, nil, 0, "", nil)
			switch v.(type) {
			case nil, bool:
				return v == w
			case *listV, *Dict, *Namespace, *Func:
				return v == w
			}
			return typeName(v) == typeName(w) && equal(v, w)
		},
		"filter": func(rt *runtime, v Value, _ []Value) bool { _, ok := filters[strN(rt, v)]; return ok },
		"test":   func(rt *runtime, v Value, _ []Value) bool { _, ok := tests[strN(rt, v)]; return ok },
	}
	cmp := func(op string) testFn {
		return func(rt *runtime, v Value, a []Value) bool { return compare(rt, op, v, arg(a, nil, 0, "", nil)) }
	}
	for op, ns := range map[string][]string{"==": {"==", "eq", "equalto"}, "!=": {"!=", "ne"}, "<": {"<", "lt", "lessthan"}, ">": {">", "gt", "greaterthan"}, "<=": {"<=", "le"}, ">=": {">=", "ge"}} {
		for _, n := range ns {
			tests[n] = cmp(op)
		}
	}

	one := func(f func(rt *runtime, v Value) Value) filterFn {
		return func(rt *runtime, v Value, a []Value, kw []KW) Value { return f(rt, v) }
	}
	filters = map[string]filterFn{
		"tojson": tojson,
		"length": one(func(rt *runtime, v Value) Value { return length(v) }),
		"count":  one(func(rt *runtime, v Value) Value { return length(v) }),
		"trim": func(rt *runtime, v Value, a []Value, kw []KW) Value {
			c := arg(a, kw, 0, "chars", nil)
			r := stripper(true, true)(rt, strN(rt, v), []Value{c}, nil)
			if _, ok := v.(markup); ok {
				return markup(r.(string))
			}
			return r
		},
		"string": one(func(rt *runtime, v Value) Value {
			switch v.(type) {
			case string, markup:
				return v
			}
			s := strN(rt, v)
			rt.alloc(len(s))
			return s
		}),
		"lower":      one(func(rt *runtime, v Value) Value { return strings.ToLower(strN(rt, v)) }),
		"upper":      one(func(rt *runtime, v Value) Value { return strings.ToUpper(strN(rt, v)) }),
		"capitalize": one(func(rt *runtime, v Value) Value { return pyCapitalize(strN(rt, v)) }),
		"title":      one(func(rt *runtime, v Value) Value { return jinjaTitle(strN(rt, v)) }),
		"safe":       one(func(rt *runtime, v Value) Value { return markup(strN(rt, v)) }),
		"escape": one(func(rt *runtime, v Value) Value {
			if m, ok := v.(markup); ok {
				return m
			}
			s := escapeHTML(strN(rt, v))
			rt.alloc(len(s))
			return markup(s)
		}),
		"forceescape": one(func(rt *runtime, v Value) Value { return markup(escapeHTML(strN(rt, v))) }),
		"default": func(rt *runtime, v Value, a []Value, kw []KW) Value {
			_, u := v.(*undef)
			if u || (truth(arg(a, kw, 1, "boolean", false)) && !truth(v)) {
				return arg(a, kw, 0, "default_value", "")
			}
			return v
		},
		"first": one(func(rt *runtime, v Value) Value {
			l := iterate(rt, v)
			if len(l) == 0 {
				return &undef{"No first item, sequence was empty."}
			}
			return l[0]
		}),
		"last": one(func(rt *runtime, v Value) Value {
			l := iterate(rt, v)
			if len(l) == 0 {
				return &undef{"No last item, sequence was empty."}
			}
			return l[len(l)-1]
		}),
		"list": one(func(rt *runtime, v Value) Value {
			l := iterate(rt, v)
			rt.alloc(16 * len(l))
			return &listV{v: append([]Value(nil), l...)}
		}),
		"items": one(func(rt *runtime, v Value) Value {
			switch v.(type) {
			case *undef:
				return &Gen{}
			case *Dict:
				return &Gen{v: dictMethods["items"](rt, v, nil, nil).(*listV).v}
			}
			throw("TypeError: Can only get item pairs from a mapping.")
			return nil
		}),
		"join": func(rt *runtime, v Value, a []Value, kw []KW) Value {
			d := str(arg(a, kw, 0, "d", ""))
			attr := arg(a, kw, 1, "attribute", nil)
			items := iterate(rt, v)
			parts := make([]string, len(items))
			n := 0
			for i, x := range items {
				if attr != nil {
					x = attrPath(rt, x, attr, nil, false)
				}
				parts[i] = strN(rt, x)
				n += len(parts[i]) + len(d)
				rt.checkBytes(n)
			}
			rt.alloc(n)
			return strings.Join(parts, d)
		},
		"replace": func(rt *runtime, v Value, a []Value, kw []KW) Value {
			n := -1
			if c := arg(a, kw, 2, "count", nil); c != nil {
				n = argInt(c, "count")
			}
			return pyReplace(rt, strN(rt, v), str(arg(a, kw, 0, "old", nil)), str(arg(a, kw, 1, "new", nil)), n)
		},
		"indent": func(rt *runtime, v Value, a []Value, kw []KW) Value {
			var in string
			switch w := arg(a, kw, 0, "width", 4).(type) {
			case string:
				in = w
			default:
				in = repeat(rt, " ", argInt(w, "width"))
			}
			first, blank := truth(arg(a, kw, 1, "first", false)), truth(arg(a, kw, 2, "blank", false))
			lines := pySplitLines(strN(rt, v)+"\n", false)
			var b strings.Builder
			for i, l := range lines {
				if i > 0 {
					b.WriteByte('\n')
				}
				if (i == 0 && first) || (i > 0 && (blank || l != "")) {
					b.WriteString(in)
				}
				b.WriteString(l)
				rt.checkBytes(b.Len())
			}
			rt.alloc(b.Len())
			return b.String()
		},
		"map": func(rt *runtime, v Value, a []Value, kw []KW) Value {
			if !truth(v) {
				return &Gen{}
			}
			items := iterate(rt, v)
			out := make([]Value, len(items))
			rt.alloc(16 * len(items))
			if len(a) == 0 {
				var at, def Value
				hasAt, hasDef := false, false
				for _, k := range kw {
					switch k.n {
					case "attribute":
						at, hasAt = k.v, true
					case "default":
						def, hasDef = k.v, true
					}
				}
				if !hasAt {
					throw("FilterArgumentError: map requires a filter argument")
				}
				for i, x := range items {
					rt.step()
					out[i] = attrPath(rt, x, at, def, hasDef)
				}
				return &Gen{v: out}
			}
			n := needStr(a[0], "filter name")
			f, ok := filters[n]
			if !ok {
				throw("TemplateRuntimeError: No filter named '%s' found.", n)
			}
			for i, x := range items {
				rt.step()
				out[i] = f(rt, x, a[1:], kw)
			}
			return &Gen{v: out}
		},
		"select":     selecter(true, false),
		"reject":     selecter(false, false),
		"selectattr": selecter(true, true),
		"rejectattr": selecter(false, true),
		"dictsort": func(rt *runtime, v Value, a []Value, kw []KW) Value {
			d, ok := v.(*Dict)
			if !ok {
				undefFail(v)
				throw("AttributeError: '%s' object has no attribute 'items'", typeName(v))
			}
			cs := truth(arg(a, kw, 0, "case_sensitive", false))
			pos := 0
			switch by := str(arg(a, kw, 1, "by", "key")); by {
			case "key":
			case "value":
				pos = 1
			default:
				throw("FilterArgumentError: You can only sort by either \"key\" or \"value\"")
			}
			items := dictMethods["items"](rt, d, nil, nil).(*listV).v
			return &listV{v: sortVals(rt, items, func(x Value) Value {
				k := x.(*listV).v[pos]
				if !cs {
					k = lowerKey(k)
				}
				return k
			}, truth(arg(a, kw, 2, "reverse", false)))}
		},
		"sort": func(rt *runtime, v Value, a []Value, kw []KW) Value {
			rev, cs := truth(arg(a, kw, 0, "reverse", false)), truth(arg(a, kw, 1, "case_sensitive", false))
			return &listV{v: sortVals(rt, iterate(rt, v), keyFn(rt, arg(a, kw, 2, "attribute", nil), cs), rev)}
		},
		"unique": func(rt *runtime, v Value, a []Value, kw []KW) Value {
			key := keyFn(rt, arg(a, kw, 1, "attribute", nil), truth(arg(a, kw, 0, "case_sensitive", false)))
			var out, seen []Value
			for _, x := range iterate(rt, v) {
				k := key(x)
				dup := false
				for _, s := range seen {
					rt.step()
					if equalN(rt, s, k) {
						dup = true
						break
					}
				}
				if !dup {
					seen, out = append(seen, k), append(out, x)
				}
			}
			return &Gen{v: out}
		},
		"min": minmax(false), "max": minmax(true),
		"sum": func(rt *runtime, v Value, a []Value, kw []KW) Value {
			s := arg(a, kw, 1, "start", 0)
			at := arg(a, kw, 0, "attribute", nil)
			for _, x := range iterate(rt, v) {
				rt.step()
				if at != nil {
					x = attrPath(rt, x, at, nil, false)
				}
				s = add(rt, s, x)
			}
			return s
		},
		"reverse": one(func(rt *runtime, v Value) Value {
			if s, ok := asStr(v); ok {
				return slice(rt, s, nil, nil, -1)
			}
			l := iterate(rt, v)
			out := make([]Value, len(l))
			for i, x := range l {
				out[len(l)-1-i] = x
			}
			return &Gen{v: out}
		}),
		"abs": one(func(rt *runtime, v Value) Value {
			switch x := v.(type) {
			case int:
				if x < 0 {
					return -x
				}
				return x
			case float64:
				return math.Abs(x)
			}
			throw("TypeError: bad operand type for abs(): '%s'", typeName(v))
			return nil
		}),
		"int": func(rt *runtime, v Value, a []Value, kw []KW) Value {
			def := arg(a, kw, 0, "default", 0)
			switch x := v.(type) {
			case int:
				return x
			case bool:
				n, _ := integer(x)
				return n
			case float64:
				if math.IsNaN(x) || math.IsInf(x, 0) {
					return def
				}
				return int(x)
			}
			if s, ok := asStr(v); ok {
				s = strings.TrimFunc(s, pySpace)
				base := argInt(arg(a, kw, 1, "base", 10), "base")
				if n, err := strconv.ParseInt(strings.ReplaceAll(s, "_", ""), base, 64); err == nil {
					return int(n)
				}
				if f, err := strconv.ParseFloat(s, 64); err == nil && !math.IsInf(f, 0) && !math.IsNaN(f) {
					return int(f)
				}
			}
			return def
		},
		"float": func(rt *runtime, v Value, a []Value, kw []KW) Value {
			if f, ok := num(v); ok {
				return f
			}
			if s, ok := asStr(v); ok {
				if f, err := strconv.ParseFloat(strings.TrimFunc(s, pySpace), 64); err == nil {
					return f
				}
			}
			return arg(a, kw, 0, "default", 0.0)
		},
		"round": func(rt *runtime, v Value, a []Value, kw []KW) Value {
			f, ok := num(v)
			if !ok {
				throw("TypeError: type %s doesn't define __round__ method", typeName(v))
			}
			p := argInt(arg(a, kw, 0, "precision", 0), "precision")
			m := math.Pow(10, float64(p))
			switch str(arg(a, kw, 1, "method", "common")) {
			case "ceil":
				return math.Ceil(f*m) / m
			case "floor":
				return math.Floor(f*m) / m
			}
			r, _ := strconv.ParseFloat(strconv.FormatFloat(f, 'f', max(p, 0), 64), 64)
			return r
		},
		"attr": func(rt *runtime, v Value, a []Value, kw []KW) Value {
			if _, ok := v.(*Dict); ok {
				if m := lookupMethod(v, str(a[0])); m == nil {
					return &undef{"no attribute"}
				}
			}
			return getattr(rt, v, str(a[0]))
		},
		"batch": func(rt *runtime, v Value, a []Value, kw []KW) Value {
			n := argInt(arg(a, kw, 0, "linecount", nil), "linecount")
			fill := arg(a, kw, 1, "fill_with", nil)
			var out []Value
			var cur []Value
			for _, x := range iterate(rt, v) {
				if len(cur) == n {
					out = append(out, &listV{v: cur})
					cur = nil
				}
				cur = append(cur, x)
			}
			if len(cur) > 0 {
				for fill != nil && len(cur) < n {
					rt.alloc(16)
					cur = append(cur, fill)
				}
				out = append(out, &listV{v: cur})
			}
			return &Gen{v: out}
		},
		"groupby": func(rt *runtime, v Value, a []Value, kw []KW) Value {
			at := arg(a, kw, 0, "attribute", nil)
			def := arg(a, kw, 1, "default", nil)
			key := func(x Value) Value { return attrPath(rt, x, at, def, def != nil) }
			items := sortVals(rt, iterate(rt, v), func(x Value) Value { return lowerKey(key(x)) }, false)
			var out []Value
			for _, x := range items {
				k := key(x)
				if n := len(out); n > 0 && equal(lowerKey(out[n-1].(*listV).v[0]), lowerKey(k)) {
					g := out[n-1].(*listV).v[1].(*listV)
					g.v = append(g.v, x)
					continue
				}
				out = append(out, tup(k, &listV{v: []Value{x}}))
			}
			return &listV{v: out}
		},
		"wordcount": one(func(rt *runtime, v Value) Value {
			return len(strings.FieldsFunc(strN(rt, v), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_' }))
		}),
		"center": func(rt *runtime, v Value, a []Value, kw []KW) Value {
			return pad(rt, strN(rt, v), argInt(arg(a, kw, 0, "width", 80), "width"), " ", 2)
		},
		"format": func(rt *runtime, v Value, a []Value, kw []KW) Value {
			return percentFormat(rt, strN(rt, v), &listV{a, true})
		},
		"truncate": func(rt *runtime, v Value, a []Value, kw []KW) Value {
			s := strN(rt, v)
			n := argInt(arg(a, kw, 0, "length", 255), "length")
			kill := truth(arg(a, kw, 1, "killwords", false))
			end := str(arg(a, kw, 2, "end", "..."))
			leeway := argInt(arg(a, kw, 3, "leeway", 5), "leeway")
			if strLen(s) <= n+leeway {
				return s
			}
			cut := slice(rt, s, 0, n-strLen(end), nil).(string)
			if !kill {
				if i := strings.LastIndexByte(cut, ' '); i >= 0 {
					cut = cut[:i]
				}
			}
			return cut + end
		},
	}
	filters["d"] = filters["default"]
	filters["e"] = filters["escape"]

	g := func(n string, f func(rt *runtime, a []Value, kw []KW) Value) { globals[n] = &Func{n, f} }
	globals = map[string]Value{}
	g("raise_exception", func(rt *runtime, a []Value, kw []KW) Value {
		panic(thrown{&templateError{str(arg(a, kw, 0, "message", nil))}})
	})
	g("strftime_now", func(rt *runtime, a []Value, kw []KW) Value {
		return strftime(rt.now, needStr(arg(a, kw, 0, "format", nil), "format"))
	})
	g("namespace", func(rt *runtime, a []Value, kw []KW) Value {
		rt.alloc(64)
		return &Namespace{mkDict(rt, a, kw)}
	})
	g("dict", func(rt *runtime, a []Value, kw []KW) Value { rt.alloc(64); return mkDict(rt, a, kw) })
	g("range", func(rt *runtime, a []Value, kw []KW) Value {
		r := &rangeV{step: 1}
		switch len(a) {
		case 1:
			r.stop = argInt(a[0], "")
		case 2, 3:
			r.start, r.stop = argInt(a[0], ""), argInt(a[1], "")
			if len(a) == 3 {
				r.step = argInt(a[2], "")
			}
		default:
			throw("TypeError: range expected 1 to 3 arguments, got %d", len(a))
		}
		if r.step == 0 {
			throw("ValueError: range() arg 3 must not be zero")
		}
		if n := r.len(); n > rt.lim.Range || n < 0 {
			throw("OverflowError: Range too big. The sandbox blocks ranges larger than MAX_RANGE (%d).", rt.lim.Range)
		}
		return r
	})
	g("joiner", func(rt *runtime, a []Value, kw []KW) Value {
		sep, used := str(arg(a, kw, 0, "sep", ", ")), false
		return &Func{"joiner", func(*runtime, []Value, []KW) Value {
			if !used {
				used = true
				return ""
			}
			return sep
		}}
	})
	g("cycler", func(rt *runtime, a []Value, kw []KW) Value {
		i := 0
		d := NewDict(2)
		d.Set("next", &Func{"next", func(*runtime, []Value, []KW) Value { v := a[i%len(a)]; i++; return v }})
		return &Namespace{d}
	})
}

func mkDict(rt *runtime, a []Value, kw []KW) *Dict {
	d := NewDict(len(kw) + 2)
	if len(a) > 0 {
		switch s := a[0].(type) {
		case *Dict:
			for i := range s.k {
				d.Set(s.k[i], s.v[i])
			}
			rt.alloc(32 * len(s.k))
		default:
			for _, p := range iterate(rt, s) {
				kv := iterate(rt, p)
				if len(kv) != 2 {
					throw("ValueError: dictionary update sequence element has length %d; 2 is required", len(kv))
				}
				d.Set(kv[0], kv[1])
			}
		}
	}
	for _, k := range kw {
		d.Set(k.n, k.v)
	}
	return d
}

func keyFn(rt *runtime, at Value, cs bool) func(Value) Value {
	return func(x Value) Value {
		if at != nil {
			x = attrPath(rt, x, at, nil, false)
		}
		if !cs {
			x = lowerKey(x)
		}
		return x
	}
}

func minmax(mx bool) filterFn {
	return func(rt *runtime, v Value, a []Value, kw []KW) Value {
		key := keyFn(rt, arg(a, kw, 1, "attribute", nil), truth(arg(a, kw, 0, "case_sensitive", false)))
		items := iterate(rt, v)
		if len(items) == 0 {
			return &undef{"No aggregated item, sequence was empty."}
		}
		best := items[0]
		for _, x := range items[1:] {
			rt.step()
			if (mx && less(key(best), key(x))) || (!mx && less(key(x), key(best))) {
				best = x
			}
		}
		return best
	}
}

func sm(f func(string) string) methodFn {
	return func(rt *runtime, v Value, a []Value, kw []KW) Value {
		s, _ := asStr(v)
		rt.alloc(len(s))
		return f(s)
	}
}

func bm(f func(string) bool) methodFn {
	return func(rt *runtime, v Value, a []Value, kw []KW) Value { s, _ := asStr(v); return f(s) }
}

func pyReplace(rt *runtime, s, old, new string, n int) string {
	c := strings.Count(s, old)
	if n >= 0 && n < c {
		c = n
	}
	if len(new) > len(old) {
		if c > 0 && (len(new)-len(old)) > (1<<40)/c {
			panic(thrown{&limitError{"memory"}})
		}
		rt.alloc(c * (len(new) - len(old)))
	}
	rt.alloc(len(s))
	return strings.Replace(s, old, new, n)
}

func jinjaTitle(s string) string {
	// jinja2: split on [-\s({\[<]+ keeping separators; capitalise each word
	var b strings.Builder
	start := true
	for _, r := range s {
		if r == '-' || unicode.IsSpace(r) || strings.ContainsRune("({[<", r) {
			b.WriteRune(r)
			start = true
			continue
		}
		if start {
			b.WriteRune(unicode.ToUpper(r))
		} else {
			b.WriteRune(unicode.ToLower(r))
		}
		start = false
	}
	return b.String()
}

func decode1(s string) (rune, int) {
	for _, r := range s {
		return r, len(string(r))
	}
	return 0, 1
}

// percentFormat implements the part of printf-style formatting templates use.
func percentFormat(rt *runtime, f string, v Value) Value {
	args := []Value{v}
	if l, ok := v.(*listV); ok && l.tuple {
		args = l.v
	}
	var b strings.Builder
	n := 0
	for i := 0; i < len(f); i++ {
		if f[i] != '%' {
			b.WriteByte(f[i])
			continue
		}
		j := i + 1
		for j < len(f) && strings.IndexByte("-+ 0#.123456789", f[j]) >= 0 {
			j++
		}
		if j >= len(f) {
			throw("ValueError: incomplete format")
		}
		if j-i > 12 {
			throw("ValueError: format width too large")
		}
		spec, c := f[i:j], f[j]
		i = j
		if c == '%' {
			b.WriteByte('%')
			continue
		}
		if n >= len(args) {
			throw("TypeError: not enough arguments for format string")
		}
		x := args[n]
		n++
		if w, _ := strconv.Atoi(strings.Trim(spec, "%-+ 0#.")); w > 10000 {
			throw("ValueError: format width too large")
		}
		switch c {
		case 's':
			fmt.Fprintf(&b, spec+"s", strN(rt, x))
		case 'r':
			var rb strings.Builder
			repr(&rb, x, 0)
			fmt.Fprintf(&b, spec+"s", rb.String())
		case 'd', 'i':
			g, ok := num(x)
			if !ok {
				throw("TypeError: %%d format: a real number is required, not %s", typeName(x))
			}
			fmt.Fprintf(&b, spec+"d", int(g))
		case 'x', 'X', 'o':
			fmt.Fprintf(&b, spec+string(c), argInt(x, ""))
		case 'f', 'F', 'e', 'g':
			g, ok := num(x)
			if !ok {
				throw("TypeError: must be real number, not %s", typeName(x))
			}
			fmt.Fprintf(&b, spec+string(c), g)
		default:
			throw("ValueError: unsupported format character '%c'", c)
		}
	}
	rt.alloc(b.Len())
	return b.String()
}

// braceFormat implements str.format with {}, {0}, {name}, and :spec of width/precision/type.
func braceFormat(rt *runtime, f string, args []Value, kw []KW) Value {
	var b strings.Builder
	auto := 0
	for i := 0; i < len(f); i++ {
		c := f[i]
		if c == '{' && i+1 < len(f) && f[i+1] == '{' || c == '}' && i+1 < len(f) && f[i+1] == '}' {
			b.WriteByte(c)
			i++
			continue
		}
		if c == '}' {
			throw("ValueError: Single '}' encountered in format string")
		}
		if c != '{' {
			b.WriteByte(c)
			continue
		}
		e := strings.IndexByte(f[i:], '}')
		if e < 0 {
			throw("ValueError: Single '{' encountered in format string")
		}
		field := f[i+1 : i+e]
		i += e
		name, spec, _ := strings.Cut(field, ":")
		if strings.ContainsAny(name, "!.[") {
			throw("ValueError: unsupported format field '%s'", field)
		}
		var v Value
		if name == "" {
			name = strconv.Itoa(auto)
			auto++
		}
		if n, err := strconv.Atoi(name); err == nil {
			if n < 0 || n >= len(args) {
				throw("IndexError: Replacement index %d out of range for positional args tuple", n)
			}
			v = args[n]
		} else {
			ok := false
			for _, k := range kw {
				if k.n == name {
					v, ok = k.v, true
				}
			}
			if !ok {
				throw("KeyError: '%s'", name)
			}
		}
		if spec == "" {
			b.WriteString(strN(rt, v))
			continue
		}
		if len(spec) > 8 {
			throw("ValueError: Invalid format specifier")
		}
		last := spec[len(spec)-1]
		switch {
		case last == 'd':
			fmt.Fprintf(&b, "%"+spec, argInt(v, ""))
		case last == 'f' || last == 'e' || last == 'g':
			g, _ := num(v)
			fmt.Fprintf(&b, "%"+spec, g)
		case last == 's':
			fmt.Fprintf(&b, "%-"+spec, strN(rt, v))
		default:
			if n, ok := v.(int); ok {
				fmt.Fprintf(&b, "%"+spec+"d", n)
			} else {
				fmt.Fprintf(&b, "%-"+spec+"s", strN(rt, v))
			}
		}
	}
	rt.alloc(b.Len())
	return b.String()
}

func strftime(t time.Time, f string) string {
	var b strings.Builder
	for i := 0; i < len(f); i++ {
		if f[i] != '%' || i+1 >= len(f) {
			b.WriteByte(f[i])
			continue
		}
		i++
		nopad := false
		if f[i] == '-' && i+1 < len(f) {
			nopad = true
			i++
		}
		z := func(n, w int) {
			if nopad {
				b.WriteString(strconv.Itoa(n))
			} else {
				fmt.Fprintf(&b, "%0*d", w, n)
			}
		}
		switch f[i] {
		case 'Y':
			z(t.Year(), 4)
		case 'y':
			z(t.Year()%100, 2)
		case 'm':
			z(int(t.Month()), 2)
		case 'd':
			z(t.Day(), 2)
		case 'e':
			fmt.Fprintf(&b, "%2d", t.Day())
		case 'H':
			z(t.Hour(), 2)
		case 'I':
			z((t.Hour()+11)%12+1, 2)
		case 'M':
			z(t.Minute(), 2)
		case 'S':
			z(t.Second(), 2)
		case 'f':
			z(t.Nanosecond()/1000, 6)
		case 'j':
			z(t.YearDay(), 3)
		case 'B':
			b.WriteString(t.Month().String())
		case 'b', 'h':
			b.WriteString(t.Month().String()[:3])
		case 'A':
			b.WriteString(t.Weekday().String())
		case 'a':
			b.WriteString(t.Weekday().String()[:3])
		case 'p':
			b.WriteString(t.Format("PM"))
		case 'w':
			b.WriteString(strconv.Itoa(int(t.Weekday())))
		case 'z':
			b.WriteString(t.Format("-0700"))
		case 'Z':
			b.WriteString(t.Format("MST"))
		case 'F':
			b.WriteString(t.Format("2006-01-02"))
		case 'T':
			b.WriteString(t.Format("15:04:05"))
		case 'D':
			b.WriteString(t.Format("01/02/06"))
		case '%':
			b.WriteByte('%')
		default:
			b.WriteByte('%')
			b.WriteByte(f[i])
		}
	}
	return b.String()
}
