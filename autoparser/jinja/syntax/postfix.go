package syntax

import (
	"github.com/nikolalohinski/gonja/v2/tokens"

	"github.com/dragoman-project/dragoman/autoparser/jinja/failure"
)

// postfix parses attributes, subscripts and calls.
func (r *reader) postfix(e Node) Node {
	for {
		at := r.here()
		r.p.link(r.at)
		switch {
		case r.accept(tokens.Dot):
			e = r.dotted(at, e)
		case r.accept(tokens.LeftBracket):
			e = r.subscript(at, e)
		case r.is(tokens.LeftParenthesis):
			e = &Call{at, e, r.arguments()}
		default:
			return e
		}
	}
}

// dotted parses what follows a dot: a name or a position.
func (r *reader) dotted(at Pos, of Node) Node {
	if r.is(tokens.Integer) {
		key := &Literal{at, r.literal()}
		r.next()
		return &Element{at, of, key}
	}
	if !r.isName() {
		failure.Reject(r.at, "expected name or number, got '%s'", r.spelling())
	}
	return &Attribute{at, of, r.next()}
}

// subscript parses a subscript: a key, a slice, or several keys, which make a tuple.
func (r *reader) subscript(at Pos, of Node) Node {
	var first Node
	if !r.is(tokens.RightBracket) {
		first = r.subscribed(at, of)
	}
	if first != nil && r.accept(tokens.RightBracket) {
		if s, ok := first.(*Slice); ok && s.Of == of {
			return s
		}
		return &Element{at, of, first}
	}
	return r.subscripts(at, of, first)
}

// subscripts parses the keys after the first, which may be nil.
func (r *reader) subscripts(at Pos, of, first Node) Node {
	var keys []Node
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
		if s, ok := k.(*Slice); ok && s.Of == of {
			failure.Reject(int(at), "slices cannot stand beside other subscripts")
		}
	}
	return &Element{at, of, &List{Pos: at, Items: keys, Tuple: true}}
}

// subscribed parses one key or slice.
func (r *reader) subscribed(at Pos, of Node) Node {
	var start Node
	if !r.is(tokens.Colon) {
		e := r.expression()
		if !r.is(tokens.Colon) {
			return e
		}
		start = e
	}
	r.next()
	s := &Slice{Pos: at, Of: of, Start: start, Stop: r.bound()}
	if r.accept(tokens.Colon) {
		s.Step = r.bound()
	}
	return s
}

// bound parses a bound of a slice, or returns nil.
func (r *reader) bound() Node {
	if r.is(tokens.Colon) || r.is(tokens.RightBracket) || r.is(tokens.Comma) {
		return nil
	}
	return r.expression()
}

// filter parses a filter after its bar.
func (r *reader) filter(at Pos, of Node) Node {
	f := &Filter{Pos: at, Of: of, ID: r.qualified()}
	if r.is(tokens.LeftParenthesis) {
		f.Args = r.arguments()
	}
	return f
}

// qualified parses a dotted name.
func (r *reader) qualified() string {
	id := r.name()
	for r.accept(tokens.Dot) {
		id += "." + r.name()
	}
	return id
}

// test parses a test after is.
func (r *reader) test(at Pos, of Node) Node {
	negated := r.acceptWord("not")
	t := &Test{Pos: at, Of: of, ID: r.qualified()}
	switch {
	case r.is(tokens.LeftParenthesis):
		t.Args = r.arguments()
	case r.word("is"):
		failure.Reject(r.at, "You cannot chain multiple tests with is")
	case r.beginsArgument():
		t.Args.Values = []Node{r.postfix(r.primary())}
	}
	if negated {
		return &Unary{at, "not", t}
	}
	return t
}

// beginsArgument reports whether the current token begins an argument without parentheses: x is divisibleby 3.
func (r *reader) beginsArgument() bool {
	return r.isLiteral() || r.is(tokens.LeftBracket) || r.is(tokens.LeftBrace) ||
		r.isName() && !r.word("else") && !r.word("or") && !r.word("and")
}

// arguments parses the arguments of a call, from its parenthesis on.
func (r *reader) arguments() Arguments {
	at := r.at
	r.expect(tokens.LeftParenthesis, "(")
	var a Arguments
	allowed := func(ok bool) {
		if !ok {
			failure.Reject(at, "invalid syntax for function call expression")
		}
	}
	r.sequence(tokens.RightParenthesis, ")", func() {
		switch {
		case r.is(tokens.Multiply):
			allowed(a.Spread == nil && a.More == nil)
			r.next()
			a.Spread = r.expression()
		case r.is(tokens.Power):
			allowed(a.More == nil)
			r.next()
			a.More = r.expression()
		case r.isName() && r.follows(tokens.Assign):
			allowed(a.More == nil)
			a.named(r)
		default:
			allowed(a.Spread == nil && a.More == nil && len(a.Names) == 0)
			a.Values = append(a.Values, r.expression())
		}
	})
	return a
}

// named parses name=value.
func (a *Arguments) named(r *reader) {
	at := r.at
	id := r.next()
	for _, n := range a.Names {
		if n == id {
			failure.RejectAs("SyntaxError", at, "keyword argument repeated: %s", id)
		}
	}
	r.next()
	a.Names = append(a.Names, id)
	a.Values = append(a.Values, r.expression())
}
