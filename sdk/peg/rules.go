package peg

// Once makes the rule of that name when it is first asked for, and is the same node ever after. Its body may use the rule
// itself.
func (b *Builder) Once(name string, body func() ID) ID {
	if id, ok := b.rules[name]; ok {
		return id
	}
	id := b.Ref(name)
	kid := body()
	b.nodes[id].Kids = []ID{kid}
	return id
}

// Only makes kids, in sequence, a part for the parser alone: a rule whose name begins with "~", which grammars leave out. Like
// Once, it makes it when the name is first used. In a grammar such a part matches nothing at all, not the empty text: let it be
// an alternative of a Choice, or stand in Optional.
func (b *Builder) Only(name string, kids ...ID) ID {
	return b.Once("~"+name, func() ID { return b.Seq(kids...) })
}

// Tolerate matches one of kids, or nothing: a model may leave them out, and grammars insist on one.
func (b *Builder) Tolerate(kids ...ID) ID {
	return b.Choice(append(kids, b.Once("~missing", b.Empty))...)
}
