package syntax

import (
	"github.com/dragoman-project/dragoman/autoparser/jinja/value"
)

// Node is a node of a parsed template.
type Node interface {
	// Offset returns the place of the node in the source.
	Offset() int
}

// Pos is an offset in the source.
type Pos int

// Offset implements Node.
func (p Pos) Offset() int { return int(p) }

// The expressions.
type (
	// Literal is a constant.
	Literal struct {
		Pos
		Value value.Value
	}
	Name struct {
		Pos
		ID string
	}
	Attribute struct {
		Pos
		Of Node
		ID string
	}
	Element struct {
		Pos
		Of, Key Node
	}
	Slice struct {
		Pos
		Of, Start, Stop, Step Node // bounds may be nil
	}
	Call struct {
		Pos
		Of   Node
		Args Arguments
	}
	Filter struct {
		Pos
		Of   Node // nil for the text of a block
		ID   string
		Args Arguments
	}
	Test struct {
		Pos
		Of   Node
		ID   string
		Args Arguments
	}
	Binary struct {
		Pos
		Op          string
		Left, Right Node
	}
	Comparison struct {
		Pos
		First Node
		Ops   []string
		Rest  []Node
		one   struct { // memory for a single operator
			op   [1]string
			rest [1]Node
		}
	}
	Logical struct { // and, or
		Pos
		Op          string
		Left, Right Node
	}
	Unary struct { // not, +, -
		Pos
		Op string
		Of Node
	}
	Conditional struct {
		Pos
		Then, Test, Otherwise Node // otherwise may be nil
	}
	List struct {
		Pos
		Items []Node
		Tuple bool
	}
	Object struct {
		Pos
		Keys, Values []Node
	}
	Concatenation struct {
		Pos
		Parts []Node
	}
)

// Arguments are the arguments of a call, a filter or a test.
type Arguments struct {
	Values       []Node
	Names        []string // of the last values
	Spread, More Node     // *spread and **more, or nil
}

// Positional returns the number of arguments without a name.
func (a *Arguments) Positional() int { return len(a.Values) - len(a.Names) }

// The targets of assignments.
type (
	// NameTarget is a variable.
	NameTarget struct {
		Pos
		ID string
	}
	TupleTarget struct {
		Pos
		Items []Node
	}
	AttributeTarget struct { // of a namespace
		Pos
		Of *Name
		ID string
	}
)

// The statements.
type (
	// Data is text outside of tags.
	Data struct {
		Pos
		Text string
	}
	Output struct {
		Pos
		Of  []Node
		one [1]Node // memory for a single expression
	}
	If struct {
		Pos
		Tests     []Node
		Bodies    [][]Node
		Otherwise []Node
		one       struct { // memory for a single test
			test [1]Node
			body [1][]Node
		}
	}
	For struct {
		Pos
		Target, Over, Test Node // test may be nil
		Body, Otherwise    []Node
		Recursive, Special bool // Special: the body uses a name that the loop may define
	}
	Set struct {
		Pos
		Target, Value Node
	}
	SetBlock struct { // {% set x %}…{% endset %}
		Pos
		Target Node
		Filter *Filter // or nil
		Body   []Node
	}
	Macro struct {
		Pos
		ID string
		Signature
		Body []Node
	}
	CallBlock struct { // {% call %}, and {% generation %}, which has no call
		Pos
		Call *Call
		Signature
		Body []Node
	}
	FilterBlock struct {
		Pos
		Filter *Filter
		Body   []Node
	}
	With struct {
		Pos
		Targets, Values []Node
		Body            []Node
	}
	Do struct { // {% do %}
		Pos
		Of Node
	}
	Jump struct { // break, continue
		Pos
		Leaves bool // break, not continue
	}
)

// Signature is the parameter list of a macro. The defaults belong to the last parameters.
type Signature struct {
	Params   []*NameTarget
	Defaults []Node
	Special  bool // the body uses a name that the macro may define
}
