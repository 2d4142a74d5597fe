// Package scope resolves the names of a template to variables.
//
// Jinja2 resolves names at compile time, block by block, which defines the meaning of {{ x }} before,
// inside and after a block that sets x. This package follows its rules, so that odd templates behave
// the same. A Scope is a block's view of names. Each of its variables has a slot in the frame of the
// Function (the template, a macro, a recursive loop) to which the block belongs.
package scope
