package turn

import (
	"strconv"

	"github.com/dragoman-project/dragoman/sdk/peg"
)

// Lit matches text; equal literals are one node.
func (t *Turn) Lit(text string) peg.ID {
	id, ok := t.literals[text]
	if !ok {
		id = t.Builder.Lit(text)
		t.literals[text] = id
	}
	return id
}

// Space matches white space, possibly none; it is one node.
func (t *Turn) Space() peg.ID {
	if t.space == nil {
		id := t.Builder.Space()
		t.space = &id
	}
	return *t.space
}

// OneOf matches the first of texts that matches.
func (t *Turn) OneOf(texts ...string) peg.ID {
	kids := make([]peg.ID, len(texts))
	for i, text := range texts {
		kids[i] = t.Lit(text)
	}
	return t.Choice(kids...)
}

// Fresh returns a name for a rule, beginning as given, that no other rule has.
func (t *Turn) Fresh(name string) string {
	t.fresh++
	return name + "-" + strconv.Itoa(t.fresh)
}

// Named returns a new rule for kid. The first one of a name has it as it is, later ones are numbered.
func (t *Turn) Named(name string, kid peg.ID) peg.ID { return t.Rule(t.numbered(name), kid) }

func (t *Turn) numbered(name string) string {
	t.names[name]++
	if n := t.names[name]; n > 1 {
		return t.numbered(name + "-" + strconv.Itoa(n))
	}
	return name
}

// Once returns the rule of that name. body builds it when the name is first used, and may use the rule itself.
func (t *Turn) Once(name string, body func() peg.ID) peg.ID { return t.OncePer(name, "", body) }

// OncePer is Once for rules that differ only in key, such as those of different schemas: their names are numbered.
func (t *Turn) OncePer(name, key string, body func() peg.ID) peg.ID {
	at := [2]string{name, key}
	if id, ok := t.rules[at]; ok {
		return id
	}
	name = t.numbered(name)
	t.rules[at] = t.Ref(name)
	return t.Rule(name, body())
}

// Shared returns how many rules Once and OncePer have built.
func (t *Turn) Shared() int { return len(t.rules) }

// Only makes kids, in sequence, a part for the parser alone: a rule whose name begins with "~", which grammars leave out. Like
// Once, it builds the rule when the name is first used. In a grammar such a part matches nothing at all, not the empty text:
// let it be an alternative of a Choice, or stand in Optional.
func (t *Turn) Only(name string, kids ...peg.ID) peg.ID {
	return t.Once("~"+name, func() peg.ID { return t.Seq(kids...) })
}

// OnlyHere is Only with a new rule for each call: parts of one name may differ.
func (t *Turn) OnlyHere(name string, kids ...peg.ID) peg.ID {
	return t.Rule(t.Fresh("~"+name), t.Seq(kids...))
}

// Tolerate matches one of kids, or nothing: a model may leave them out, and grammars insist on one.
func (t *Turn) Tolerate(kids ...peg.ID) peg.ID {
	return t.Choice(append(kids, t.Once("~missing", t.Empty))...)
}
