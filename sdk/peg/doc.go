// Package peg holds parsers as data.
//
// A Program is a parsing expression grammar (PEG) in an arena: a slice of nodes that refer to each other by index. It
// says how a model writes reasoning, content and tool calls, and nothing about any model: it can be built, validated,
// printed, sent over a wire, run over a stream (package match) and turned into a constraint for sampling (package
// grammar). Because both of the latter read the same program, what the constraint lets a model write is what the parser
// reads.
//
// A program recognises like any PEG: a sequence matches its parts one after the other, a choice takes the first
// alternative that matches, a repetition takes as many as it can, lookaheads consume nothing. What the text *means* is
// said by Tag nodes: the text under a tag has a Role, such as Content or CallName.
//
// A program is made with a Builder, completed with Bind (which puts the generation prompt in place of Prompt nodes) and
// checked with Validate. It is immutable from then on and may be shared. Programs come from other people's processes:
// nothing here or in match trusts one that Validate has not passed.
//
// Rules for building programs that stream well:
//
//   - take common speech out of alternatives: not {m until(A) x | m until(B) y} but m until(A∪B) {x | y};
//   - the header of a call is atomic and closed: opening, name, and the bytes after the name that end it;
//   - the name comes before the arguments, or the whole call is atomic;
//   - write space (x space)* rather than (x? space)+;
//   - keep literals that tell alternatives apart outside of speaking tags;
//   - end in: optional(end of turn) end.
//
// Words that must not be confused: a *node* is one expression, a *rule* is a node with a name, to which others can refer
// before it exists; a *trigger* is a rule at which a call begins; a *defect* is what is wrong with a program (Validate),
// a *fault* is what is wrong with an output (chat.Fault).
package peg
