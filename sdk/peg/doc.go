// Package peg holds parsers as data.
//
// A Program is a parsing expression grammar (PEG) in an arena: a slice of nodes that refer to each other by index. It
// describes how a model writes reasoning, content and tool calls. It can be built, validated, printed, sent over a wire, run
// over a stream (package match) and turned into a constraint for sampling (package grammar). Because the last two use the
// same program, the parser reads what the constraint lets a model write.
//
// A program recognises like any PEG: a sequence matches its parts one after the other, a choice takes the first
// alternative that matches, a repetition takes as many as it can, lookaheads consume nothing. Tag nodes give the text its
// *meaning*: text under a tag has a Role, such as Content or CallName. What is particular to each kind of node, and to each
// role, is a row of a table (Op, Role).
//
// A program is built with a Builder, completed with Bind (which replaces Prompt nodes by the generation prompt) and checked
// with Validate. It is immutable from then on and may be shared. Programs come from other processes: nothing here or in
// match trusts one that has not passed Validate.
//
// Rules for building programs that stream well:
//
//   - factor common speech out of alternatives: not {m until(A) x | m until(B) y} but m until(A∪B) {x | y};
//   - make the header of a call atomic and closed: opening, name, and the bytes after the name that end it;
//   - put the name before the arguments, or make the whole call atomic;
//   - write space (x space)* rather than (x? space)+;
//   - keep literals that distinguish alternatives outside speaking tags;
//   - end in: optional(end of turn) end.
//
// Package sound proves of a program that it streams well, or shows where it does not.
//
// Words that must not be confused: a *node* is one expression, a *rule* is a node with a name, to which others can refer
// before it exists; a *trigger* is a rule at which a call begins; a *defect* is a mistake in a program (Validate), a *fault*
// a mistake in an output (chat.Fault).
package peg
