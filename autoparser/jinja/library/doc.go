// Package library is the contract between a rendering and the names that templates can use: filters,
// tests, methods and global functions. Each is a Builtin in a table of a Library.
//
// A Builtin gets an Env, the part of the rendering that it may use, and its arguments, bound to its
// Parameters. Env also looks up attributes and elements, by the rules of Python and Jinja2, and calls
// functions.
//
// The tables are in packages of their own: filters, methods, and standard, which assembles the library
// of all templates. Parts of Jinja2 that prompts do not need are refused, with the reason in the table.
package library
