package syntax

import (
	"strings"

	"github.com/nikolalohinski/gonja/v2/tokens"

	"github.com/dragoman-project/dragoman/autoparser/jinja/failure"
	"github.com/dragoman-project/dragoman/autoparser/jinja/value"
)

// This file is Jinja2's grammar of expressions, from the weakest operator to the strongest.

// expression parses an expression, which may be conditional.
func (r *reader) expression() Node {
	r.enter()
	defer r.leave(r.p.links)
	at := r.here()
	e := r.or()
	for r.acceptWord("if") {
		r.p.link(r.at)
		n := &Conditional{Pos: at, Then: e, Test: r.or()}
		if r.acceptWord("else") {
			n.Otherwise = r.expression()
		}
		e, at = n, r.here()
	}
	return e
}

// plain parses an expression where an if belongs to something else.
func (r *reader) plain() Node {
	r.enter()
	defer r.leave(r.p.links)
	return r.or()
}

// or, and, not, comparison, sum, concatenation and product parse operands of the next level.
func (r *reader) or() Node {
	e := r.and()
	for at := r.here(); r.acceptWord("or"); at = r.here() {
		r.p.link(r.at)
		e = &Logical{at, "or", e, r.and()}
	}
	return e
}

func (r *reader) and() Node {
	e := r.not()
	for at := r.here(); r.acceptWord("and"); at = r.here() {
		r.p.link(r.at)
		e = &Logical{at, "and", e, r.not()}
	}
	return e
}

func (r *reader) not() Node {
	at := r.here()
	if !r.acceptWord("not") {
		return r.comparison()
	}
	r.enter()
	defer r.leave(r.p.links)
	return &Unary{at, "not", r.not()}
}

func (r *reader) comparison() Node {
	first := r.sum()
	at := r.here()
	op := r.comparator()
	if op == "" {
		return first
	}
	n := &Comparison{Pos: at, First: first}
	n.Ops, n.Rest = n.one.op[:0], n.one.rest[:0]
	for ; op != ""; op = r.comparator() {
		n.Ops = append(n.Ops, op)
		n.Rest = append(n.Rest, r.sum())
	}
	return n
}

// comparator parses a comparison operator, or returns "".
func (r *reader) comparator() string {
	switch {
	case r.is(tokens.Equals), r.is(tokens.Ne), r.is(tokens.LowerThan), r.is(tokens.LowerThanOrEqual),
		r.is(tokens.GreaterThan), r.is(tokens.GreaterThanOrEqual), r.word("in"):
		return r.next()
	case r.word("not"):
		if n := r.tokens.Peek(); n != nil && n.Type == tokens.Name && n.Val == "in" {
			r.next()
			r.next()
			return "not in"
		}
	}
	return ""
}

func (r *reader) sum() Node {
	e := r.concatenation()
	for r.is(tokens.Addition) || r.is(tokens.Subtraction) {
		r.p.link(r.at)
		at := r.here()
		e = &Binary{at, r.next(), e, r.concatenation()}
	}
	return e
}

func (r *reader) concatenation() Node {
	at, first := r.here(), r.product()
	if !r.is(tokens.Tilde) {
		return first
	}
	n := &Concatenation{at, []Node{first}}
	for r.accept(tokens.Tilde) {
		n.Parts = append(n.Parts, r.product())
	}
	return n
}

func (r *reader) product() Node {
	e := r.power()
	for r.is(tokens.Multiply) || r.is(tokens.Division) || r.is(tokens.FloorDivision) || r.is(tokens.Modulo) {
		r.p.link(r.at)
		at := r.here()
		e = &Binary{at, r.next(), e, r.power()}
	}
	return e
}

// power associates to the left, unlike Python's.
func (r *reader) power() Node {
	e := r.filtered()
	for r.is(tokens.Power) {
		r.p.link(r.at)
		at := r.here()
		e = &Binary{at, r.next(), e, r.filtered()}
	}
	return e
}

// filtered parses an operand with its filters and tests.
func (r *reader) filtered() Node {
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
			e = &Call{at, e, r.arguments()}
		default:
			return e
		}
	}
}

// signed parses an operand with its signs, subscripts and calls.
func (r *reader) signed() Node {
	at := r.here()
	for _, sign := range []tokens.Type{tokens.Subtraction, tokens.Addition} {
		if r.is(sign) {
			r.enter()
			defer r.leave(r.p.links)
			return r.postfix(&Unary{at, r.next(), r.signed()})
		}
	}
	return r.postfix(r.primary())
}

// primary parses a literal, a name, or something in brackets.
func (r *reader) primary() Node {
	at := r.here()
	switch {
	case r.isLiteral():
		return r.literals(at)
	case r.isName():
		id := r.next()
		if isSpecial(id) {
			r.p.special++
		}
		return nameOrConstant(at, id)
	case r.accept(tokens.LeftParenthesis):
		e := r.tuple(r.expression, func() bool { return r.is(tokens.RightParenthesis) }, true)
		r.expect(tokens.RightParenthesis, ")")
		return e
	case r.accept(tokens.LeftBracket):
		l := &List{Pos: at}
		r.sequence(tokens.RightBracket, "]", func() { l.Items = append(l.Items, r.expression()) })
		return l
	case r.accept(tokens.LeftBrace):
		o := &Object{Pos: at}
		r.sequence(tokens.RightBrace, "}", func() {
			o.Keys = append(o.Keys, r.expression())
			r.expect(tokens.Colon, ":")
			o.Values = append(o.Values, r.expression())
		})
		return o
	}
	failure.Reject(r.at, "unexpected '%s'", r.spelling())
	return nil
}

// literals parses a literal. Adjacent strings are one.
func (r *reader) literals(at Pos) Node {
	n := &Literal{at, r.literal()}
	first := r.kind
	r.next()
	if first != tokens.String || r.kind != tokens.String {
		return n
	}
	parts := []string{string(n.Value.(value.String))}
	for r.kind == tokens.String {
		parts = append(parts, string(r.literal().(value.String)))
		r.next()
	}
	n.Value = value.String(strings.Join(parts, ""))
	return n
}

// isSpecial reports whether loops or macros define a name.
func isSpecial(id string) bool {
	return id == "loop" || id == "caller" || id == "kwargs" || id == "varargs"
}

// nameOrConstant returns a name, or the constant for which it is reserved.
func nameOrConstant(at Pos, id string) Node {
	switch id {
	case "true", "True":
		return &Literal{at, value.True}
	case "false", "False":
		return &Literal{at, value.False}
	case "none", "None":
		return &Literal{at, value.None{}}
	}
	return &Name{at, id}
}

// sequence parses elements separated by commas, up to the closing bracket. A trailing comma is
// allowed.
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

// tuple parses one expression, or several separated by commas, until stop holds. In parentheses
// there may be none.
func (r *reader) tuple(element func() Node, stop func() bool, parenthesised bool) Node {
	at := r.here()
	finished := func() bool { return r.end() || r.is(tokens.RightParenthesis) || stop() }
	if finished() {
		if !parenthesised {
			failure.Reject(r.at, "Expected an expression, got '%s'", r.spelling())
		}
		return &List{Pos: at, Tuple: true}
	}
	first := element()
	if !r.is(tokens.Comma) {
		return first
	}
	t := &List{at, []Node{first}, true}
	for r.accept(tokens.Comma) && !finished() {
		t.Items = append(t.Items, element())
	}
	return t
}
