package peg

import "strconv"

// Op is the kind of a node. Beside each kind stands what it matches and which fields of Node it uses; the table kinds
// holds everything else that is particular to it.
type Op uint8

// The kinds of nodes.
const (
	// Empty always matches, and consumes nothing.
	Empty Op = iota
	// End matches at the end of the input only.
	End
	// Literal matches Text.
	Literal
	// Sequence matches Kids one after the other.
	Sequence
	// Choice matches the first of Kids that matches; order is preference.
	Choice
	// Repeat matches Kids[0] at least Min and at most Max times; Max < 0 means no upper bound.
	Repeat
	// Peek succeeds without consuming anything where Kids[0] matches.
	Peek
	// Not succeeds without consuming anything where Kids[0] does not match.
	Not
	// Any matches one character.
	Any
	// Chars matches Min to Max characters (Max < 0: no upper bound) in the class Ranges, or outside it if Negated.
	Chars
	// Space matches white space, possibly none.
	Space
	// Until matches up to the nearest of Delims, or up to the end of the input; it does not consume the delimiter.
	// Without Delims it matches the rest of the input.
	Until
	// Value matches one whole JSON or Python value of the kinds that Values allows.
	Value
	// StringContent matches the inside of a quoted string, with escapes, up to the quote Text, which it does not consume.
	StringContent
	// Rule is a named rule: Text is its name, Kids[0] its body. Referring to the node means using the rule.
	Rule
	// Trigger is a rule at which a call begins: a lazy grammar starts there, and parsing resumes there after recovery.
	// Text is its name, Kids[0] its body.
	Trigger
	// Atomic matches Kids[0] and delivers nothing of it until it is complete.
	Atomic
	// Schema matches Kids[0]; the grammar built from the program enforces JSONSchema on it. Raw means that the text is the
	// bare content of a string value rather than JSON.
	Schema
	// Tag gives the text of Kids[0] the meaning Role. If Text is set, it is delivered instead of that text, for formats that
	// do not write a name, id or key. With the role Missing, Text is the marker.
	Tag
	// Prompt matches the generation prompt as the template writes it, up to the first of Delims in it. It must be bound to a
	// text (Program.Bind) before the program runs.
	Prompt
)

// Shape is how a node matches by means of its kids. Code that treats nodes of one shape alike need not know their kinds.
type Shape uint8

// The shapes of nodes.
const (
	// Leaf has no kids.
	Leaf Shape = iota
	// Chain matches any number of kids, one after the other.
	Chain
	// Alternatives matches one of its kids, of which there is at least one.
	Alternatives
	// Loop matches its kid Min to Max times.
	Loop
	// Lookahead tests what follows with its kid, and consumes nothing.
	Lookahead
	// Wrapper matches what its kid matches.
	Wrapper
)

// Shape returns how nodes of the kind are made. It is Leaf for unknown kinds.
func (o Op) Shape() Shape { return o.kind().shape }

// HasOneKid reports whether nodes of the shape have exactly one kid.
func (s Shape) HasOneKid() bool { return s >= Loop }

// kind is a row of the table of kinds of nodes. The functions about matching concern leaves; for other shapes the answer
// follows from the kids (Program.derive).
type kind struct {
	name  string // as printed and encoded; it never changes
	shape Shape

	consumes func(*Node) bool     // whether each match consumes at least one byte; nil: it need not
	ends     func(*Node) bool     // whether each match reaches the end of the input; nil: it need not
	rest     func(*Node) bool     // whether it can consume any amount of input without a delimiter; nil: no
	check    func(*validator, ID) // reports invalid fields; nil: any are valid
	text     func(*Node) string   // prints a leaf, or what precedes the kids of another node; nil: its name
}

// kinds is the table of kinds of nodes. Validation, printing and encoding read it here, and other packages through
// Op.String and Op.Shape. A new kind needs a row, a method of Builder, an instruction (sdk/peg/internal/code), a translation
// into grammars (sdk/grammar) and a message (sdk/proto, internal/wire).
var kinds = [...]kind{
	Empty:         {name: "empty"},
	End:           {name: "end", ends: always},
	Literal:       {name: "literal", consumes: always, check: checkLiteral, text: func(n *Node) string { return quote(n.Text) }},
	Sequence:      {name: "sequence", shape: Chain},
	Choice:        {name: "choice", shape: Alternatives},
	Repeat:        {name: "repeat", shape: Loop, check: checkRepeat},
	Peek:          {name: "peek", shape: Lookahead, text: func(*Node) string { return "&" }},
	Not:           {name: "not", shape: Lookahead, text: func(*Node) string { return "!" }},
	Any:           {name: "any", consumes: always, text: func(*Node) string { return "." }},
	Chars:         {name: "chars", consumes: func(n *Node) bool { return n.Min > 0 }, check: checkChars, text: charsText},
	Space:         {name: "space"},
	Until:         {name: "until", ends: isRest, rest: isRest, check: checkUntil, text: untilText},
	Value:         {name: "value", consumes: always, check: checkValue, text: valueText},
	StringContent: {name: "string", check: checkString, text: func(n *Node) string { return "string(" + quote(n.Text) + ")" }},
	Rule:          {name: "rule", shape: Wrapper},
	Trigger:       {name: "trigger", shape: Wrapper},
	Atomic:        {name: "atomic", shape: Wrapper, text: func(*Node) string { return "atomic(" }},
	Schema:        {name: "schema", shape: Wrapper, text: schemaText},
	Tag:           {name: "tag", shape: Wrapper, check: checkTag, text: tagText},
	Prompt:        {name: "prompt", check: checkPrompt, text: func(n *Node) string { return "prompt(" + quoteAll(n.Delims) + ")" }},
}

// unknown is the row of kinds that do not exist.
var unknown = kind{check: checkUnknown}

// kind returns the row of the kind.
func (o Op) kind() *kind {
	if int(o) < len(kinds) {
		return &kinds[o]
	}
	return &unknown
}

// String returns the name of the kind.
func (o Op) String() string {
	if int(o) < len(kinds) {
		return kinds[o].name
	}
	return strconv.Itoa(int(o))
}

// is reports what the column f of the table says about the node.
func (n *Node) is(f func(*Node) bool) bool { return f != nil && f(n) }

func always(*Node) bool { return true }

func isRest(n *Node) bool { return len(n.Delims) == 0 }

func isRule(n *Node) bool { return n.Op == Rule || n.Op == Trigger }
