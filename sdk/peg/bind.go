package peg

import "strings"

// Bind returns a program in which every Prompt node is replaced by a literal: the generation prompt as the template writes
// it, cut before the first of the node's delimiters. The program itself is unchanged.
func (p *Program) Bind(generationPrompt string) *Program {
	bound := &Program{Nodes: append([]Node(nil), p.Nodes...), Root: p.Root}
	for i := range bound.Nodes {
		n := &bound.Nodes[i]
		if n.Op != Prompt {
			continue
		}
		text := generationPrompt
		for _, d := range n.Delims {
			if at := strings.Index(text, d); at >= 0 {
				text = text[:at]
			}
		}
		*n = Node{Op: Literal, Text: text}
		if text == "" {
			n.Op = Empty
		}
	}
	return bound
}
