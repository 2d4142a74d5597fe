// Package syntax reads the source of a template into a tree.
//
//	source ─lexer→ gonja's tokens ─gonja's parser→ our tags ─expression, statement→ tree
//
// gonja's parser nests the blocks and passes each tag to a parser of this package, through its public
// extension points. Its own lexer, expressions and renderer are not used: their rules for white space,
// escapes, numbers, precedence and scopes differ from Jinja2's. No other package imports gonja.
//
// Parse raises failures of package failure. Every node of the tree has its offset in the source (Pos).
package syntax
