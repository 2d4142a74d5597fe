package turn

import (
	"slices"
	"strconv"

	"github.com/dragoman-project/dragoman/sdk/jsonschema"
	"github.com/dragoman-project/dragoman/sdk/peg"
)

// maxOrders is the largest number of required arguments that grammars enforce exactly, in every
// order: each doubles the grammar. Of more, grammars enforce only the number.
const maxOrders = 3

// Arguments matches the arguments of a call, or the members of an object, one by one. The parser
// accepts any of them, in any order and number; grammars require all that s requires. one builds
// the argument of a given name that follows a schema, including the white space after it; an empty
// name stands for any name. separator stands between two arguments and may be empty.
func (t *Turn) Arguments(s jsonschema.Schema, separator string, one func(name string, s jsonschema.Schema) peg.ID) peg.ID {
	l := List{Separator: separator}
	name := t.Fresh("arguments")
	required := s.Required()
	for _, p := range s.Properties() {
		id := one(p.Name, p.Schema)
		if slices.Contains(required, p.Name) {
			l.Required = append(l.Required, id)
		} else {
			l.Optional = append(l.Optional, id)
		}
	}
	if additional, open := s.Additional(); open {
		l.Optional = append(l.Optional, t.Once("argument "+additional.Key(), func() peg.ID { return one("", additional) }))
	}
	known := slices.Concat(l.Required, l.Optional)
	any := t.Choice(append(known, t.Once("~unknown-argument", func() peg.ID { return one("", jsonschema.Schema{}) }))...)
	read := t.Only(name, t.Optional(any, t.Star(t.separator(separator), any), t.tooMany(separator)))
	if len(known) == 0 {
		return t.Optional(read)
	}
	return t.Choice(read, t.complete(name, l))
}

// Object matches the arguments of a call that are one JSON object. Grammars enforce s; the parser
// also accepts Python's literals and quotes.
func (t *Turn) Object(s jsonschema.Schema) peg.ID {
	lenient := t.Once("~lenient-object", func() peg.ID {
		return t.Tag(peg.Arguments, t.Value(peg.ObjectValue|peg.PythonLiterals|peg.PythonQuotes))
	})
	return t.Choice(lenient, t.Tag(peg.Arguments, t.Schema(s.Only(jsonschema.Any), t.Value(peg.ObjectValue))))
}

// ArgumentName matches the name of an argument as plain text; an empty name stands for any name.
func (t *Turn) ArgumentName(name string) peg.ID {
	if name == "" {
		return t.NotChars(1, MaxName, noName...)
	}
	return t.Lit(name)
}

// noName holds the characters that no argument name contains.
var noName = append([]peg.Range{{Lo: '<', Hi: '>'}, {Lo: '(', Hi: ')'}, {Lo: '"', Hi: '"'}, {Lo: ',', Hi: ','}, {Lo: '/', Hi: '/'}}, Blank...)

// List is a list of arguments as grammars enforce it: all required ones, in any order, with
// optional ones between them.
type List struct {
	Required, Optional []peg.ID
	// Separator stands between two arguments; it may be empty.
	Separator string
	// Wrap matches one of ways with the text that the format puts around each argument; nil means
	// Choice.
	Wrap func(ways ...peg.ID) peg.ID
	// Counted makes grammars enforce only the number of required arguments, whichever they are.
	Counted bool
}

// Complete matches the arguments of a list.
func (t *Turn) Complete(l List) peg.ID {
	if len(l.Required)+len(l.Optional) == 0 {
		return t.Empty()
	}
	return t.complete(t.Fresh("arguments"), l)
}

// complete is Complete with a prefix for the names of its rules.
func (t *Turn) complete(name string, l List) peg.ID {
	if l.Wrap == nil {
		l.Wrap = t.Choice
	}
	b := &lister{t, l, name}
	if len(l.Required) > 0 && l.Counted || len(l.Required) > maxOrders {
		return b.counted()
	}
	whole := 1<<len(l.Required) - 1
	if whole == 0 {
		return t.Optional(b.from(0))
	}
	return b.from(whole)
}

// separator matches the text between two arguments.
func (t *Turn) separator(text string) peg.ID {
	if text == "" {
		return t.Empty()
	}
	return t.Seq(t.Lit(text), t.Space())
}

// lister builds the program of a List.
type lister struct {
	*Turn
	l    List
	name string // the prefix of its rules' names
}

// from matches an argument and what follows it while the required arguments in set are outstanding.
func (b *lister) from(set int) peg.ID {
	return b.Once(b.name+"-"+strconv.Itoa(set), func() peg.ID {
		var ways []peg.ID
		for i, r := range b.l.Required {
			if rest := set &^ (1 << i); rest != set {
				ways = append(ways, b.Seq(b.l.Wrap(r), b.behind(rest)))
			}
		}
		if len(b.l.Optional) > 0 {
			next := b.Seq(b.separator(b.l.Separator), b.from(set))
			if set == 0 {
				next = b.Optional(next)
			}
			ways = append(ways, b.Seq(b.l.Wrap(b.l.Optional...), next))
		}
		return b.Choice(ways...)
	})
}

// behind matches what follows an argument while the required arguments in set are outstanding.
func (b *lister) behind(set int) peg.ID {
	switch {
	case set != 0:
		return b.Seq(b.separator(b.l.Separator), b.from(set))
	case len(b.l.Optional) == 0:
		return b.Empty()
	}
	return b.Optional(b.separator(b.l.Separator), b.from(0))
}

// counted matches as many required arguments as the list has, with optional ones between them.
func (b *lister) counted() peg.ID {
	n := min(len(b.l.Required), peg.MaxRepeat)
	required, before, after := b.l.Wrap(b.l.Required...), b.Empty(), b.Empty()
	if len(b.l.Optional) > 0 {
		before = b.Star(b.l.Wrap(b.l.Optional...), b.separator(b.l.Separator))
		after = b.Star(b.separator(b.l.Separator), b.l.Wrap(b.l.Optional...))
	}
	one := b.Rule(b.name+"-required", b.Seq(before, required))
	return b.Seq(one, b.Repeat(n-1, n-1, b.Seq(b.separator(b.l.Separator), one)), after)
}
