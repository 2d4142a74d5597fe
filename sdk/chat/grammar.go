package chat

// Grammar is a grammar of the client's own that the content must follow. The zero value is no such wish.
type Grammar struct {
	Kind GrammarKind
	// Text is the grammar or the regular expression.
	Text string
	// Choices are the texts of which the content must be one.
	Choices []string
	// Path is the place in the request that says it.
	Path string
}

// GrammarKind says how a grammar is written.
type GrammarKind uint8

// The kinds of grammars.
const (
	GrammarNone   GrammarKind = iota
	GrammarGBNF               // a grammar in llama.cpp's notation, of which xgrammar's EBNF is a relative
	GrammarRegex              // a regular expression, which the whole content must match
	GrammarChoice             // one of a few texts
)
