package turn

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/dragoman-project/dragoman/sdk/jsonschema"
	"github.com/dragoman-project/dragoman/sdk/peg"
)

// maxOrders is the largest number of arguments that grammars follow in any order, so that each comes
// once: each doubles the grammar. maxStates bounds the rules for that of all tools. Of more arguments
// grammars follow only the required ones, and of more of those only in the order of declaration.
const (
	maxOrders = 7
	maxStates = 512
)

// Arguments matches the arguments of a call, or the members of an object, one by one. The parser
// accepts any of them, in any order and number; grammars require what s requires, each once, and
// allow the others once unless there are many. one builds the argument of a given name that follows a schema, including
// the white space after it; an empty name stands for any name that s does not declare. separator
// stands between two arguments and may be empty.
func (t *Turn) Arguments(s jsonschema.Schema, separator string, one func(name string, s jsonschema.Schema) peg.ID) peg.ID {
	outer := t.declared
	defer func() { t.declared = outer }()
	t.declared = nil
	l := List{Separator: separator}
	name := t.Fresh("arguments")
	required, properties := s.Required(), s.Properties()
	for _, p := range properties {
		l.Arguments = append(l.Arguments, Argument{Node: one(p.Name, p.Schema), Required: slices.Contains(required, p.Name)})
	}
	if additional, open := s.Additional(); open {
		l.Arguments = append(l.Arguments, Argument{Node: t.additional(properties, additional, one), Repeated: true})
	}
	any := t.Choice(append(l.nodes(), t.Once("~unknown-argument", func() peg.ID { return one("", jsonschema.Schema{}) }))...)
	read := t.Only(name, t.Optional(any, t.Star(t.separator(separator), any), t.tooMany(separator)))
	if len(l.Arguments) == 0 {
		return t.Optional(read)
	}
	return t.Choice(read, t.complete(name, l))
}

// additional builds an argument that s allows besides those declared.
func (t *Turn) additional(declared []jsonschema.Property, s jsonschema.Schema, one func(name string, s jsonschema.Schema) peg.ID) peg.ID {
	for _, p := range declared {
		t.declared = append(t.declared, p.Name)
	}
	defer func() { t.declared = nil }()
	return t.OncePer("argument", strings.Join(t.declared, "\x00")+" "+s.Key(), func() peg.ID { return one("", s) })
}

// Object matches the arguments of a call that are one JSON object. Grammars enforce s; the parser
// also accepts Python's literals and quotes.
func (t *Turn) Object(s jsonschema.Schema) peg.ID {
	lenient := t.Once("~lenient-object", func() peg.ID {
		return t.Tag(peg.Arguments, t.Value(peg.ObjectValue|peg.PythonLiterals|peg.PythonQuotes))
	})
	return t.Choice(lenient, t.Tag(peg.Arguments, t.Schema(s.Only(jsonschema.Any), t.Value(peg.ObjectValue))))
}

// ArgumentName matches the name of an argument as plain text; an empty name stands for any name
// that is not declared beside it.
func (t *Turn) ArgumentName(name string) peg.ID {
	if name == "" {
		return t.OtherThan(t.declared, noName...)
	}
	return t.Lit(name)
}

// noName holds the characters that no argument name contains.
var noName = append([]peg.Range{{Lo: '<', Hi: '>'}, {Lo: '(', Hi: ')'}, {Lo: '"', Hi: '"'}, {Lo: ',', Hi: ','}, {Lo: '/', Hi: '/'}}, Blank...)

// Declared returns the names of the arguments declared beside the one of any name that Arguments is
// building; nil elsewhere.
func (t *Turn) Declared() []string { return t.declared }

// OtherThan matches a text that is none of names, up to one of the characters ends.
func (t *Turn) OtherThan(names []string, ends ...peg.Range) peg.ID {
	if size := len(strings.Join(names, "")); size == 0 || size > maxNames {
		return t.NotChars(1, MaxName, ends...)
	}
	return t.otherThan(names, 0, ends)
}

// maxNames bounds the length of all names that another name is told from; with more, it may be one
// of them.
const maxNames = 1024

// otherThan is OtherThan for what follows the first at bytes, which all names share.
func (t *Turn) otherThan(names []string, at int, ends []peg.Range) peg.ID {
	var ways []peg.ID
	not := slices.Clone(ends)
	ended := at == 0
	for len(names) > 0 {
		if len(names[0]) == at {
			ended, names = true, names[1:]
			continue
		}
		first, size := utf8.DecodeRuneInString(names[0][at:])
		prefix := names[0][:at+size]
		same := func(name string) bool { return strings.HasPrefix(name, prefix) }
		ways = append(ways, t.Seq(t.Lit(prefix[at:]), t.otherThan(filter(names, same), at+size, ends)))
		names, not = slices.DeleteFunc(slices.Clone(names), same), append(not, peg.Range{Lo: first, Hi: first})
	}
	ways = append(ways, t.Seq(t.NotChars(1, 1, not...), t.NotChars(0, MaxName, ends...)))
	if !ended {
		ways = append(ways, t.Empty())
	}
	return t.Choice(ways...)
}

// filter returns those of names that keep wants.
func filter(names []string, keep func(string) bool) []string {
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool { return !keep(name) })
}

// List is a list of arguments as grammars enforce it: each that is required once, and the others at
// most once unless there are many, in any order unless many are required.
type List struct {
	Arguments []Argument
	// Separator stands between two arguments; it may be empty.
	Separator string
	// Wrap matches one of ways with the text that the format puts around each argument; nil means
	// Choice.
	Wrap func(ways ...peg.ID) peg.ID
}

// Argument is an argument of a List.
type Argument struct {
	Node     peg.ID
	Required bool
	// Repeated arguments may come any number of times: they stand for any name.
	Repeated bool
}

func (l List) nodes() []peg.ID {
	nodes := make([]peg.ID, len(l.Arguments))
	for i, a := range l.Arguments {
		nodes[i] = a.Node
	}
	return nodes
}

// Complete matches the arguments of a list.
func (t *Turn) Complete(l List) peg.ID {
	if len(l.Arguments) == 0 {
		return t.Empty()
	}
	return t.complete(t.Fresh("arguments"), l)
}

// complete is Complete with a prefix for the names of its rules.
func (t *Turn) complete(name string, l List) peg.ID {
	if l.Wrap == nil {
		l.Wrap = t.Choice
	}
	b := &lister{Turn: t, List: l, name: name}
	if !b.follow(func(a Argument) bool { return !a.Repeated }) && !b.follow(func(a Argument) bool { return a.Required }) {
		b.ordered = true
	}
	if b.needed(b.left) {
		return b.from(b.left)
	}
	return t.Optional(b.from(b.left))
}

// Items matches the items of an array that follows s, with separator between them. The parser accepts
// any number of them; grammars as many as s allows. item consumes the white space after it.
func (t *Turn) Items(s jsonschema.Schema, separator string, item peg.ID) peg.ID {
	next := t.Seq(t.separator(separator), item)
	any := t.OnlyHere("items", t.Optional(item, t.Star(next), t.tooMany(separator)))
	least, most := s.ItemCount()
	least = min(least, peg.MaxRepeat)
	switch {
	case most == 0:
		return t.Choice(any, t.Empty())
	case most > peg.MaxRepeat || most > 0 && most < least:
		most = -1
	}
	list := t.Seq(item, t.Repeat(max(least-1, 0), max(most-1, -1), next))
	if least == 0 {
		list = t.Optional(list)
	}
	return t.Choice(any, list)
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
	List
	name     string // the prefix of its rules' names
	left     []int  // the arguments that come once
	repeated []peg.ID
	ordered  bool // the arguments that come once come in their order
}

// follow decides which arguments come once. It reports whether there are few enough for any order.
func (b *lister) follow(once func(Argument) bool) bool {
	b.left, b.repeated = nil, nil
	for i, a := range b.List.Arguments {
		if once(a) {
			b.left = append(b.left, i)
		} else {
			b.repeated = append(b.repeated, a.Node)
		}
	}
	states := 1 << min(len(b.left), maxOrders+1)
	if len(b.left) > maxOrders || b.states+states > maxStates {
		return false
	}
	b.states += states
	return true
}

// needed reports whether one of the arguments left is required.
func (b *lister) needed(left []int) bool {
	return slices.ContainsFunc(left, func(i int) bool { return b.List.Arguments[i].Required })
}

// from matches an argument and what follows it.
func (b *lister) from(left []int) peg.ID {
	key := strconv.Itoa(len(left))
	if !b.ordered {
		key = fmt.Sprint(left)
	}
	return b.OncePer(b.name, key, func() peg.ID {
		var ways []peg.ID
		for at, i := range left {
			if at == 0 || !b.ordered {
				rest := slices.Delete(slices.Clone(left), at, at+1)
				ways = append(ways, b.Seq(b.one(i), b.behind(rest)))
			}
		}
		if len(b.repeated) > 0 {
			ways = append(ways, b.Seq(b.Wrap(b.repeated...), b.behind(left)))
		}
		return b.Choice(ways...)
	})
}

// one matches an argument. It is a rule, because each order of arguments contains it.
func (b *lister) one(i int) peg.ID {
	return b.OncePer(b.name+"-one", strconv.Itoa(i), func() peg.ID { return b.Wrap(b.List.Arguments[i].Node) })
}

// behind matches what follows an argument.
func (b *lister) behind(left []int) peg.ID {
	if len(left)+len(b.repeated) == 0 {
		return b.Empty()
	}
	next := b.Seq(b.separator(b.Separator), b.from(left))
	if b.needed(left) {
		return next
	}
	return b.Optional(next)
}
