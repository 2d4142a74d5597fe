package jinja

import "github.com/nikolalohinski/gonja/v2/tokens"

// postfix reads attributes, subscripts and calls.
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
	if r.is(tokens.Integer) {
		key := &literal{at, r.literal()}
		r.next()
		return &elementOf{at, of, key}
	}
	if !r.isName() {
		reject(r.at, "expected name or number, got '%s'", r.spelling())
	}
	return &attributeOf{at, of, r.next()}
}

// subscript reads what stands in brackets: a key, a slice, or several, which make a tuple.
func (r *reader) subscript(at place, of node) node {
	var first node
	if !r.is(tokens.RightBracket) {
		first = r.subscribed(at, of)
	}
	if first != nil && r.accept(tokens.RightBracket) {
		if s, ok := first.(*sliceOf); ok && s.of == of {
			return s
		}
		return &elementOf{at, of, first}
	}
	return r.subscripts(at, of, first)
}

// subscripts reads the subscripts after the first, if there is one.
func (r *reader) subscripts(at place, of, first node) node {
	var keys []node
	if first != nil {
		keys = append(keys, first)
	}
	for !r.is(tokens.RightBracket) {
		if len(keys) > 0 {
			r.expect(tokens.Comma, ",")
		}
		keys = append(keys, r.subscribed(at, of))
	}
	r.expect(tokens.RightBracket, "]")
	for _, k := range keys {
		if s, ok := k.(*sliceOf); ok && s.of == of {
			reject(int(at), "slices cannot stand beside other subscripts")
		}
	}
	return &elementOf{at, of, &listOf{place: at, items: keys, tuple: true}}
}

// subscribed reads one subscript: a key, or a slice.
func (r *reader) subscribed(at place, of node) node {
	var start node
	if !r.is(tokens.Colon) {
		e := r.expression()
		if !r.is(tokens.Colon) {
			return e
		}
		start = e
	}
	r.next()
	s := &sliceOf{place: at, of: of, start: start, stop: r.bound()}
	if r.accept(tokens.Colon) {
		s.step = r.bound()
	}
	return s
}

// bound reads a bound of a slice, or nothing.
func (r *reader) bound() node {
	if r.is(tokens.Colon) || r.is(tokens.RightBracket) || r.is(tokens.Comma) {
		return nil
	}
	return r.expression()
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
	return r.isLiteral() || r.is(tokens.LeftBracket) || r.is(tokens.LeftBrace) ||
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
	at := r.at
	id := r.next()
	for _, n := range a.names {
		if n == id {
			rejectAs("SyntaxError", at, "keyword argument repeated: %s", id)
		}
	}
	r.next()
	a.names = append(a.names, id)
	a.values = append(a.values, r.expression())
}
