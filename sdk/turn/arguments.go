package turn

import (
	"slices"
	"strconv"

	"github.com/dragoman-project/dragoman/sdk/jsonschema"
	"github.com/dragoman-project/dragoman/sdk/peg"
)

// maxOrders is how many required arguments are held to exactly, in every order: the grammar doubles with each. Of more,
// grammars hold to the number.
const maxOrders = 3

// Arguments are the arguments of a call, or the members of an object, one by one: for the parser any of them in any order and
// number, for grammars all that s requires. one makes the argument of a name, empty for any name, that follows a schema; it
// takes the white space behind it. separator stands between two; empty: nothing does.
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

// Object is the arguments of a call that are one JSON object, as s says. The parser reads what models know of Python, too.
func (t *Turn) Object(s jsonschema.Schema) peg.ID {
	lenient := t.Once("~lenient-object", func() peg.ID {
		return t.Tag(peg.Arguments, t.Value(peg.ObjectValue|peg.PythonLiterals|peg.PythonQuotes))
	})
	return t.Choice(lenient, t.Tag(peg.Arguments, t.Schema(s.Only(jsonschema.Any), t.Value(peg.ObjectValue))))
}

// ArgumentName is the name of an argument, as text; empty: any name.
func (t *Turn) ArgumentName(name string) peg.ID {
	if name == "" {
		return t.NotChars(1, MaxName, noName...)
	}
	return t.Lit(name)
}

// noName are characters that no name of an argument has.
var noName = append([]peg.Range{{Lo: '<', Hi: '>'}, {Lo: '(', Hi: ')'}, {Lo: '"', Hi: '"'}, {Lo: ',', Hi: ','}, {Lo: '/', Hi: '/'}}, Blank...)

// List is a list of arguments as grammars hold to it: all that are required, in any order, with others between them.
type List struct {
	Required, Optional []peg.ID
	// Separator stands between two arguments; empty: nothing does.
	Separator string
	// Wrap matches one of ways and what the format writes around it; nil: nothing.
	Wrap func(ways ...peg.ID) peg.ID
	// Counted holds grammars to the number of required arguments, whichever they are.
	Counted bool
}

// Complete matches the arguments of a list.
func (t *Turn) Complete(l List) peg.ID {
	if len(l.Required)+len(l.Optional) == 0 {
		return t.Empty()
	}
	return t.complete(t.Fresh("arguments"), l)
}

// complete is Complete with rules whose names begin as given.
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

// separator matches what stands between two arguments.
func (t *Turn) separator(text string) peg.ID {
	if text == "" {
		return t.Empty()
	}
	return t.Seq(t.Lit(text), t.Space())
}

// lister builds a list.
type lister struct {
	*Turn
	l    List
	name string // what the names of its rules begin with
}

// from matches an argument and what follows it, when the set of required ones is still to come.
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

// behind matches what follows an argument.
func (b *lister) behind(set int) peg.ID {
	switch {
	case set != 0:
		return b.Seq(b.separator(b.l.Separator), b.from(set))
	case len(b.l.Optional) == 0:
		return b.Empty()
	}
	return b.Optional(b.separator(b.l.Separator), b.from(0))
}

// counted matches as many required arguments as there are, with others between them.
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
