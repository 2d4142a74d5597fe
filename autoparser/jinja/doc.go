// Package jinja compiles and renders chat templates, byte for byte as Hugging Face transformers does: as Jinja2 in a sandbox,
// with trim_blocks and lstrip_blocks, break and continue, {% generation %}, tojson as json.dumps writes, raise_exception and
// strftime_now. It is safe for templates that come from anywhere.
//
//	source ─syntax→ tree ─scope→ places of names ─compile→ closures ─render→ prompt
//
// This package compiles the tree to closures over slots, and runs them. The packages below it can be read alone:
//
//   - syntax reads a source into a tree, with gonja's parser;
//   - scope decides where each name lives, by Jinja2's rules;
//   - library is the contract of filters, tests, methods and global functions; filters, methods and standard hold them as tables;
//   - format holds %, format() and strftime;
//   - value holds Python's values and operators, pystr Python's rules for characters;
//   - meter counts what a rendering costs, failure is how it fails.
//
// What Python would raise is raised here, with Python's message, as an *Error that tells the place in the template. Two
// things are different on purpose. A template may change the lists and objects that it made itself, since templates that
// do so are in use, though transformers refuses them; what it was given can never change. And some of Jinja2 is refused
// when the template is compiled: Refused lists it. A template can also be rendered less strictly (Tolerant), and as text
// that is no markup (PlainText).
//
// A template loads nothing, and reaches no file and no Go method. What it may cost is bounded (Limits): steps, memory, output,
// depth and time.
//
// gonja provides the parser that nests the blocks. Its renderer is not used: it walks a tree of gonja's own nodes, resolves
// names at run time, and its values are Go values found by reflection.
//
// Words that must not be confused: a value is one of the template language, never a Go value; None is a value, undefined
// is what was not there; a variable is a name of a template, the context holds those that the caller passed; a scope is a
// block's view of names at compile time, a frame holds their values at run time; Compile compiles a template once, Render
// renders it, any number of times and from any number of goroutines.
package jinja
