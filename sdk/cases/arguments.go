package cases

import (
	"bytes"
	"errors"
	"io"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// sameArguments reports whether arguments are equal as JSON: spacing, escapes and the spelling of numbers do not count, the
// order of members does. Truncated arguments are compared as far as they go.
func sameArguments(a, b string) bool {
	if a == b {
		return true
	}
	x, y := newTokens(a), newTokens(b)
	for {
		s, errS := x.next()
		t, errT := y.next()
		switch {
		case errS != nil || errT != nil:
			return errS != nil && errT != nil && sameRest(x, y, errS, errT)
		case s.Kind() != t.Kind() || !sameToken(s, t):
			return false
		}
	}
}

// tokens reads the tokens of JSON that may be truncated.
type tokens struct {
	text string
	dec  *jsontext.Decoder
}

func newTokens(text string) *tokens {
	return &tokens{text, jsontext.NewDecoder(bytes.NewBufferString(text), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))}
}

func (t *tokens) next() (jsontext.Token, error) {
	token, err := t.dec.ReadToken()
	return token.Clone(), err
}

// rest returns the text after the last token, without white space and separators around it.
func (t *tokens) rest() string {
	return strings.Trim(t.text[t.dec.InputOffset():], " \t\r\n,:")
}

// sameRest compares what follows the last common token: nothing, or part of a token.
func sameRest(x, y *tokens, errX, errY error) bool {
	endX, endY := errors.Is(errX, io.EOF), errors.Is(errY, io.EOF)
	return endX == endY && (endX || x.rest() == y.rest())
}

func sameToken(s, t jsontext.Token) bool {
	if s.String() == t.String() {
		return true
	}
	return s.Kind() == '0' && sameNumber(s.String(), t.String())
}

// sameNumber compares numbers by value, and integers by their digits, because floats are not exact for large ones.
func sameNumber(s, t string) bool {
	if isInteger(s) && isInteger(t) {
		return strings.TrimPrefix(s, "-0") == strings.TrimPrefix(t, "-0")
	}
	x, errX := strconv.ParseFloat(s, 64)
	y, errY := strconv.ParseFloat(t, 64)
	return errX == nil && errY == nil && x == y
}

func isInteger(s string) bool { return !strings.ContainsAny(s, ".eE") }
