// Package jinja renders chat templates byte for byte as Hugging Face transformers does: as Jinja2 in a sandbox, with
// trim_blocks and lstrip_blocks, break and continue, {% generation %}, tojson as json.dumps writes, raise_exception and
// strftime_now. It is safe for templates that nobody has read.
//
// gonja is what it stands on. gonja's parser nests the blocks and hands each tag to us, its template holds what we make of
// them, its renderer runs it; every tag is ours, entered through gonja's public extension points, and so are tokens,
// expressions, scopes, values and limits:
//
//		source ─scan→ gonja's tokens ─gonja's parser→ our tags ─compile→ program ─gonja's renderer→ prompt
//
//	  - source.go makes gonja's tokens of a source as Jinja2's lexer would (whitespace, escapes, numbers); gonja's own
//	    lexer is not used, since its rules are others;
//	  - gonja.go and reader.go are the seam: our tag parsers get gonja's tokens, our statements travel in gonja's tree;
//	  - grammar.go and tags.go are the grammar; symbols.go decides where each name lives, by Jinja2's rules;
//	  - compile.go and its neighbours turn the tree into closures over slots; a rendering runs them;
//	  - value.go and its neighbours are Python's values and operators; filters, tests, methods and global functions are
//	    tables, in files of those names.
//
// What Python would raise is raised here, with Python's message, as an *Error that tells the place in the template. Two
// things are different on purpose. A template may change the lists and objects that it made itself, since templates that
// do so are in use, though transformers refuses them; what it was given can never change. And some of Jinja2 is refused,
// when the template is compiled: Refused lists it. A template can also be rendered less strictly (Tolerant), and as text
// that is no markup (PlainText).
//
// A template loads nothing, reaches no file and no Go method: its values have none that it could name. What it may cost
// is counted (Limits): steps, memory, output, depth and time. Go cannot recover from a stack that overflows or from
// memory that runs out, so both are counted before they are used.
//
// Words that must not be confused: a value is one of the template language, never a Go value; None is a value, undefined
// is what was not there; an Object is JSON's object and Python's dict; a variable is a name of a template, the context
// holds those that the caller passed; a scope is a block's view of names at compile time, a frame holds their values at
// run time; Compile compiles a template once, Render renders it, as often and from as many goroutines as one likes.
package jinja
