package grammar

import (
	"fmt"
	"unicode/utf8"

	"github.com/dragoman-project/dragoman/internal/cfg"
	"github.com/dragoman-project/dragoman/internal/cfg/charset"
	"github.com/dragoman-project/dragoman/internal/cfg/words"
	"github.com/dragoman-project/dragoman/internal/work"
	"github.com/dragoman-project/dragoman/sdk/grammar/rules"
	"github.com/dragoman-project/dragoman/sdk/grammar/schema"
	"github.com/dragoman-project/dragoman/sdk/grammar/target"
	"github.com/dragoman-project/dragoman/sdk/peg"
)

// builder turns the nodes of a program into expressions. After the first error its results are
// meaningless.
type builder struct {
	*rules.Set
	p       *peg.Program
	err     error
	untils  *words.Writer
	schemas *schema.Converter

	memo    map[peg.ID]*cfg.Expr
	active  map[peg.ID]bool      // nodes under construction
	depth   int                  // how many of them the innermost rule has
	tails   map[peg.ID]*cfg.Expr // results of fromTriggers
	parents []int
	scope   string   // the name of the enclosing rule
	from    []peg.ID // the Trigger rules that fromTriggers found
	visits  int      // nodes visited by headers

	content *cfg.Rule // what the content must follow; nil: anything
}

func newBuilder(m *work.Meter, p *peg.Program, engine target.Limits) (*builder, error) {
	b := &builder{
		p:       p,
		memo:    map[peg.ID]*cfg.Expr{},
		active:  map[peg.ID]bool{},
		tails:   map[peg.ID]*cfg.Expr{},
		parents: make([]int, len(p.Nodes)),
	}
	if int(p.Root) < 0 || int(p.Root) >= len(p.Nodes) {
		return nil, fmt.Errorf("program: no root node %d", p.Root)
	}
	for i, n := range p.Nodes {
		for _, k := range n.Kids {
			if int(k) < 0 || int(k) >= len(p.Nodes) {
				return nil, fmt.Errorf("program: node %d: no such child: %d", i, k)
			}
			b.parents[k]++
		}
		if len(n.Kids) == 0 && n.Op.Shape().HasOneKid() {
			return nil, fmt.Errorf("program: node %d: missing child (a rule that is used but never defined?)", i)
		}
	}
	b.Set = rules.New(engine.Engine, engine.Repetitions)
	b.Work = m
	b.untils = words.NewWriter(b.Names, b.Space)
	b.untils.Work = m
	b.schemas = schema.New(b.Set)
	return b, nil
}

func (b *builder) fail(format string, args ...any) *cfg.Expr {
	if b.err == nil {
		b.err = fmt.Errorf(format, args...)
	}
	return cfg.Nothing
}

// maxNested is how many nodes may stand within each other without a rule in between. What looks at an
// expression as a whole does so at each level.
const maxNested = 1000

// expr returns what a node matches.
func (b *builder) expr(id peg.ID) *cfg.Expr {
	if e, ok := b.memo[id]; ok {
		return e
	}
	n := &b.p.Nodes[id]
	if n.Op == peg.Rule || n.Op == peg.Trigger {
		return b.ruleNode(id, n)
	}
	if b.active[id] {
		return b.fail("program: node %d contains itself without a rule in between", id)
	}
	if b.depth == maxNested {
		return b.fail("program: node %d: more than %d nodes within each other; make rules of the inner ones", id, maxNested)
	}
	b.active[id] = true
	b.depth++
	e := b.node(id, n)
	b.depth--
	delete(b.active, id)
	if b.parents[id] > 1 && rules.IsCompound(e) {
		e = b.Rule("part", e)
	}
	b.memo[id] = e
	return e
}

// ruleNode returns the rule for a named node.
func (b *builder) ruleNode(id peg.ID, n *peg.Node) *cfg.Expr {
	if n.Tolerates() {
		b.memo[id] = cfg.Nothing
		return cfg.Nothing
	}
	r := b.NewRule(n.Text)
	b.memo[id] = r.Call()
	outer, depth := b.scope, b.depth
	b.scope, b.depth = r.Name, 0
	r.Body = b.expr(n.Kids[0])
	b.scope, b.depth = outer, depth
	return b.memo[id]
}

func (b *builder) node(id peg.ID, n *peg.Node) *cfg.Expr {
	switch n.Op {
	case peg.Literal:
		return b.literal(id, n.Text)
	case peg.Sequence:
		return b.untils.Seq(b.all(n.Kids)...)
	case peg.Choice:
		return b.alt(b.all(n.Kids))
	case peg.Repeat:
		return b.repeat(n.Min, n.Max, b.expr(n.Kids[0]))
	case peg.Any:
		return cfg.Class(charset.All)
	case peg.Chars:
		set := charsetOf(n)
		if n.Min == 0 && n.Max != 1 && len(set.Minus(charset.Blanks)) == 0 {
			return b.Space.Call()
		}
		return b.repeat(n.Min, n.Max, cfg.Class(set))
	case peg.Space:
		return b.Space.Call()
	case peg.Until:
		for _, d := range n.Delims {
			if !utf8.ValidString(d) {
				return b.fail("program: node %d: the delimiter %q is not UTF-8", id, d)
			}
		}
		return b.untils.Until(n.Delims)
	case peg.Value:
		return b.value(n.Values)
	case peg.StringContent:
		return cfg.Star(b.Char(n.Text == "'"))
	case peg.Tag:
		if n.Role == peg.Content && b.content != nil {
			return b.content.Call()
		}
		return b.expr(n.Kids[0])
	case peg.Atomic:
		return b.expr(n.Kids[0])
	case peg.Schema:
		return b.schema(id, n)
	}
	// Empty and End match no text. A grammar has no lookahead: Peek and Not restrict nothing.
	return cfg.Empty
}

// charsetOf returns the characters that a Chars node matches.
func charsetOf(n *peg.Node) charset.Set {
	ranges := make([]charset.Range, len(n.Ranges))
	for i, r := range n.Ranges {
		ranges[i] = charset.Range(r)
	}
	set := charset.New(ranges...)
	if n.Negated {
		set = set.Complement()
	}
	return set
}

func (b *builder) all(ids []peg.ID) []*cfg.Expr {
	kids := make([]*cfg.Expr, len(ids))
	for i, id := range ids {
		kids[i] = b.expr(id)
	}
	return kids
}

// alt returns the choice of kids. Each of those that are choices, too, is copied.
func (b *builder) alt(kids []*cfg.Expr) *cfg.Expr {
	for _, k := range kids {
		b.Work.Spend(1 + len(k.Kids))
	}
	return cfg.Alt(kids...)
}

func (b *builder) literal(id peg.ID, s string) *cfg.Expr {
	if !utf8.ValidString(s) {
		return b.fail("program: node %d: the literal %q is not UTF-8", id, s)
	}
	return cfg.Text(s)
}

// repeat returns lo to hi repetitions of e, within the limits of the engine.
func (b *builder) repeat(lo, hi int, e *cfg.Expr) *cfg.Expr {
	if lo = max(lo, 0); hi >= 0 && lo > hi {
		return b.fail("program: at least %d and at most %d repetitions cannot both hold", lo, hi)
	}
	lo, hi, e = b.Bounded(lo, hi, e)
	if hi < 0 {
		if turns := b.untils.Repeated(lo, e); turns != nil {
			return turns
		}
	}
	return cfg.Times(lo, hi, e)
}

func spellingOf(v peg.Values) rules.Spelling {
	return rules.Spelling{Literals: v&peg.PythonLiterals != 0, Quotes: v&peg.PythonQuotes != 0}
}

// valueNames are the rules for JSON values, in the order in which a choice lists them.
var valueNames = []struct {
	kind peg.Values
	name string
}{
	{peg.ObjectValue, "object"},
	{peg.ArrayValue, "array"},
	{peg.StringValue, "string"},
	{peg.NumberValue, "number"},
	{peg.BoolValue, "boolean"},
	{peg.NullValue, "null"},
}

// value returns the values of the kinds v.
func (b *builder) value(v peg.Values) *cfg.Expr {
	s := spellingOf(v)
	if v&peg.AnyJSON == peg.AnyJSON {
		return b.Value("value", s)
	}
	var kids []*cfg.Expr
	for _, k := range valueNames {
		if v&k.kind != 0 {
			kids = append(kids, b.Value(k.name, s))
		}
	}
	return cfg.Alt(kids...)
}
