// Package library holds what a template can name: filters, tests, methods and global functions, each a table of Builtins,
// and how attributes and elements of values are looked up.
//
// A Builtin gets an Env, what the rendering in progress shows of itself, and its arguments, already bound to its parameters.
// What Jinja2 has and a prompt does not need is refused, with the reason in the table.
package library
