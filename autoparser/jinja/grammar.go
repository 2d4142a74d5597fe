package jinja

import (
	"strings"

	"github.com/nikolalohinski/gonja/v2/tokens"
)

// The grammar of expressions, from the weakest operator to the strongest. It is Jinja2's, rule by rule.

// expression reads an expression that may be conditional.
func (r *reader) expression() node {
	r.enter()
	defer r.leave(r.p.links)
	at := r.here()
	e := r.or()
	for r.acceptWord("if") {
		r.p.link(r.at)
		n := &conditional{place: at, then: e, test: r.or()}
		if r.acceptWord("else") {
			n.otherwise = r.expression()
		}
		e, at = n, r.here()
	}
	return e
}

// plain reads an expression where an if would mean something else.
func (r *reader) plain() node {
	r.enter()
	defer r.leave(r.p.links)
	return r.or()
}

func (r *reader) or() node {
	e := r.and()
	for at := r.here(); r.acceptWord("or"); at = r.here() {
		r.p.link(r.at)
		e = &logical{at, "or", e, r.and()}
	}
	return e
}

func (r *reader) and() node {
	e := r.not()
	for at := r.here(); r.acceptWord("and"); at = r.here() {
		r.p.link(r.at)
		e = &logical{at, "and", e, r.not()}
	}
	return e
}

func (r *reader) not() node {
	at := r.here()
	if !r.acceptWord("not") {
		return r.comparison()
	}
	r.enter()
	defer r.leave(r.p.links)
	return &unary{at, "not", r.not()}
}

func (r *reader) comparison() node {
	first := r.sum()
	at := r.here()
	op := r.comparator()
	if op == "" {
		return first
	}
	n := &comparison{place: at, first: first}
	for ; op != ""; op = r.comparator() {
		n.ops = append(n.ops, op)
		n.rest = append(n.rest, r.sum())
	}
	return n
}

// comparator reads a comparing operator, or nothing.
func (r *reader) comparator() string {
	switch {
	case r.is(tokens.Equals), r.is(tokens.Ne), r.is(tokens.LowerThan), r.is(tokens.LowerThanOrEqual),
		r.is(tokens.GreaterThan), r.is(tokens.GreaterThanOrEqual), r.word("in"):
		return r.next()
	case r.word("not"):
		if n := r.tokens.Peek(); n != nil && n.Val == "in" && named(n) {
			r.next()
			r.next()
			return "not in"
		}
	}
	return ""
}

func (r *reader) sum() node {
	e := r.concatenation()
	for r.is(tokens.Addition) || r.is(tokens.Subtraction) {
		r.p.link(r.at)
		at := r.here()
		e = &binary{at, r.next(), e, r.concatenation()}
	}
	return e
}

func (r *reader) concatenation() node {
	at, first := r.here(), r.product()
	if !r.is(tokens.Tilde) {
		return first
	}
	n := &concatenation{at, []node{first}}
	for r.accept(tokens.Tilde) {
		n.parts = append(n.parts, r.product())
	}
	return n
}

func (r *reader) product() node {
	e := r.power()
	for r.is(tokens.Multiply) || r.is(tokens.Division) || r.is(tokens.FloorDivision) || r.is(tokens.Modulo) {
		r.p.link(r.at)
		at := r.here()
		e = &binary{at, r.next(), e, r.power()}
	}
	return e
}

// power associates to the left, unlike Python's.
func (r *reader) power() node {
	e := r.filtered()
	for r.is(tokens.Power) {
		r.p.link(r.at)
		at := r.here()
		e = &binary{at, r.next(), e, r.filtered()}
	}
	return e
}

// filtered reads an operand with its filters and tests.
func (r *reader) filtered() node {
	r.enter()
	defer r.leave(r.p.links)
	e := r.signed()
	for {
		at := r.here()
		r.p.link(r.at)
		switch {
		case r.accept(tokens.Pipe):
			e = r.filter(at, e)
		case r.acceptWord("is"):
			e = r.test(at, e)
		case r.is(tokens.LeftParenthesis):
			e = &call{at, e, r.arguments()}
		default:
			return e
		}
	}
}

// signed reads an operand with its signs, subscripts and calls.
func (r *reader) signed() node {
	at := r.here()
	for _, sign := range []tokens.Type{tokens.Subtraction, tokens.Addition} {
		if r.is(sign) {
			r.enter()
			defer r.leave(r.p.links)
			return r.postfix(&unary{at, r.next(), r.signed()})
		}
	}
	return r.postfix(r.primary())
}

func (r *reader) primary() node {
	at := r.here()
	if v, ok := r.literal(); ok {
		return r.literals(at, v)
	}
	switch {
	case r.isName():
		return nameOrConstant(at, r.next())
	case r.accept(tokens.LeftParenthesis):
		e := r.tuple(r.expression, func() bool { return r.is(tokens.RightParenthesis) }, true)
		r.expect(tokens.RightParenthesis, ")")
		return e
	case r.accept(tokens.LeftBracket):
		l := &listOf{place: at}
		r.sequence(tokens.RightBracket, "]", func() { l.items = append(l.items, r.expression()) })
		return l
	case r.accept(tokens.LeftBrace):
		o := &objectOf{place: at}
		r.sequence(tokens.RightBrace, "}", func() {
			o.keys = append(o.keys, r.expression())
			r.expect(tokens.Colon, ":")
			o.values = append(o.values, r.expression())
		})
		return o
	}
	reject(r.at, "unexpected '%s'", r.spelling())
	return nil
}

// literals reads a literal; strings next to each other are one.
func (r *reader) literals(at place, v Value) node {
	r.next()
	first, ok := v.(text)
	if !ok {
		return &literal{at, v}
	}
	parts := []string{string(first)}
	for {
		v, _ := r.literal()
		t, ok := v.(text)
		if !ok {
			return &literal{at, text(strings.Join(parts, ""))}
		}
		parts = append(parts, string(t))
		r.next()
	}
}

func nameOrConstant(at place, id string) node {
	switch id {
	case "true", "True":
		return &literal{at, yes}
	case "false", "False":
		return &literal{at, no}
	case "none", "None":
		return &literal{at, none{}}
	}
	return &name{at, id}
}

// sequence reads elements with commas between them, and the closing bracket. The last comma may hang.
func (r *reader) sequence(closer tokens.Type, spelling string, element func()) {
	for first := true; !r.is(closer); first = false {
		if !first {
			r.expect(tokens.Comma, ",")
		}
		if r.is(closer) {
			break
		}
		element()
	}
	r.expect(closer, spelling)
}

// tuple reads one expression, or several with commas between them, up to where stop holds. In parentheses there may be
// none at all.
func (r *reader) tuple(element func() node, stop func() bool, parenthesised bool) node {
	at := r.here()
	finished := func() bool { return r.end() || r.is(tokens.RightParenthesis) || stop() }
	if finished() {
		if !parenthesised {
			reject(r.at, "Expected an expression, got '%s'", r.spelling())
		}
		return &listOf{place: at, tuple: true}
	}
	first := element()
	if !r.is(tokens.Comma) {
		return first
	}
	t := &listOf{at, []node{first}, true}
	for r.accept(tokens.Comma) && !finished() {
		t.items = append(t.items, element())
	}
	return t
}

func (r *reader) postfix(e node) node {
	for {
		at := r.here()
		r.p.link(r.at)
		switch {
		case r.accept(tokens.Dot):
			e = r.dotted(at, e)
		case r.accept(tokens.LeftBracket):
			e = r.subscript(at, e)
		case r.is(tokens.LeftParenthesis):
			e = &call{at, e, r.arguments()}
		default:
			return e
		}
	}
}

// dotted reads what follows a dot: a name, or a position.
func (r *reader) dotted(at place, of node) node {
	if v, ok := r.literal(); ok {
		if _, ok := wide(v); ok {
			r.next()
			return &elementOf{at, of, &literal{at, v}}
		}
	}
	if !r.isName() {
		reject(r.at, "expected name or number, got '%s'", r.spelling())
	}
	return &attributeOf{at, of, r.next()}
}

// subscript reads what stands in brackets: a key, a slice, or several, which make a tuple.
func (r *reader) subscript(at place, of node) node {
	var keys []node
	for !r.is(tokens.RightBracket) {
		if len(keys) > 0 {
			r.expect(tokens.Comma, ",")
		}
		keys = append(keys, r.subscribed(at, of))
	}
	r.expect(tokens.RightBracket, "]")
	if len(keys) != 1 {
		for _, k := range keys {
			if _, ok := k.(*sliceOf); ok {
				reject(int(at), "slices cannot stand beside other subscripts")
			}
		}
		return &elementOf{at, of, &listOf{place: at, items: keys, tuple: true}}
	}
	if s, ok := keys[0].(*sliceOf); ok && s.of == of {
		return s
	}
	return &elementOf{at, of, keys[0]}
}

func (r *reader) subscribed(at place, of node) node {
	s := &sliceOf{place: at, of: of}
	if !r.is(tokens.Colon) {
		e := r.expression()
		if !r.is(tokens.Colon) {
			return e
		}
		s.start = e
	}
	r.next()
	bound := func() node {
		if r.is(tokens.Colon) || r.is(tokens.RightBracket) || r.is(tokens.Comma) {
			return nil
		}
		return r.expression()
	}
	s.stop = bound()
	if r.accept(tokens.Colon) {
		s.step = bound()
	}
	return s
}

// filter reads a filter after its bar.
func (r *reader) filter(at place, of node) node {
	f := &filter{place: at, of: of, id: r.qualified()}
	if r.is(tokens.LeftParenthesis) {
		f.args = r.arguments()
	}
	return f
}

// qualified reads a name with dots in it.
func (r *reader) qualified() string {
	id := r.name()
	for r.accept(tokens.Dot) {
		id += "." + r.name()
	}
	return id
}

// test reads a test after is.
func (r *reader) test(at place, of node) node {
	negated := r.acceptWord("not")
	t := &test{place: at, of: of, id: r.qualified()}
	switch {
	case r.is(tokens.LeftParenthesis):
		t.args = r.arguments()
	case r.word("is"):
		reject(r.at, "You cannot chain multiple tests with is")
	case r.beginsArgument():
		t.args.values = []node{r.postfix(r.primary())}
	}
	if negated {
		return &unary{at, "not", t}
	}
	return t
}

// beginsArgument reports whether the current token begins an argument without parentheses: x is divisibleby 3.
func (r *reader) beginsArgument() bool {
	_, literal := r.literal()
	return literal || r.is(tokens.LeftBracket) || r.is(tokens.LeftBrace) ||
		r.isName() && !r.word("else") && !r.word("or") && !r.word("and")
}

// arguments reads the arguments of a call, from its parenthesis on.
func (r *reader) arguments() callArguments {
	at := r.at
	r.expect(tokens.LeftParenthesis, "(")
	var a callArguments
	allowed := func(ok bool) {
		if !ok {
			reject(at, "invalid syntax for function call expression")
		}
	}
	r.sequence(tokens.RightParenthesis, ")", func() {
		switch {
		case r.is(tokens.Multiply):
			allowed(a.spread == nil && a.more == nil)
			r.next()
			a.spread = r.expression()
		case r.is(tokens.Power):
			allowed(a.more == nil)
			r.next()
			a.more = r.expression()
		case r.isName() && r.follows(tokens.Assign):
			allowed(a.more == nil)
			a.named(r)
		default:
			allowed(a.spread == nil && a.more == nil && len(a.names) == 0)
			a.values = append(a.values, r.expression())
		}
	})
	return a
}

// named reads name=value.
func (a *callArguments) named(r *reader) {
	at, id := r.at, r.next()
	for _, n := range a.names {
		if n == id {
			rejectAs("SyntaxError", at, "keyword argument repeated: %s", id)
		}
	}
	r.next()
	a.names = append(a.names, id)
	a.values = append(a.values, r.expression())
}
