package jinja

import (
	"fmt"
	"strings"
)

type evalFn func(f *frame) Value
type ctl int

const (
	ctlNone ctl = iota
	ctlBreak
	ctlContinue
)

type execFn func(f *frame) ctl

type unsetT struct{}

var unset Value = &unsetT{}

type frame struct {
	slots  []Value
	parent *frame
	rt     *runtime
}

type fnScope struct {
	parent *fnScope
	n      int
}

type scope struct {
	fn     *fnScope
	parent *scope
	names  map[string]int
	lo, hi int
}

func (s *scope) add(n string) int {
	if i, ok := s.names[n]; ok {
		return i
	}
	i := s.fn.n
	s.fn.n++
	s.names[n] = i
	return i
}

func newScope(parent *scope, fn *fnScope) *scope {
	return &scope{fn: fn, parent: parent, names: map[string]int{}}
}

// stores lists the names a statement list assigns in its own scope.
func stores(b []stmt, add func(string)) {
	for _, s := range b {
		switch t := s.(type) {
		case *setS:
			targetNames(t.target, add)
		case *setBlockS:
			targetNames(t.target, add)
		case *macroS:
			add(t.name)
		case *ifS:
			for _, x := range t.bodies {
				stores(x, add)
			}
			stores(t.els, add)
		}
	}
}

func targetNames(e expr, add func(string)) {
	switch t := e.(type) {
	case *nameE:
		add(t.n)
	case *listE:
		for _, x := range t.items {
			targetNames(x, add)
		}
	}
}

type prog struct {
	run   execFn
	slots int
}

func compileProgram(b []stmt) (p *prog, err error) {
	defer func() {
		if r := recover(); r != nil {
			pe, ok := r.(perr)
			if !ok {
				panic(r)
			}
			err = pe.err
		}
	}()
	fn := &fnScope{}
	sc := newScope(nil, fn)
	stores(b, func(n string) { sc.add(n) })
	run := compileBody(b, sc)
	return &prog{run, fn.n}, nil
}

func cfail(f string, a ...any) { panic(perr{fmt.Errorf(f, a...)}) }

func compileBody(b []stmt, sc *scope) execFn {
	fs := make([]execFn, 0, len(b))
	for _, s := range b {
		fs = append(fs, compileStmt(s, sc))
	}
	switch len(fs) {
	case 0:
		return func(*frame) ctl { return ctlNone }
	case 1:
		return fs[0]
	}
	return func(f *frame) ctl {
		for _, g := range fs {
			if c := g(f); c != ctlNone {
				return c
			}
		}
		return ctlNone
	}
}

// inner compiles a body in a new lexical scope of the same function.
func inner(b []stmt, parent *scope, pre ...string) (*scope, execFn) {
	sc := newScope(parent, parent.fn)
	sc.lo = parent.fn.n
	for _, n := range pre {
		sc.add(n)
	}
	stores(b, func(n string) { sc.add(n) })
	run := compileBody(b, sc)
	sc.hi = sc.lo + len(sc.names)
	return sc, run
}

func (s *scope) reset(f *frame) {
	for i := s.lo; i < s.hi; i++ {
		f.slots[i] = unset
	}
}

func compileStmt(s stmt, sc *scope) execFn {
	switch t := s.(type) {
	case *dataS:
		return func(f *frame) ctl { f.rt.write(t.s); return ctlNone }
	case *printS:
		// a printed concatenation of strings is written piecewise when safe to do so
		if b, ok := t.e.(*binE); ok && b.op == "+" {
			fs := compileAll(plusChain(b), sc)
			return func(f *frame) ctl {
				m := f.rt.push()
				for i, p := range fs {
					v := p(f)
					s, ok := v.(string)
					if !ok {
						// not a plain string: redo as a value from here on
						if i > 0 {
							// what was written so far is the left operand
							pre := f.rt.pop(m).(string)
							v = add(f.rt, pre, v)
						}
						for _, q := range fs[i+1:] {
							v = add(f.rt, v, q(f))
						}
						f.rt.writeVal(v)
						return ctlNone
					}
					f.rt.write(s)
				}
				return ctlNone
			}
		}
		e := compileExpr(t.e, sc)
		return func(f *frame) ctl { f.rt.writeVal(e(f)); return ctlNone }
	case *ifS:
		conds := make([]evalFn, len(t.conds))
		bodies := make([]execFn, len(t.bodies))
		for i := range t.conds {
			conds[i] = compileExpr(t.conds[i], sc)
			bodies[i] = compileBody(t.bodies[i], sc)
		}
		els := compileBody(t.els, sc)
		return func(f *frame) ctl {
			for i, c := range conds {
				if truth(c(f)) {
					return bodies[i](f)
				}
			}
			return els(f)
		}
	case *forS:
		return compileFor(t, sc)
	case *setS:
		e := compileExpr(t.e, sc)
		set := compileTarget(t.target, sc)
		return func(f *frame) ctl { set(f, e(f)); return ctlNone }
	case *setBlockS:
		in, run := inner(t.body, sc)
		fl := compileFilterChain(t.filters, sc)
		set := compileTarget(t.target, sc)
		return func(f *frame) ctl {
			in.reset(f)
			m := f.rt.push()
			run(f)
			v := fl(f, f.rt.pop(m))
			set(f, v)
			return ctlNone
		}
	case *filterBlockS:
		in, run := inner(t.body, sc)
		fl := compileFilterChain(t.f, sc)
		return func(f *frame) ctl {
			in.reset(f)
			m := f.rt.push()
			run(f)
			f.rt.writeVal(fl(f, f.rt.pop(m)))
			return ctlNone
		}
	case *macroS:
		mk := compileMacro(t.name, t.params, t.defaults, t.body, sc)
		set := compileTarget(&nameE{t.name}, sc)
		return func(f *frame) ctl { set(f, mk(f)); return ctlNone }
	case *callBlockS:
		mk := compileMacro("caller", t.params, t.defaults, t.body, sc)
		args := compileAll(t.call.args, sc)
		kws := compileKW(t.call.kw, sc)
		fn := compileExpr(t.call.fn, sc)
		return func(f *frame) ctl {
			c := mk(f)
			kw := append(evalKW(f, kws), KW{"caller", c})
			f.rt.writeVal(f.rt.call(fn(f), evalAll(f, args), kw))
			return ctlNone
		}
	case *withS:
		vals := compileAll(t.vals, sc)
		names := []string{}
		for _, n := range t.names {
			names = append(names, n.(*nameE).n)
		}
		in, run := inner(t.body, sc, names...)
		return func(f *frame) ctl {
			vs := evalAll(f, vals)
			in.reset(f)
			for i, n := range names {
				f.slots[in.names[n]] = vs[i]
			}
			return run(f)
		}
	case *scopeS:
		in, run := inner(t.body, sc)
		return func(f *frame) ctl { in.reset(f); return run(f) }
	case *breakS:
		return func(*frame) ctl { return ctlBreak }
	case *continueS:
		return func(*frame) ctl { return ctlContinue }
	}
	cfail("unknown statement %T", s)
	return nil
}

func compileFilterChain(fs []filterE, sc *scope) func(*frame, Value) Value {
	type one struct {
		fn   filterFn
		args []evalFn
		kws  []ckw
	}
	var cs []one
	for _, f := range fs {
		fn, ok := filters[f.n]
		if !ok {
			cfail("No filter named '%s'.", f.n)
		}
		cs = append(cs, one{fn, compileAll(f.args, sc), compileKW(f.kw, sc)})
	}
	return func(f *frame, v Value) Value {
		for _, c := range cs {
			f.rt.step()
			v = c.fn(f.rt, v, evalAll(f, c.args), evalKW(f, c.kws))
		}
		return v
	}
}

func compileTarget(e expr, sc *scope) func(*frame, Value) {
	switch t := e.(type) {
	case *nameE:
		i, ok := sc.names[t.n]
		if !ok {
			i = sc.add(t.n)
		}
		return func(f *frame, v Value) { f.slots[i] = v }
	case *attrE:
		o := compileExpr(t.e, sc)
		n := t.n
		return func(f *frame, v Value) {
			ns, ok := o(f).(*Namespace)
			if !ok {
				throw("TemplateRuntimeError: cannot assign attribute on non-namespace object")
			}
			ns.d.Set(n, v)
		}
	case *listE:
		var ts []func(*frame, Value)
		for _, x := range t.items {
			ts = append(ts, compileTarget(x, sc))
		}
		return func(f *frame, v Value) {
			if l, ok := v.(*listV); ok && len(l.v) == len(ts) {
				for i, s := range ts {
					s(f, l.v[i])
				}
				return
			}
			vs := iterate(f.rt, v)
			if len(vs) > len(ts) {
				throw("ValueError: too many values to unpack (expected %d)", len(ts))
			}
			if len(vs) < len(ts) {
				throw("ValueError: not enough values to unpack (expected %d, got %d)", len(ts), len(vs))
			}
			for i, s := range ts {
				s(f, vs[i])
			}
		}
	}
	cfail("can't assign to %T", e)
	return nil
}

func compileFor(t *forS, sc *scope) execFn {
	iter := compileExpr(t.iter, sc)
	var pre []string
	targetNames(t.target, func(n string) { pre = append(pre, n) })
	in := newScope(sc, sc.fn)
	in.lo = sc.fn.n
	for _, n := range pre {
		in.add(n)
	}
	// the loop filter sees the targets but not loop
	set := compileTarget(t.target, in)
	var cond evalFn
	if t.cond != nil {
		cond = compileExpr(t.cond, in)
	}
	loopSlot := in.add("loop")
	stores(t.body, func(n string) { in.add(n) })
	run := compileBody(t.body, in)
	in.hi = in.lo + len(in.names)
	elsSc, els := inner(t.els, sc)
	hasElse := len(t.els) > 0
	return func(f *frame) ctl {
		rt := f.rt
		items := iterate(rt, iter(f))
		if cond != nil {
			kept := make([]Value, 0, len(items))
			for _, it := range items {
				rt.step()
				in.reset(f)
				set(f, it)
				if truth(cond(f)) {
					kept = append(kept, it)
				}
			}
			items = kept
		}
		if len(items) == 0 {
			if hasElse {
				elsSc.reset(f)
				return els(f)
			}
			return ctlNone
		}
		lp := &loopV{items: items, depth0: rt.loopDepth}
		rt.loopDepth++
		for i, it := range items {
			rt.step()
			in.reset(f)
			lp.i = i
			f.slots[loopSlot] = lp
			set(f, it)
			if run(f) == ctlBreak {
				break
			}
		}
		rt.loopDepth--
		return ctlNone
	}
}

func compileMacro(name string, params []string, defaults []expr, body []stmt, sc *scope) func(*frame) *Func {
	fn := &fnScope{parent: sc.fn}
	in := newScope(sc, fn)
	for _, p := range params {
		in.add(p)
	}
	np := len(params)
	usesCaller := false
	callerSlot := -1
	// caller/varargs/kwargs become locals when named in the body
	if name != "caller" {
		callerSlot = in.add("caller")
		usesCaller = true
	}
	nd := np - len(defaults)
	dfl := make([]evalFn, len(defaults))
	for i, d := range defaults {
		dfl[i] = compileExpr(d, in)
	}
	stores(body, func(n string) { in.add(n) })
	run := compileBody(body, in)
	_ = usesCaller
	return func(df *frame) *Func {
		return &Func{name, func(rt *runtime, args []Value, kw []KW) Value {
			rt.enter()
			f := &frame{slots: make([]Value, fn.n), parent: df, rt: rt}
			for i := range f.slots {
				f.slots[i] = unset
			}
			if len(args) > np {
				throw("TypeError: macro '%s' takes not more than %d argument(s)", name, np)
			}
			copy(f.slots, args)
		kws:
			for _, k := range kw {
				for i, p := range params {
					if p == k.n {
						if i < len(args) {
							throw("TypeError: macro '%s' got multiple values for argument '%s'", name, k.n)
						}
						f.slots[i] = k.v
						continue kws
					}
				}
				if k.n == "caller" && callerSlot >= 0 {
					f.slots[callerSlot] = k.v
					continue
				}
				throw("TypeError: macro '%s' takes no keyword argument '%s'", name, k.n)
			}
			for i := range params {
				if f.slots[i] == unset {
					if i >= nd {
						f.slots[i] = dfl[i-nd](f)
					} else {
						f.slots[i] = &undef{"parameter '" + params[i] + "' was not provided"}
					}
				}
			}
			m := rt.push()
			run(f)
			rt.leave()
			return rt.pop(m)
		}}
	}
}

func compileAll(es []expr, sc *scope) []evalFn {
	out := make([]evalFn, len(es))
	for i, e := range es {
		out[i] = compileExpr(e, sc)
	}
	return out
}

type ckw struct {
	n string
	e evalFn
}

func compileKW(ks []kwE, sc *scope) []ckw {
	out := make([]ckw, len(ks))
	for i, k := range ks {
		out[i] = ckw{k.n, compileExpr(k.e, sc)}
	}
	return out
}

func evalAll(f *frame, es []evalFn) []Value {
	if len(es) == 0 {
		return nil
	}
	out := make([]Value, len(es))
	for i, e := range es {
		out[i] = e(f)
	}
	return out
}

func evalKW(f *frame, ks []ckw) []KW {
	if len(ks) == 0 {
		return nil
	}
	out := make([]KW, len(ks))
	for i, k := range ks {
		out[i] = KW{k.n, k.e(f)}
	}
	return out
}

type slotRef struct{ up, i int }

func compileName(n string, sc *scope) evalFn {
	var refs []slotRef
	up := 0
	for s := sc; s != nil; s = s.parent {
		if i, ok := s.names[n]; ok {
			refs = append(refs, slotRef{up, i})
		}
		if s.parent != nil && s.parent.fn != s.fn {
			up++
		}
	}
	miss := &undef{"'" + n + "' is undefined"}
	if len(refs) == 1 && refs[0].up == 0 {
		i := refs[0].i
		return func(f *frame) Value {
			if v := f.slots[i]; v != unset {
				return v
			}
			return f.rt.lookup(n, miss)
		}
	}
	return func(f *frame) Value {
		g, at := f, 0
		for _, r := range refs {
			for at < r.up {
				g = g.parent
				at++
			}
			if v := g.slots[r.i]; v != unset {
				return v
			}
		}
		return f.rt.lookup(n, miss)
	}
}

func compileExpr(e expr, sc *scope) evalFn {
	switch t := e.(type) {
	case *litE:
		v := t.v
		return func(*frame) Value { return v }
	case *nameE:
		return compileName(t.n, sc)
	case *attrE:
		o := compileExpr(t.e, sc)
		n := t.n
		return func(f *frame) Value { return getattr(f.rt, o(f), n) }
	case *itemE:
		o := compileExpr(t.e, sc)
		if l, ok := t.i.(*litE); ok {
			if s, ok := l.v.(string); ok {
				return func(f *frame) Value {
					v := o(f)
					if d, ok := v.(*Dict); ok {
						if i := d.findS(s); i >= 0 {
							return d.v[i]
						}
					}
					return getitem(f.rt, v, s)
				}
			}
		}
		i := compileExpr(t.i, sc)
		return func(f *frame) Value { v := o(f); return getitem(f.rt, v, i(f)) }
	case *sliceE:
		o := compileExpr(t.e, sc)
		var a, b, c evalFn
		opt := func(e expr) evalFn {
			if e == nil {
				return func(*frame) Value { return nil }
			}
			return compileExpr(e, sc)
		}
		a, b, c = opt(t.a), opt(t.b), opt(t.c)
		return func(f *frame) Value { return slice(f.rt, o(f), a(f), b(f), c(f)) }
	case *callE:
		if t.sa != nil || t.sk != nil {
			cfail("*args/**kwargs in calls are not supported")
		}
		args := compileAll(t.args, sc)
		kws := compileKW(t.kw, sc)
		if at, ok := t.fn.(*attrE); ok {
			o := compileExpr(at.e, sc)
			n := at.n
			return func(f *frame) Value {
				f.rt.step()
				recv := o(f)
				if m := lookupMethod(recv, n); m != nil {
					f.rt.workOn(recv)
					return m(f.rt, recv, evalAll(f, args), evalKW(f, kws))
				}
				fn := getattr(f.rt, recv, n)
				return f.rt.call(fn, evalAll(f, args), evalKW(f, kws))
			}
		}
		fn := compileExpr(t.fn, sc)
		return func(f *frame) Value {
			f.rt.step()
			return f.rt.call(fn(f), evalAll(f, args), evalKW(f, kws))
		}
	case *filterE:
		fn, ok := filters[t.n]
		if !ok {
			n := t.n
			return func(f *frame) Value {
				throw("TemplateRuntimeError: No filter named '%s' found.", n)
				return nil
			}
		}
		o := compileExpr(t.e, sc)
		args := compileAll(t.args, sc)
		kws := compileKW(t.kw, sc)
		return func(f *frame) Value {
			f.rt.step()
			v := o(f)
			f.rt.workOn(v)
			return fn(f.rt, v, evalAll(f, args), evalKW(f, kws))
		}
	case *testE:
		fn, ok := tests[t.n]
		if !ok {
			n := t.n
			return func(f *frame) Value {
				throw("TemplateRuntimeError: No test named '%s' found.", n)
				return nil
			}
		}
		o := compileExpr(t.e, sc)
		args := compileAll(t.args, sc)
		if len(args) == 0 {
			return func(f *frame) Value { return fn(f.rt, o(f), nil) }
		}
		return func(f *frame) Value { v := o(f); return fn(f.rt, v, evalAll(f, args)) }
	case *binE:
		l, r, op := compileExpr(t.l, sc), compileExpr(t.r, sc), t.op
		if op == "+" {
			if ps := plusChain(t); len(ps) > 2 {
				fs := compileAll(ps, sc)
				return func(f *frame) Value { return evalChain(f, fs) }
			}
			return func(f *frame) Value {
				a := l(f)
				b := r(f)
				if x, ok := a.(string); ok {
					if y, ok := b.(string); ok {
						f.rt.alloc(len(x) + len(y))
						return x + y
					}
				}
				return add(f.rt, a, b)
			}
		}
		return func(f *frame) Value { a := l(f); return arith(f.rt, op, a, r(f)) }
	case *cmpE:
		first := compileExpr(t.first, sc)
		rest := compileAll(t.rest, sc)
		ops := t.ops
		if len(ops) == 1 {
			r := rest[0]
			switch ops[0] {
			case "==":
				return func(f *frame) Value { a := first(f); f.rt.workOn(a); return equalN(f.rt, a, r(f)) }
			case "!=":
				return func(f *frame) Value { a := first(f); f.rt.workOn(a); return !equalN(f.rt, a, r(f)) }
			}
		}
		return func(f *frame) Value {
			a := first(f)
			for i, op := range ops {
				b := rest[i](f)
				f.rt.workOn(a)
				f.rt.workOn(b)
				if !compare(f.rt, op, a, b) {
					return false
				}
				a = b
			}
			return true
		}
	case *andE:
		l, r := compileExpr(t.l, sc), compileExpr(t.r, sc)
		return func(f *frame) Value {
			if v := l(f); !truth(v) {
				return v
			}
			return r(f)
		}
	case *orE:
		l, r := compileExpr(t.l, sc), compileExpr(t.r, sc)
		return func(f *frame) Value {
			if v := l(f); truth(v) {
				return v
			}
			return r(f)
		}
	case *notE:
		o := compileExpr(t.e, sc)
		return func(f *frame) Value { return !truth(o(f)) }
	case *negE:
		o := compileExpr(t.e, sc)
		return func(f *frame) Value {
			switch x := o(f).(type) {
			case int:
				return -x
			case float64:
				return -x
			case bool:
				n, _ := integer(x)
				return -n
			case *undef:
				throw("UndefinedError: %s", x.msg)
			default:
				throw("TypeError: bad operand type for unary -: '%s'", typeName(x))
			}
			return nil
		}
	case *posE:
		return compileExpr(t.e, sc)
	case *condE:
		c, a := compileExpr(t.c, sc), compileExpr(t.t, sc)
		b := func(*frame) Value {
			return &undef{"the inline if-expression evaluated to false and no else section was defined."}
		}
		if t.e != nil {
			b = compileExpr(t.e, sc)
		}
		return func(f *frame) Value {
			if truth(c(f)) {
				return a(f)
			}
			return b(f)
		}
	case *listE:
		items := compileAll(t.items, sc)
		tuple := t.tuple
		return func(f *frame) Value {
			f.rt.alloc(32 + 16*len(items))
			return &listV{evalAll(f, items), tuple}
		}
	case *dictE:
		ks, vs := compileAll(t.k, sc), compileAll(t.v, sc)
		return func(f *frame) Value {
			f.rt.alloc(64 + 32*len(ks))
			d := NewDict(len(ks))
			for i := range ks {
				k := ks[i](f)
				switch k.(type) {
				case *listV:
					if !k.(*listV).tuple {
						throw("TypeError: unhashable type: 'list'")
					}
				case *Dict:
					throw("TypeError: unhashable type: 'dict'")
				}
				d.Set(k, vs[i](f))
			}
			return d
		}
	case *concatE: // autoescape is off: str_join, never escapes
		ps := compileAll(t.parts, sc)
		return func(f *frame) Value {
			var buf [4]string
			ss := buf[:0]
			n := 0
			for _, p := range ps {
				s := strN(f.rt, p(f))
				n += len(s)
				ss = append(ss, s)
			}
			f.rt.alloc(n)
			return strings.Join(ss, "")
		}
	}
	cfail("unknown expression %T", e)
	return nil
}

// plusChain flattens ((a+b)+c)+d.
func plusChain(b *binE) []expr {
	if l, ok := b.l.(*binE); ok && l.op == "+" {
		return append(plusChain(l), b.r)
	}
	return []expr{b.l, b.r}
}

func evalChain(f *frame, fs []evalFn) Value {
	var buf [8]string
	ss := buf[:0]
	n := 0
	for i, p := range fs {
		v := p(f)
		s, ok := v.(string)
		if !ok {
			if i > 0 {
				v = add(f.rt, strings.Join(ss, ""), v)
			}
			for _, q := range fs[i+1:] {
				v = add(f.rt, v, q(f))
			}
			return v
		}
		ss = append(ss, s)
		n += len(s)
	}
	f.rt.alloc(n)
	return strings.Join(ss, "")
}

func (rt *runtime) workOn(v Value) {
	switch t := v.(type) {
	case string:
		rt.work(len(t))
	case markup:
		rt.work(len(t))
	case *listV:
		rt.work(8 * len(t.v))
	}
}
