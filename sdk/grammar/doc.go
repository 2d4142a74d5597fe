// Package grammar makes of a program the constraint that an engine needs so that a model can only write what the program
// parses.
//
// # The model
//
// Build turns a program (package peg) into a grammar in GBNF, the notation of llama.cpp. Every node of the program becomes
// an expression, every rule a rule:
//
//	literal, sequence, choice, repeat, chars, any     what they say
//	until                                             an automaton: every text without a delimiter (until.go)
//	space                                             a little white space: none, a blank, or up to two line ends and an indent
//	values, string content                            the grammar of JSON, or Python's spelling of it (value.go)
//	schema                                            the grammar of a JSON Schema (schema.go)
//	tag, atomic, end, empty                           nothing of their own
//	peek, not                                         nothing: a grammar has no lookahead
//	a rule whose name begins with "~"                 left out, with the alternative that it stands in
//
// The parser is tolerant and the grammar exact: what a program reads only in order to lose nothing stands under a "~" rule.
// In the other direction a grammar is a program without order of preference, so an alternative must not depend on those
// before it having failed.
//
// A program runs over generation prompt and output, a grammar holds for the output alone. So a strict grammar is what is
// left of the program once it has read the prompt (prompt.go). A lazy grammar begins at the program's Trigger rules
// (trigger.go): the engine samples freely until a trigger occurs in the output, and from there on holds to the grammar.
//
// Engines take grammars in different notations, called targets (target.go). All are made of the GBNF, so that every engine
// holds to the same language: structural tags and EBNF for xgrammar (xgrammar.go), Lark for llguidance (lark.go), and, where
// an engine has nothing else, a JSON Schema of the answer (answer.go).
//
// What the grammar cannot hold to, such as a keyword of a schema, is not silently ignored: Constraint.Notes say it. What
// makes no sense at all is an error.
//
// The package also reads grammars (Parse), decides whether a text follows one and where it leaves it (Grammar.Match), and
// draws random texts from one (Sampler). With these the law is tested that the grammar and the parser are one program.
//
// # Words
//
// A *constraint* is a grammar, and when it applies; a *grammar* is a set of rules; a *rule* has a name and an expression.
// A *trigger* is a text to look for in the output, a *Trigger rule* the node of a program that it is derived from. A
// *delimiter* ends text, a *marker* is any text that a template always writes. *Strict* and *lazy* say which part of the
// output a grammar covers, not how much it allows. A *target* is a notation, and the engine that reads it.
package grammar
