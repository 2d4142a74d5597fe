package grammar

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/dragoman-project/dragoman/sdk/peg"
)

// Options say which constraint to make of a program.
type Options struct {
	// Mode: Strict constrains the whole output, Lazy what follows from the first trigger on. Free makes no constraint.
	Mode Mode
	// Prompt is the generation prompt, with which the program's input begins. A strict grammar covers what may follow it.
	Prompt string
	// Triggers replace those that a lazy constraint derives from the program's Trigger rules.
	Triggers []Trigger
	// Content is a grammar in GBNF that the content of a strict constraint must follow, such as a client's own: reasoning and
	// markers around it stay as the program has them. It does not go together with calls.
	Content string
	// Target is the notation to give the constraint in; empty: GBNF. Bounds that its engine refuses are relaxed.
	Target Target
	// Specials are the special tokens of the model, where they are known. A notation that tells a special token from its
	// spelling names them.
	Specials []string
}

// Build makes the constraint that a program stands for: its grammar accepts outputs that the program parses, and schemas
// are held to. It is nil when the mode is Free. An error says which node or which place of a schema is at fault, or that
// the program cannot begin with the prompt; what the grammar could only widen is in the constraint's Notes.
func Build(p *peg.Program, o Options) (*Constraint, error) {
	if o.Mode == Free {
		return nil, nil
	}
	b, err := newBuilder(p.Bind(o.Prompt))
	if err != nil {
		return nil, err
	}
	if b.limits, err = o.Target.limits(); err != nil {
		return nil, err
	}
	if err := b.holdContent(o); err != nil {
		return nil, err
	}
	c := &Constraint{Lazy: o.Mode == Lazy, Triggers: o.Triggers}
	root := &rule{name: "root", body: b.expr(b.p.Root)}
	if b.err != nil {
		return nil, b.err
	}
	if o.Mode == Lazy {
		root.body = b.fromTriggers(b.p.Root)
		if c.Triggers == nil {
			c.Triggers = b.triggers()
		}
	}
	if !prune(root) {
		return nil, b.emptyError(o.Mode)
	}
	if o.Mode == Strict {
		if root.body, err = after(root.body, b.space, o.Prompt); err != nil {
			return nil, err
		}
	}
	rules, _ := merge(root)
	if r := leftRecursive(rules, rules); r != nil {
		return nil, fmt.Errorf("program: rule %q begins with itself (left recursion)", r.name)
	}
	if c.Triggers == nil {
		c.Triggers = []Trigger{}
	}
	c.Grammar, c.Notes, c.scans = render(root), b.notes, b.untils.named()
	if err := c.translate(o.Target, o.Specials); err != nil {
		return nil, err
	}
	return c, nil
}

var errNoText = errors.New("program: it matches no text, so that its grammar would allow nothing")

func (b *builder) emptyError(m Mode) error {
	if m == Lazy {
		return errors.New("program: no trigger rule can be reached, so that a lazy grammar has no beginning: mark the beginning of a call as a trigger, or ask for a strict grammar")
	}
	return errNoText
}

// builder turns the nodes of a program into expressions. After the first fault it goes on without meaning.
type builder struct {
	p      *peg.Program
	limits Limits // of the engine
	err    error
	notes  []string
	noted  map[string]bool

	memo    map[peg.ID]*expr
	active  map[peg.ID]bool  // being turned into an expression
	tails   map[peg.ID]*expr // what fromTriggers said
	parents []int
	scope   string   // the name of the rule that surrounds the node at hand
	from    []peg.ID // the triggers that fromTriggers met
	looks   int      // nodes that headers looked at

	names   map[string]int // names taken, each with the last number that told another like it from it
	untils  untils
	values  map[valueKey]*rule
	classes map[string]*expr // classes of characters that patterns name, by quote and set
	space   *rule
	content *rule // what content must follow; nil: any
	room    int   // how many more expressions schemas may make
	states  int   // how many more states products may have
}

func newBuilder(p *peg.Program) (*builder, error) {
	b := &builder{
		p:       p,
		noted:   map[string]bool{},
		memo:    map[peg.ID]*expr{},
		active:  map[peg.ID]bool{},
		tails:   map[peg.ID]*expr{},
		parents: make([]int, len(p.Nodes)),
		names:   map[string]int{"root": 1},
		untils:  newUntils(),
		values:  map[valueKey]*rule{},
		classes: map[string]*expr{},
		room:    maxSchemaWork,
		states:  maxProducts,
	}
	if int(p.Root) < 0 || int(p.Root) >= len(p.Nodes) {
		return nil, fmt.Errorf("program: there is no node %d to begin with", p.Root)
	}
	for i, n := range p.Nodes {
		for _, k := range n.Kids {
			if int(k) < 0 || int(k) >= len(p.Nodes) {
				return nil, fmt.Errorf("program: node %d: there is no node %d", i, k)
			}
			b.parents[k]++
		}
		if len(n.Kids) == 0 && n.Op.Shape().HasOneKid() {
			return nil, fmt.Errorf("program: node %d: it needs a child (a rule that is used and never defined?)", i)
		}
	}
	b.space = b.named("space")
	b.space.body = alt(empty, text(" "), seq(times(1, 2, text("\n")), times(0, 20, oneOf(charsOf(" \t")))))
	return b, nil
}

// blanks is white space. Any amount of it is what a Space node allows, and in a grammar no more than that.
var blanks = charsOf(" \t\n\v\f\r")

func (b *builder) fail(format string, args ...any) *expr {
	if b.err == nil {
		b.err = fmt.Errorf(format, args...)
	}
	return nothing
}

func (b *builder) note(format string, args ...any) {
	if s := fmt.Sprintf(format, args...); !b.noted[s] {
		b.noted[s] = true
		b.notes = append(b.notes, s)
	}
}

// forget takes back the notes from number n on.
func (b *builder) forget(n int) {
	for _, s := range b.notes[n:] {
		delete(b.noted, s)
	}
	b.notes = b.notes[:n]
}

// fresh turns name into one that GBNF allows and that no other rule has.
func (b *builder) fresh(name string) string {
	clean := strings.Trim(strings.Map(func(r rune) rune {
		if r < 0x80 && isName(byte(r)) {
			return r
		}
		return '-'
	}, name), "-")
	if clean == "" {
		clean = "rule"
	}
	unique, n := clean, b.names[clean]
	for taken := n > 0; taken; taken = b.names[unique] > 0 {
		n++
		unique = clean + "-" + strconv.Itoa(n)
	}
	b.names[clean] = n
	b.names[unique] = max(b.names[unique], 1)
	return unique
}

// named is a new rule, named name or much like it.
func (b *builder) named(name string) *rule { return &rule{name: b.fresh(name)} }

// rule names e, unless a name would be no shorter.
func (b *builder) rule(name string, e *expr) *expr {
	if e.op == call || e.op == never || e.op == literal {
		return e
	}
	r := b.named(name)
	r.body = e
	return r.call()
}

// expr is what node id matches, as a grammar sees it.
func (b *builder) expr(id peg.ID) *expr {
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
	b.active[id] = true
	e := b.node(id, n)
	delete(b.active, id)
	if b.parents[id] > 1 && heavy(e) {
		e = b.rule("part", e)
	}
	b.memo[id] = e
	return e
}

// heavy says whether e is long enough to be worth a rule where it is used more than once.
func heavy(e *expr) bool {
	switch e.op {
	case sequence, choice:
		return true
	case repeat:
		return heavy(e.kids[0])
	}
	return false
}

// tolerance says whether a rule tolerates what a model should not write, and so has no place in a grammar.
func tolerance(name string) bool { return strings.HasPrefix(name, "~") }

// ruleNode makes a rule of a named node.
func (b *builder) ruleNode(id peg.ID, n *peg.Node) *expr {
	if tolerance(n.Text) {
		b.memo[id] = nothing
		return nothing
	}
	r := b.named(n.Text)
	b.memo[id] = r.call()
	outer := b.scope
	b.scope = r.name
	r.body = b.expr(n.Kids[0])
	b.scope = outer
	return b.memo[id]
}

func (b *builder) node(id peg.ID, n *peg.Node) *expr {
	switch n.Op {
	case peg.Literal:
		return b.literal(id, n.Text)
	case peg.Sequence:
		return b.seq(b.all(n.Kids)...)
	case peg.Choice:
		return alt(b.all(n.Kids)...)
	case peg.Repeat:
		return b.repeat(n.Min, n.Max, b.expr(n.Kids[0]))
	case peg.Any:
		return oneOf(everyChar)
	case peg.Chars:
		set := newCharset(n.Ranges...)
		if n.Negated {
			set = set.complement()
		}
		if n.Min == 0 && n.Max != 1 && len(set.minus(blanks)) == 0 {
			return b.space.call()
		}
		return b.repeat(n.Min, n.Max, oneOf(set))
	case peg.Space:
		return b.space.call()
	case peg.Until:
		for _, d := range n.Delims {
			if !utf8.ValidString(d) {
				return b.fail("program: node %d: the delimiter %q is not UTF-8", id, d)
			}
		}
		return b.until(n.Delims)
	case peg.Value:
		return b.value(n.Values)
	case peg.StringContent:
		return star(b.char(n.Text == "'"))
	case peg.Tag:
		if n.Role == peg.Content && b.content != nil {
			return b.content.call()
		}
		return b.expr(n.Kids[0])
	case peg.Atomic:
		return b.expr(n.Kids[0])
	case peg.Schema:
		return b.schema(id, n)
	}
	// Empty and End match nothing. A grammar has no lookahead: Peek and Not restrict nothing.
	return empty
}

func (b *builder) all(ids []peg.ID) []*expr {
	kids := make([]*expr, len(ids))
	for i, id := range ids {
		kids[i] = b.expr(id)
	}
	return kids
}

// seq is kids one after the other, as one writes them: white space once, and text together with the delimiter behind it.
func (b *builder) seq(kids ...*expr) *expr {
	e := seq(kids...)
	if e.op != sequence {
		return e
	}
	blank := func(k *expr) bool { return k.op == call && k.rule == b.space }
	kids = b.closed(slices.CompactFunc(slices.Clone(e.kids), func(k, l *expr) bool { return blank(k) && blank(l) }))
	return seq(b.guard(kids)...)
}

func (b *builder) literal(id peg.ID, s string) *expr {
	if !utf8.ValidString(s) {
		return b.fail("program: node %d: the literal %q is not UTF-8", id, s)
	}
	return text(s)
}

// repeat relaxes bounds that the engine refuses. What repeats is named when it is more than one element, because llama.cpp
// multiplies bounds inside each other.
func (b *builder) repeat(lo, hi int, e *expr) *expr {
	if lo = max(lo, 0); hi >= 0 && lo > hi {
		return b.fail("program: at least %d and at most %d repetitions cannot both hold", lo, hi)
	}
	most := b.limits.Repetitions
	if hi > most {
		b.note("at most %d repetitions cannot be held to: %s takes no more than %d", hi, b.limits.Engine, most)
		hi = -1
	}
	if lo > most {
		b.note("at least %d repetitions are only held to up to %d: %s takes no more", lo, most, b.limits.Engine)
		lo = most
	}
	if (lo > 16 || hi > 16) && heavy(e) || max(lo, hi) > 1 && counted(e) || repetitions(e) >= manyRepetitions {
		e = b.rule("item", e)
	}
	if hi < 0 {
		if turns := b.turns(lo, e); turns != nil {
			return turns
		}
	}
	return times(lo, hi, e)
}

// manyRepetitions is where what repeats within something that repeats itself may come near to what engines take together.
const manyRepetitions = maxRepetitions / 4

// repetitions is how often something within e itself may repeat by its bounds, all told.
func repetitions(e *expr) int {
	n := 0
	if e.op == repeat {
		n = max(e.min, e.max)
	}
	for _, k := range e.kids {
		n += repetitions(k)
	}
	return n
}

// counted says whether e itself repeats something a certain number of times.
func counted(e *expr) bool {
	return e.op == repeat && max(e.min, e.max) > 1 || slices.ContainsFunc(e.kids, counted)
}
