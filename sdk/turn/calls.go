package turn

import (
	"slices"
	"strconv"

	"github.com/dragoman-project/dragoman/sdk/jsonschema"
	"github.com/dragoman-project/dragoman/sdk/peg"
)

// nameRanges are the characters of names that no tool has.
var nameRanges = []peg.Range{{Lo: 'a', Hi: 'z'}, {Lo: 'A', Hi: 'Z'}, {Lo: '0', Hi: '9'}, {Lo: '_', Hi: '_'}, {Lo: '-', Hi: '.'}}

// ByName is a call from its name on: one alternative per tool, and one for tools that the request does not have. header
// makes of the name, as text, what introduces it and what closes it: an atomic region with the tag CallName; arguments is
// what follows, for the schema of the tool's parameters.
func (t *Turn) ByName(header func(name peg.ID) peg.ID, arguments func(jsonschema.Schema) peg.ID) peg.ID {
	return t.ByTool(func(name peg.ID, tool Tool) peg.ID {
		return t.Seq(header(name), arguments(tool.Parameters))
	})
}

// ByTool is a call, or a part of one, that depends on the tool: one alternative per tool, and one, for the parser alone, for
// tools that the request does not have, whose Tool has no name. name matches the tool's name.
func (t *Turn) ByTool(call func(name peg.ID, tool Tool) peg.ID) peg.ID {
	kids := make([]peg.ID, 0, len(t.Tools)+1)
	for _, tool := range t.Tools {
		kid := call(t.Lit(tool.Name), tool)
		if !tool.Allowed {
			kid = t.OnlyHere("other-tool", kid)
		}
		kids = append(kids, kid)
	}
	unknown := call(t.AnyName(), Tool{})
	return t.Choice(append(kids, t.OnlyHere("unknown-tool", unknown))...)
}

// AnyName is the name of a function, whichever it is.
func (t *Turn) AnyName() peg.ID { return t.Chars(1, maxName, nameRanges...) }

// WholeName is that name and not the beginning of a longer one.
func (t *Turn) WholeName(name string) peg.ID {
	return t.Seq(t.Lit(name), t.Not(t.Chars(1, 1, nameRanges...)))
}

// KnownName is the name of a tool that the request has; header is that of ByName.
func (t *Turn) KnownName(header func(name peg.ID) peg.ID) peg.ID {
	kids := make([]peg.ID, len(t.Tools))
	for i, tool := range t.Tools {
		kids[i] = header(t.Lit(tool.Name))
	}
	return t.Choice(kids...)
}

// Several is one call, or several where the request allows that; a second one is read in any case.
func (t *Turn) Several(call peg.ID, separator string) peg.ID {
	again := []peg.ID{call, t.Space()}
	if separator != "" {
		again = append([]peg.ID{t.Tolerate(t.Seq(t.Lit(separator), t.Space()))}, again...)
	}
	if !t.Request.ParallelToolCalls {
		again = []peg.ID{t.Only("next-call", again...)}
	}
	return t.Seq(call, t.Space(), t.Star(again...), t.tooMany(separator))
}

// tooMany is a separator that nothing follows, and the white space behind it.
func (t *Turn) tooMany(separator string) peg.ID {
	if separator == "" {
		return t.Empty()
	}
	return t.Optional(t.Only("too many "+separator, t.Lit(separator), t.Space()))
}

// maxOrders is how many required arguments are held to exactly, in every order: the grammar doubles with each. Of more,
// grammars hold to the number.
const maxOrders = 3

// Arguments are the arguments of a call, or the members of an object, one by one: for the parser any of them in any order and
// number, for grammars all that s requires. one makes the argument of a name, empty for any name, that follows a schema; it
// takes the white space behind it. separator stands between two; empty: nothing does.
func (t *Turn) Arguments(s jsonschema.Schema, separator string, one func(name string, s jsonschema.Schema) peg.ID) peg.ID {
	l := &list{Turn: t, separator: separator, name: t.Fresh("arguments")}
	required := s.Required()
	for _, p := range s.Properties() {
		id := one(p.Name, p.Schema)
		if slices.Contains(required, p.Name) {
			l.required = append(l.required, id)
		} else {
			l.optional = append(l.optional, id)
		}
	}
	if additional, open := s.Additional(); open {
		l.optional = append(l.optional, t.Once("argument "+additional.Key(), func() peg.ID { return one("", additional) }))
	}
	known := slices.Concat(l.required, l.optional)
	any := t.Choice(append(known, t.Once("~unknown-argument", func() peg.ID { return one("", jsonschema.Schema{}) }))...)
	read := t.Only(l.name, t.Optional(any, t.Star(l.sep(), any), t.tooMany(separator)))
	if len(known) == 0 {
		return t.Optional(read)
	}
	return t.Choice(read, l.exact())
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
		return t.NotChars(1, maxName, noName...)
	}
	return t.Lit(name)
}

// noName are characters that no name of an argument has.
var noName = append([]peg.Range{{Lo: '<', Hi: '>'}, {Lo: '(', Hi: ')'}, {Lo: '"', Hi: '"'}, {Lo: ',', Hi: ','}, {Lo: '/', Hi: '/'}}, blank...)

// list is a list of arguments as grammars hold to it.
type list struct {
	*Turn
	name, separator    string
	required, optional []peg.ID
}

func (l *list) sep() peg.ID {
	if l.separator == "" {
		return l.Empty()
	}
	return l.Seq(l.Lit(l.separator), l.Space())
}

// exact is all of the required arguments, in any order, with others between them.
func (l *list) exact() peg.ID {
	if len(l.required) > maxOrders {
		return l.counted()
	}
	whole := 1<<len(l.required) - 1
	if whole == 0 {
		return l.Optional(l.from(0))
	}
	return l.from(whole)
}

// from is an argument and what follows it, when the set of required ones is still to come.
func (l *list) from(set int) peg.ID {
	return l.Once(l.name+"-"+strconv.Itoa(set), func() peg.ID {
		var ways []peg.ID
		for i, r := range l.required {
			if rest := set &^ (1 << i); rest != set {
				ways = append(ways, l.Seq(r, l.behind(rest)))
			}
		}
		if len(l.optional) > 0 {
			next := l.Seq(l.sep(), l.from(set))
			if set == 0 {
				next = l.Optional(next)
			}
			ways = append(ways, l.Seq(l.Choice(l.optional...), next))
		}
		return l.Choice(ways...)
	})
}

// behind is what follows an argument.
func (l *list) behind(set int) peg.ID {
	switch {
	case set != 0:
		return l.Seq(l.sep(), l.from(set))
	case len(l.optional) == 0:
		return l.Empty()
	}
	return l.Optional(l.sep(), l.from(0))
}

// counted is as many required arguments as there are, with others between them.
func (l *list) counted() peg.ID {
	n := min(len(l.required), peg.MaxRepeat)
	required, before, after := l.Choice(l.required...), l.Empty(), l.Empty()
	if len(l.optional) > 0 {
		before = l.Star(l.Choice(l.optional...), l.sep())
		after = l.Star(l.sep(), l.Choice(l.optional...))
	}
	one := l.Rule(l.name+"-required", l.Seq(before, required))
	return l.Seq(one, l.Repeat(n-1, n-1, l.Seq(l.sep(), one)), after)
}
