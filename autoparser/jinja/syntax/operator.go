package syntax

import (
	"strings"

	"github.com/nikolalohinski/gonja/v2/tokens"
)

// operator returns the operator that src begins with and its length, 0 if there is none.
func operator(src string) (kind tokens.Type, n int) {
	if len(src) > 1 {
		if kind := longOperator(src[0], src[1]); kind != tokens.Error {
			return kind, 2
		}
	}
	if kind := shortOperator(src[0]); kind != tokens.Error {
		return kind, 1
	}
	return tokens.Error, 0
}

// longOperator returns the operator of two characters, or tokens.Error.
func longOperator(a, b byte) tokens.Type {
	switch {
	case a == '/' && b == '/':
		return tokens.FloorDivision
	case a == '*' && b == '*':
		return tokens.Power
	case b != '=':
		return tokens.Error
	}
	switch a {
	case '=':
		return tokens.Equals
	case '!':
		return tokens.Ne
	case '>':
		return tokens.GreaterThanOrEqual
	case '<':
		return tokens.LowerThanOrEqual
	}
	return tokens.Error
}

// shortOperator returns the operator of one character, or tokens.Error.
func shortOperator(c byte) tokens.Type {
	if i := strings.IndexByte(shortOperators, c); i >= 0 {
		return shortOperatorKinds[i]
	}
	return tokens.Error
}

// shortOperators are the operators of one character, shortOperatorKinds gonja's names for them.
const shortOperators = ".(),[]=|:+-{}/*%<>~"

var shortOperatorKinds = [...]tokens.Type{
	tokens.Dot, tokens.LeftParenthesis, tokens.RightParenthesis, tokens.Comma, tokens.LeftBracket, tokens.RightBracket,
	tokens.Assign, tokens.Pipe, tokens.Colon, tokens.Addition, tokens.Subtraction, tokens.LeftBrace, tokens.RightBrace,
	tokens.Division, tokens.Multiply, tokens.Modulo, tokens.LowerThan, tokens.GreaterThan, tokens.Tilde,
}
