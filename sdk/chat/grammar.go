package chat

// Grammar is a client's own grammar, which the content must match. The zero value is no grammar.
type Grammar struct {
	Kind GrammarKind
	// Text is the grammar or the regular expression.
	Text string
	// Choices are the texts of which the content must be one.
	Choices []string
	// Path is the field of the request that the grammar comes from.
	Path string
}

// GrammarKind is the notation of a grammar.
type GrammarKind uint8

// The kinds of grammars.
const (
	GrammarNone   GrammarKind = iota
	GrammarGBNF               // llama.cpp's notation, or xgrammar's EBNF, which is similar
	GrammarRegex              // a regular expression, which the whole content must match
	GrammarChoice             // one of a few texts
)
