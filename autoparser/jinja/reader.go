package jinja

import (
	"strconv"

	"github.com/nikolalohinski/gonja/v2/parser"
	"github.com/nikolalohinski/gonja/v2/tokens"
)

// reader reads the tokens of one tag.
type reader struct {
	p      *parsing
	tokens *tokens.Stream
	at     int // place of the current token
}

func (p *parsing) reader(args *parser.Parser) *reader {
	r := &reader{p: p, tokens: args.Stream()}
	r.locate()
	return r
}

// locate notes the place of the current token; at the end it keeps that of the last one.
func (r *reader) locate() {
	if !r.end() {
		r.at = r.p.canonical.offset(r.tokens.Current().Pos)
	}
}

func (r *reader) end() bool {
	t := r.tokens.Current()
	return t == nil || r.tokens.End()
}

// here is the place of the current token.
func (r *reader) here() place { return place(r.at) }

// spelling is the text of the current token, for messages.
func (r *reader) spelling() string {
	if r.end() {
		return "end of statement block"
	}
	if v, ok := r.literal(); ok {
		return printed(v)
	}
	return r.tokens.Current().Val
}

func (r *reader) is(t tokens.Type) bool { return !r.end() && r.tokens.Current().Type == t }

// next returns the spelling of the current token and goes on.
func (r *reader) next() string {
	t := r.tokens.Next()
	r.locate()
	return t.Val
}

// accept goes on if the current token is of a type.
func (r *reader) accept(t tokens.Type) bool {
	if !r.is(t) {
		return false
	}
	r.next()
	return true
}

// expect goes on over a token that must be there.
func (r *reader) expect(t tokens.Type, what string) {
	if !r.accept(t) {
		reject(r.at, "expected token '%s', got '%s'", what, r.spelling())
	}
}

// named reports whether a token is a name; gonja gives some words types of their own.
func named(t *tokens.Token) bool {
	switch t.Type {
	case tokens.Name, tokens.And, tokens.Or, tokens.Not, tokens.In, tokens.Is:
		return true
	}
	return false
}

// word reports whether the current token is the name w.
func (r *reader) word(w string) bool {
	return !r.end() && r.tokens.Current().Val == w && named(r.tokens.Current())
}

// acceptWord goes on if the current token is the name w.
func (r *reader) acceptWord(w string) bool {
	if !r.word(w) {
		return false
	}
	r.next()
	return true
}

// isName reports whether the current token is any name.
func (r *reader) isName() bool { return !r.end() && named(r.tokens.Current()) }

// name reads a name that must be there.
func (r *reader) name() string {
	if !r.isName() {
		reject(r.at, "expected token 'name', got '%s'", r.spelling())
	}
	return r.next()
}

// follows reports whether the token after the current one is of a type.
func (r *reader) follows(t tokens.Type) bool {
	n := r.tokens.Peek()
	return n != nil && n.Type == t
}

// literal returns the value of the current token, if it is a literal.
func (r *reader) literal() (Value, bool) {
	if !r.is(tokens.String) {
		return nil, false
	}
	i, err := strconv.Atoi(r.tokens.Current().Val)
	if err != nil || i >= len(r.p.canonical.literals) {
		return nil, false
	}
	return r.p.canonical.literals[i], true
}

// done checks that the tag has no more tokens.
func (r *reader) done() {
	if !r.end() {
		reject(r.at, "expected token 'end of statement block', got '%s'", r.spelling())
	}
}

// begin is done for tags that open a block, which may end in a colon.
func (r *reader) begin() {
	r.accept(tokens.Colon)
	r.done()
}

// enter and leave count nesting. leave gets the links that there were on entering.
func (r *reader) enter() { r.p.enter(r.at) }

func (r *reader) leave(links int) {
	r.p.depth--
	r.p.links = links
}
