// Package syntax reads the source of a template into a tree.
//
//	source ─lexer→ gonja's tokens ─gonja's parser→ our tags ─expression, statement→ tree
//
// gonja's parser nests the blocks and hands each tag to us, through its public extension points: it is told our tags and gets
// our tokens. Its own lexer, expressions and renderer are not used, since their rules for whitespace, escapes, numbers,
// precedence and scopes are others than Jinja2's. gonja is imported by this package alone.
//
// Parse raises failures of package failure; every node of the tree tells its place in the source (Pos).
package syntax
