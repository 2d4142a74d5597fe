// Package match runs parser programs over text that arrives in chunks.
package match
