// Package library is the contract between a rendering and what templates can name: filters, tests, methods and global
// functions, each a Builtin in a table of a Library.
//
// A Builtin gets an Env, the part of the rendering in progress that it may use, and its arguments, already bound to its
// Parameters. Env also looks attributes and elements up, by the rules of Python and Jinja2, and calls what can be called.
//
// The tables are in packages of their own: filters, methods, and standard, which assembles the library of all templates. What
// Jinja2 has and a prompt does not need is refused, with the reason in the table.
package library
