package assemble

import "github.com/dragoman-project/dragoman/sdk/peg"

// separated are arguments as grammars hold to them where a separator stands between two: all that the tool requires, in any
// order, with others between them.
type separated struct {
	tagWithTagged
	required, optional []peg.ID
}

func (l separated) all() peg.ID {
	switch n := len(l.required); {
	case n+len(l.optional) == 0:
		return l.Empty()
	case n > maxOrders || n > 0 && len(l.Tools) > manyTools:
		return l.counted()
	case n == 0:
		return l.Optional(l.from(map[int]peg.ID{}, 0))
	default:
		return l.from(map[int]peg.ID{}, 1<<n-1)
	}
}

// one is one of several arguments.
func (l separated) one(ways ...peg.ID) peg.ID {
	return l.Seq(l.Lit(l.e.namePrefix), l.Choice(ways...), l.Space())
}

func (l separated) sep() peg.ID { return l.Seq(l.Lit(l.e.separator), l.Space()) }

// from is an argument and what follows it, when the set of required ones is still to come.
func (l separated) from(known map[int]peg.ID, set int) peg.ID {
	if id, ok := known[set]; ok {
		return id
	}
	name := l.Fresh("arguments")
	known[set] = l.Ref(name)
	var ways []peg.ID
	for i, r := range l.required {
		if rest := set &^ (1 << i); rest != set {
			ways = append(ways, l.Seq(l.one(r), l.behind(known, rest)))
		}
	}
	if len(l.optional) > 0 {
		next := l.Seq(l.sep(), l.Ref(name))
		if set == 0 {
			next = l.Optional(next)
		}
		ways = append(ways, l.Seq(l.one(l.optional...), next))
	}
	return l.Rule(name, l.Choice(ways...))
}

// behind is what follows an argument.
func (l separated) behind(known map[int]peg.ID, set int) peg.ID {
	switch {
	case set != 0:
		return l.Seq(l.sep(), l.from(known, set))
	case len(l.optional) == 0:
		return l.Empty()
	}
	return l.Optional(l.sep(), l.from(known, 0))
}

// counted is as many required arguments as there are, with others between them.
func (l separated) counted() peg.ID {
	n := min(len(l.required), peg.MaxRepeat)
	before, after := l.Empty(), l.Empty()
	if len(l.optional) > 0 {
		before = l.Star(l.one(l.optional...), l.sep())
		after = l.Star(l.sep(), l.one(l.optional...))
	}
	required := l.Named("required", l.Seq(before, l.one(l.required...)))
	return l.Seq(required, l.Repeat(n-1, n-1, l.Seq(l.sep(), required)), after)
}
