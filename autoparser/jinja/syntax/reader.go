package syntax

import (
	"github.com/nikolalohinski/gonja/v2/parser"
	"github.com/nikolalohinski/gonja/v2/tokens"

	"github.com/dragoman-project/dragoman/autoparser/jinja/failure"
	"github.com/dragoman-project/dragoman/autoparser/jinja/value"
)

// reader reads the tokens of one tag.
type reader struct {
	p      *parsing
	tokens *tokens.Stream
	token  *tokens.Token // the current one
	kind   tokens.Type   // of the current token; EOF at the end
	at     int           // offset of the current token; at the end, of the last one
	value  bool          // the tag is {{ … }}
}

func (p *parsing) reader(args *parser.Parser) reader {
	r := reader{p: p, tokens: args.Stream()}
	r.look()
	return r
}

// look updates the current token.
func (r *reader) look() {
	r.token = r.tokens.Current()
	r.kind = r.token.Type
	if !r.end() {
		r.at = r.token.Pos
	}
}

func (r *reader) end() bool { return r.kind == tokens.EOF }

// ending returns what follows the last token, for messages.
func (r *reader) ending() string {
	if r.value {
		return "end of print statement"
	}
	return "end of statement block"
}

// here returns the place of the current token.
func (r *reader) here() Pos { return Pos(r.at) }

// spelling returns the text of the current token, for messages.
func (r *reader) spelling() string {
	if r.end() {
		return r.ending()
	}
	if r.isLiteral() {
		return value.Printed(r.literal())
	}
	return r.token.Val
}

func (r *reader) is(t tokens.Type) bool { return r.kind == t }

// next returns the spelling of the current token and advances.
func (r *reader) next() string {
	t := r.tokens.Next()
	r.look()
	return t.Val
}

// accept advances over a token of type t and reports whether it was there.
func (r *reader) accept(t tokens.Type) bool {
	if r.kind != t {
		return false
	}
	r.next()
	return true
}

// expect advances over a token that must be there.
func (r *reader) expect(t tokens.Type, what string) {
	if !r.accept(t) {
		failure.Reject(r.at, "expected token '%s', got '%s'", what, r.spelling())
	}
}

// word reports whether the current token is the name w.
func (r *reader) word(w string) bool { return r.kind == tokens.Name && r.token.Val == w }

// acceptWord advances over the name w and reports whether it was there.
func (r *reader) acceptWord(w string) bool {
	if !r.word(w) {
		return false
	}
	r.next()
	return true
}

// isName reports whether the current token is a name.
func (r *reader) isName() bool { return r.kind == tokens.Name }

// name parses a name.
func (r *reader) name() string {
	if !r.isName() {
		failure.Reject(r.at, "expected token 'name', got '%s'", r.spelling())
	}
	return r.next()
}

// follows reports whether the token after the current one is of type t.
func (r *reader) follows(t tokens.Type) bool {
	n := r.tokens.Peek()
	return n != nil && n.Type == t
}

// isLiteral reports whether the current token is a string or a number.
func (r *reader) isLiteral() bool {
	return r.kind == tokens.String || r.kind == tokens.Integer || r.kind == tokens.Float
}

// literal returns the value of the current token, which is a literal.
func (r *reader) literal() value.Value {
	spelling := r.token.Val
	if r.kind == tokens.String {
		return value.String(unescape(spelling[1:len(spelling)-1], r.at))
	}
	return numberValue(r.kind, spelling, r.at)
}

// done rejects further tokens in the tag.
func (r *reader) done() {
	if !r.end() {
		failure.Reject(r.at, "expected token '%s', got '%s'", r.ending(), r.spelling())
	}
}

// begin is done for tags that open a block, which may end in a colon.
func (r *reader) begin() {
	r.accept(tokens.Colon)
	r.done()
}

// enter and leave count nesting. leave resets the links to their number on entering.
func (r *reader) enter() { r.p.enter(r.at) }

func (r *reader) leave(links int) {
	r.p.depth--
	r.p.links = links
}
