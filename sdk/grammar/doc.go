// Package grammar turns programs into constraints: grammars which make an engine sample only what
// the program parses.
//
// # The model
//
// Build turns a program (package peg) into a grammar in GBNF, the notation of llama.cpp. Every node
// of the program becomes an expression, every rule a rule:
//
//	literal, sequence, choice, repeat, chars, any     the same
//	until                                             an automaton for text without the delimiters (internal/cfg/words)
//	space                                             nothing, a blank, or one or two line breaks and an indent
//	values, string content                            the grammar of JSON, or of Python's spelling of it (package rules)
//	schema                                            the grammar of a JSON Schema (package schema)
//	tag, atomic, end, empty                           no text of their own
//	peek, not                                         nothing: a grammar has no lookahead
//	a rule whose name begins with "~"                 dropped, together with the alternative it stands in
//
// The parser is tolerant and the grammar is exact: what a program reads only so that no text is
// lost stands under a "~" rule. Conversely, a grammar is a program without order of preference, so
// an alternative must not rely on the earlier ones having failed.
//
// A program reads the generation prompt and then the output, but a grammar covers the output only.
// So a strict grammar is the quotient of the program's language by the prompt. A lazy grammar
// starts at the program's Trigger rules (trigger.go): the engine samples freely until a trigger
// occurs in the output, and from there on according to the grammar.
//
// Engines read grammars in different notations, called targets. All of them are derived from the
// GBNF, so that every engine enforces the same language (package target).
//
// What a grammar cannot enforce, such as some keywords of JSON Schema, is reported in
// Constraint.Notes. What is contradictory or malformed is an error.
//
// The package also parses grammars (Parse), matches texts (Grammar.Match), and draws random texts
// (Grammar.Sampler). Tests use these to prove that the grammar and the parser of a program agree.
//
// # Layout
//
// Build works in this package: program.go translates nodes, trigger.go finds where a lazy grammar
// starts, content.go makes room for a client's own grammar. The packages below have the parts that
// can be read alone:
//
//	target    one file per notation, and the table of engines with their limits
//	schema    JSON Schema to grammar
//	rules     the rules that programs and schemas share
//	notes     what is reported to the client
//
// Expressions, automata and GBNF itself are in internal/cfg.
//
// # Words
//
// A *constraint* is a grammar together with when it applies; a *grammar* is a set of rules; a
// *rule* is a named expression. A *trigger* is a text to look for in the output, a *Trigger rule*
// the node of a program from which it is derived. A *delimiter* ends text; a *marker* is any text
// that a template always writes. *Strict* and *lazy* say which part of the output a grammar covers,
// not how much it accepts. A *target* is a notation together with the engine that reads it.
package grammar
