// Package scope decides where each name of a template lives.
//
// Jinja2 decides this at compile time, for each block: it decides what {{ x }} means before, inside and after a block that
// sets x. This package follows its rules, so that odd templates behave the same. A Scope is a block's view of names; each of
// its variables has a slot in the frame of the Function (the template, a macro, a recursive loop) that it belongs to.
package scope
