// Package jinja compiles and renders chat templates, byte for byte as Hugging Face transformers does: as Jinja2 in a sandbox,
// with trim_blocks and lstrip_blocks, break and continue, {% generation %}, tojson as json.dumps writes, raise_exception and
// strftime_now. It is safe for templates that come from anywhere.
//
//	source ─syntax→ tree ─scope→ variables ─compile→ closures ─render→ prompt
//
// This package compiles the tree to closures over slots, and runs them. The packages below it can be read alone:
//
//   - syntax reads a source into a tree, with gonja's parser;
//   - scope resolves names to variables, by Jinja2's rules;
//   - library is the contract of filters, tests, methods and global functions, which are tables in the packages below it;
//   - format holds %, format() and strftime;
//   - value holds Python's values and operators, pystr Python's rules for characters;
//   - meter counts what a rendering costs, failure is how it fails.
//
// What Python would raise is raised here, with Python's message, as an *Error with its place in the template. Two things
// differ on purpose. A template may change lists and objects that it made itself, which transformers refuses, because
// templates in use do so; variables passed by the caller never change. And parts of Jinja2 are refused when a template is
// compiled: Refused lists them. A template can also be rendered less strictly (Tolerant) and without markup (PlainText).
//
// A template loads nothing and reaches neither files nor Go methods. What it may cost is bounded (Limits): steps, memory,
// output, depth and time.
//
// gonja provides the parser, which nests the blocks. Its renderer is not used: it walks a tree of gonja's own nodes, resolves
// names at run time, and accesses Go values by reflection.
//
// Words that must not be confused: a value is a value of the template language, never of Go. None is a value; undefined
// stands for what is missing. A variable is a name of a template; the context holds the variables that the caller passed. A
// scope is a block's view of names at compile time; a frame holds their values at run time. Compile compiles a template
// once; Render renders it, any number of times and from any number of goroutines.
package jinja
