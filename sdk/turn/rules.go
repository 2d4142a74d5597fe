package turn

import (
	"strconv"

	"github.com/dragoman-project/dragoman/sdk/peg"
)

// Lit matches text. Equal literals share a node.
func (t *Turn) Lit(text string) peg.ID {
	id, ok := t.literals[text]
	if !ok {
		id = t.Builder.Lit(text)
		t.literals[text] = id
	}
	return id
}

// Space matches white space, possibly none. All its uses share a node.
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

// Fresh returns a unique name for a rule, with the given prefix.
func (t *Turn) Fresh(name string) string {
	t.fresh++
	return name + "-" + strconv.Itoa(t.fresh)
}

// Named adds a rule for kid. The first rule of a name gets it unchanged, later ones are numbered.
func (t *Turn) Named(name string, kid peg.ID) peg.ID { return t.Rule(t.numbered(name), kid) }

func (t *Turn) numbered(name string) string {
	t.names[name]++
	if n := t.names[name]; n > 1 {
		return t.numbered(name + "-" + strconv.Itoa(n))
	}
	return name
}

// Once returns the rule of the given name. body builds it on first use, and may refer to the rule
// itself.
func (t *Turn) Once(name string, body func() peg.ID) peg.ID { return t.OncePer(name, "", body) }

// OncePer is Once for rules of one name that differ in key, such as those of different schemas.
// Their names are numbered.
func (t *Turn) OncePer(name, key string, body func() peg.ID) peg.ID {
	at := [2]string{name, key}
	if id, ok := t.rules[at]; ok {
		return id
	}
	name = t.numbered(name)
	t.rules[at] = t.Ref(name)
	return t.Rule(name, body())
}

// Shared returns the number of rules that Once and OncePer have built.
func (t *Turn) Shared() int { return len(t.rules) }

// Only matches kids, in sequence, for the parser alone: it is a rule whose name begins with "~",
// which grammars leave out. Like Once, it builds the rule when the name is first used. In a grammar
// such a part matches nothing at all, not the empty text, so it must be an alternative of a Choice
// or be inside Optional.
func (t *Turn) Only(name string, kids ...peg.ID) peg.ID {
	return t.Once("~"+name, func() peg.ID { return t.Seq(kids...) })
}

// OnlyHere is Only with a new rule at each call, for parts of the same name that differ.
func (t *Turn) OnlyHere(name string, kids ...peg.ID) peg.ID {
	return t.Rule(t.Fresh("~"+name), t.Seq(kids...))
}

// Tolerate matches one of kids, or nothing: a model may leave them out; grammars require one.
func (t *Turn) Tolerate(kids ...peg.ID) peg.ID {
	return t.Choice(append(kids, t.Once("~missing", t.Empty))...)
}
