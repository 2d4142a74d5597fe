package jinja

import (
	"fmt"
	"slices"
	"strings"
)

func (c *compiler) expressions(nodes []node, s *scope) []expr {
	out := make([]expr, len(nodes))
	for i, n := range nodes {
		out[i] = c.expression(n, s)
	}
	return out
}

// optional compiles a part that may be absent, which is None.
func (c *compiler) optional(n node, s *scope) expr {
	if n == nil {
		return func(*frame) Value { return none{} }
	}
	return c.expression(n, s)
}

func (c *compiler) expression(n node, s *scope) expr {
	switch n := n.(type) {
	case *literal:
		return func(*frame) Value { return n.value }
	case *slotOf:
		return func(f *frame) Value { return f.slots[n.slot] }
	case *name:
		return c.name(n, s)
	case *attributeOf:
		return c.attribute(n, s)
	case *elementOf:
		return c.element(n, s)
	case *sliceOf:
		return c.slice(n, s)
	case *call:
		invoke := c.call(n, s, false)
		return func(f *frame) Value { return invoke(f, binding{}) }
	case *filter:
		return c.filter(n, s)
	case *test:
		return c.test(n, s)
	case *binary:
		return c.binary(n, s)
	case *comparison:
		return c.comparison(n, s)
	case *logical:
		return c.logical(n, s)
	case *unary:
		return c.unary(n, s)
	case *conditional:
		return c.conditional(n, s)
	case *listOf:
		return c.list(n, s)
	case *objectOf:
		return c.object(n, s)
	}
	return c.concatenation(n.(*concatenation), s)
}

func (c *compiler) name(n *name, s *scope) expr {
	read := c.reader(n.offset(), s, n.id)
	return func(f *frame) Value {
		if v := read(f); v != nil {
			return v
		}
		return &undefined{name: text(n.id)}
	}
}

func (c *compiler) attribute(n *attributeOf, s *scope) expr {
	of := c.expression(n.of, s)
	method := c.lib.methods["dict"][n.id] != nil || strings.HasPrefix(n.id, "__")
	id := Value(text(n.id))
	missing := &undefined{of: &Object{}, name: id}
	return func(f *frame) Value {
		v := of(f)
		if o, ok := v.(*Object); ok && !method { // by far the most frequent
			if i := o.findText(n.id); i >= 0 {
				return o.values[i]
			}
			return missing
		}
		f.r.at = n.offset()
		if x := f.r.lookUp(v, n.id); x != nil {
			return x
		}
		return &undefined{of: v, name: id}
	}
}

func (c *compiler) element(n *elementOf, s *scope) expr {
	of, key := c.expression(n.of, s), c.expression(n.key, s)
	return func(f *frame) Value {
		v, k := of(f), key(f)
		if o, ok := v.(*Object); ok {
			if id, ok := k.(text); ok {
				if i := o.findText(string(id)); i >= 0 {
					return o.values[i]
				}
			}
		}
		f.r.at = n.offset()
		return f.r.element(v, k)
	}
}

func (c *compiler) slice(n *sliceOf, s *scope) expr {
	of := c.expression(n.of, s)
	start, stop, step := c.optional(n.start, s), c.optional(n.stop, s), c.optional(n.step, s)
	return func(f *frame) Value {
		v, a, b, by := of(f), start(f), stop(f), step(f)
		f.r.at = n.offset()
		return f.r.slice(v, a, b, by)
	}
}

// arguments compiles the arguments of a call, in the order in which Python evaluates them.
func (c *compiler) arguments(a *callArguments, s *scope) func(*frame) arguments {
	if len(a.values) == 0 && a.spread == nil && a.more == nil {
		return func(*frame) arguments { return arguments{} }
	}
	values, n := c.expressions(a.values, s), a.positional()
	spread, more := c.optional(a.spread, s), c.optional(a.more, s)
	return func(f *frame) arguments {
		var out arguments
		if n > 0 {
			out.values = make([]Value, n)
		}
		for i := range n {
			out.values[i] = values[i](f)
		}
		if len(a.names) > 0 {
			out.named = make([]binding, len(a.names))
		}
		for i, id := range a.names {
			out.named[i] = binding{id, values[n+i](f)}
		}
		if a.spread != nil {
			out.values = append(out.values, f.r.collect(spread(f))...)
		}
		if a.more != nil {
			out.spread(f.r, more(f))
		}
		return out
	}
}

// boundArguments compiles the arguments of a builtin that is known, so that they need no binding when it runs. What cannot
// be bound now, or not at all, is left to then.
func (c *compiler) boundArguments(b *builtin, a *callArguments, s *scope) func(*frame) arguments {
	if b == nil || len(a.names) == 0 || a.spread != nil || a.more != nil || b.variadic || b.keywords {
		return c.arguments(a, s)
	}
	values, places := c.expressions(a.values, s), make([]int, len(a.values))
	bound := make([]Value, len(b.params))
	for i, p := range b.params {
		bound[i] = p.fallback
	}
	taken := map[int]bool{}
	for i := range places {
		if places[i] = i; i >= a.positional() {
			places[i] = b.place(a.names[i-a.positional()])
		}
		if places[i] < 0 || places[i] >= len(bound) || taken[places[i]] {
			return c.arguments(a, s)
		}
		taken[places[i]] = true
	}
	for i := range bound {
		if bound[i] == nil && !taken[i] {
			return c.arguments(a, s)
		}
	}
	return func(f *frame) arguments {
		out := slices.Clone(bound)
		for i, place := range places {
			out[place] = values[i](f)
		}
		return arguments{values: out}
	}
}

// spread adds **v.
func (a *arguments) spread(r *render, v Value) {
	o, ok := v.(*Object)
	if !ok {
		mustExist(v)
		throw("TypeError", "argument after ** must be a mapping, not %s", v.class())
	}
	for i, k := range o.keys {
		id := needText(k, "keywords")
		for _, n := range a.named {
			if n.name == id {
				throw("TypeError", "got multiple values for keyword argument '%s'", id)
			}
		}
		r.grow(32)
		a.named = append(a.named, binding{id, o.values[i]})
	}
}

// call compiles a call. The extra argument of the result, if it has a name, is passed too.
func (c *compiler) call(n *call, s *scope, forward bool) func(*frame, binding) Value {
	args := c.arguments(&n.args, s)
	collected := func(f *frame, extra binding) arguments {
		a := args(f)
		if forward {
			a.named = append(a.named, extra)
		}
		return a
	}
	if of, ok := n.of.(*attributeOf); ok {
		return c.callMethod(n, of, collected, s)
	}
	of := c.expression(n.of, s)
	return func(f *frame, extra binding) Value {
		v := of(f)
		a := collected(f, extra)
		f.r.at = n.offset()
		return f.r.call(v, a)
	}
}

// callMethod compiles x.id(…), without making the bound method where it can.
func (c *compiler) callMethod(n *call, of *attributeOf, args func(*frame, binding) arguments, s *scope) func(*frame, binding) Value {
	object := c.expression(of.of, s)
	pick := c.lib.picker(of.id)
	return func(f *frame, extra binding) Value {
		v := object(f)
		f.r.at = n.offset()
		if m := pick(v); m != nil && m.refused == "" && (!m.changes || changeable(v)) {
			f.r.charge(1)
			a := args(f, extra)
			f.r.at = n.offset()
			return m.apply(f.r, of.id, v, a)
		}
		method := f.r.attribute(v, of.id)
		a := args(f, extra)
		f.r.at = n.offset()
		return f.r.call(method, a)
	}
}

// picker returns the function that finds the method of a name for a value.
func (l *library) picker(id string) func(Value) *builtin {
	ofStr, ofDict, ofList := l.methods["str"][id], l.methods["dict"][id], l.methods["list"][id]
	return func(v Value) *builtin {
		switch v := v.(type) {
		case text:
			return ofStr
		case *Object:
			return ofDict
		case *list:
			if !v.tuple {
				return ofList
			}
		case *namespace, *loop, *undefined:
			return nil
		}
		return l.methods[v.class()][id]
	}
}

// call is v(…).
func (r *render) call(v Value, a arguments) Value {
	r.charge(1)
	switch v := v.(type) {
	case *function:
		return v.call(r, a)
	case *loop:
		return v.recurse(r, a)
	case *undefined:
		v.raise()
	}
	throw("TypeError", "'%s' object is not callable", v.class())
	return nil
}

func (c *compiler) filter(n *filter, s *scope) expr {
	f := c.lib.filters[n.id]
	c.mustBeKnown(n.offset(), "filter", n.id, f)
	of, args := c.expression(n.of, s), c.boundArguments(f, &n.args, s)
	return func(fr *frame) Value {
		v, a := of(fr), args(fr)
		fr.r.charge(1)
		fr.r.at = n.offset()
		if f == nil {
			fr.r.filter(n.id)
		}
		return f.apply(fr.r, n.id, v, a)
	}
}

func (c *compiler) test(n *test, s *scope) expr {
	t := c.lib.tests[n.id]
	c.mustBeKnown(n.offset(), "test", n.id, t)
	of, args := c.expression(n.of, s), c.boundArguments(t, &n.args, s)
	return func(f *frame) Value {
		v, a := of(f), args(f)
		f.r.charge(1)
		f.r.at = n.offset()
		if t == nil {
			f.r.test(n.id)
		}
		return t.apply(f.r, n.id, v, a)
	}
}

func (c *compiler) mustBeKnown(at int, what, id string, b *builtin) {
	if b == nil && !c.soft {
		panic(&failure{kind: Syntax, class: "TemplateAssertionError", message: "No " + what + " named " + quote(id) + ".", at: at})
	}
	if b != nil && b.refused != "" {
		reject(at, "the %s %s is not supported: %s", what, id, b.refused)
	}
}

func (c *compiler) binary(n *binary, s *scope) expr {
	if parts := sumOf(n); len(parts) > 2 {
		return c.sum(parts, s, n.offset())
	}
	left, right := c.expression(n.left, s), c.expression(n.right, s)
	return func(f *frame) Value {
		a, b := left(f), right(f)
		f.r.charge(1)
		f.r.at = n.offset()
		return f.r.binary(n.op, a, b)
	}
}

// sumOf flattens a + b + c.
func sumOf(n *binary) []node {
	if n.op != "+" {
		return nil
	}
	if left, ok := n.left.(*binary); ok && left.op == "+" {
		return append(sumOf(left), n.right)
	}
	return []node{n.left, n.right}
}

// sum adds from left to right; the strings at its start are joined in one go.
func (c *compiler) sum(nodes []node, s *scope, at int) expr {
	add := c.pieces(nodes, s, at)
	return func(f *frame) Value {
		mark, total := add(f)
		if total == nil {
			return text(f.r.joined(mark))
		}
		return total
	}
}

// pieces compiles a sum. If all its parts are strings it leaves them, unjoined, above a mark in the scratch of the
// rendering; otherwise it returns the total.
func (c *compiler) pieces(nodes []node, s *scope, at int) func(*frame) (mark int, total Value) {
	parts := c.expressions(nodes, s)
	return func(f *frame) (mark int, total Value) {
		r := f.r
		mark = len(r.scratch)
		for i, part := range parts {
			v := part(f)
			r.at = at
			r.charge(1)
			t, ok := v.(text)
			switch {
			case ok && total == nil:
				r.scratch = append(r.scratch, string(t))
			case i == 0:
				total = v
			case total == nil:
				total = r.binary("+", text(r.joined(mark)), v)
			default:
				total = r.binary("+", total, v)
			}
		}
		return mark, total
	}
}

func (c *compiler) comparison(n *comparison, s *scope) expr {
	first, rest := c.expression(n.first, s), make([]expr, len(n.rest))
	for i, op := range n.ops {
		rest[i] = c.operand(op, n.rest[i], s)
	}
	if len(rest) == 1 {
		op, second := n.ops[0], rest[0]
		if op == "==" || op == "!=" {
			return c.equality(n.offset(), op == "==", first, second)
		}
		return func(f *frame) Value {
			a, b := first(f), second(f)
			f.r.charge(1)
			f.r.at = n.offset()
			return boolean(f.r.relate(op, a, b))
		}
	}
	return func(f *frame) Value {
		a := first(f)
		for i, op := range n.ops {
			b := rest[i](f)
			f.r.charge(1)
			f.r.at = n.offset()
			if !f.r.relate(op, a, b) {
				return no
			}
			a = b
		}
		return yes
	}
}

// equality compiles == and !=, mostly of strings.
func (c *compiler) equality(at int, want bool, first, second expr) expr {
	return func(f *frame) Value {
		a, b := first(f), second(f)
		f.r.charge(1)
		if x, ok := a.(text); ok {
			if y, ok := b.(text); ok {
				return boolean((x == y) == want)
			}
		}
		f.r.at = at
		return boolean(f.r.equal(a, b) == want)
	}
}

// operand compiles the right side of a comparison. A list of constants that something is looked for in is made once.
func (c *compiler) operand(op string, n node, s *scope) expr {
	l, ok := n.(*listOf)
	if !ok || op != "in" && op != "not in" {
		return c.expression(n, s)
	}
	constants := &list{tuple: l.tuple}
	for _, item := range l.items {
		constant, ok := item.(*literal)
		if !ok {
			return c.expression(n, s)
		}
		constants.items = append(constants.items, constant.value)
	}
	return func(*frame) Value { return constants }
}

func (c *compiler) logical(n *logical, s *scope) expr {
	left, right := c.expression(n.left, s), c.expression(n.right, s)
	goOn := n.op == "and"
	return func(f *frame) Value {
		if v := left(f); truth(v) != goOn {
			return v
		}
		return right(f)
	}
}

func (c *compiler) unary(n *unary, s *scope) expr {
	if l, ok := n.of.(*literal); ok && n.op == "-" && isNumber(l.value) {
		v := negative(l.value)
		return func(*frame) Value { return v }
	}
	of := c.expression(n.of, s)
	apply := negative
	switch n.op {
	case "not":
		return func(f *frame) Value { return boolean(!truth(of(f))) }
	case "+":
		apply = positive
	}
	return func(f *frame) Value {
		v := of(f)
		f.r.at = n.offset()
		return apply(v)
	}
}

func (c *compiler) conditional(n *conditional, s *scope) expr {
	defer c.softly()()
	then, test := c.expression(n.then, s), c.expression(n.test, s)
	line := strings.Count(c.source[:n.offset()], "\n") + 1
	otherwise := func(*frame) Value {
		return &undefined{hint: fmt.Sprintf("the inline if-expression on line %d evaluated to false and no else section was defined.", line)}
	}
	if n.otherwise != nil {
		otherwise = c.expression(n.otherwise, s)
	}
	return func(f *frame) Value {
		if truth(test(f)) {
			return then(f)
		}
		return otherwise(f)
	}
}

func (c *compiler) list(n *listOf, s *scope) expr {
	items := c.expressions(n.items, s)
	return func(f *frame) Value {
		l := f.r.made(make([]Value, len(items)))
		l.tuple = n.tuple
		for i, item := range items {
			l.items[i] = item(f)
		}
		return l
	}
}

func (c *compiler) object(n *objectOf, s *scope) expr {
	keys, values := c.expressions(n.keys, s), c.expressions(n.values, s)
	return func(f *frame) Value {
		o := newObject(f.r, len(keys))
		for i := range keys {
			k, v := keys[i](f), values[i](f)
			f.r.at = n.offset()
			o.put(f.r, k, v)
		}
		return o
	}
}

// concatenation is ~, which joins what its parts print.
func (c *compiler) concatenation(n *concatenation, s *scope) expr {
	parts := c.expressions(n.parts, s)
	return func(f *frame) Value {
		mark := len(f.r.scratch)
		for _, part := range parts {
			v := part(f)
			f.r.at = n.offset()
			f.r.scratch = append(f.r.scratch, f.r.str(v))
		}
		return text(f.r.joined(mark))
	}
}
