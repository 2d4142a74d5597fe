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

type (
	// Literal is a constant.
	Literal struct {
		Pos
		Value value.Value
	}
	// Name is a variable.
	Name struct {
		Pos
		ID string
	}
	// Attribute is of.id.
	Attribute struct {
		Pos
		Of Node
		ID string
	}
	// Element is of[key].
	Element struct {
		Pos
		Of, Key Node
	}
	// Slice is of[start:stop:step].
	Slice struct {
		Pos
		Of, Start, Stop, Step Node // bounds may be nil
	}
	// Call is of(args).
	Call struct {
		Pos
		Of   Node
		Args Arguments
	}
	// Filter is of|id(args).
	Filter struct {
		Pos
		Of   Node // nil for the text of a block
		ID   string
		Args Arguments
	}
	// Test is "of is id(args)".
	Test struct {
		Pos
		Of   Node
		ID   string
		Args Arguments
	}
	// Binary is an arithmetic operation, or ~.
	Binary struct {
		Pos
		Op          string
		Left, Right Node
	}
	// Comparison is a chain of comparisons: a < b <= c.
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
	// Logical is "and" or "or".
	Logical struct {
		Pos
		Op          string
		Left, Right Node
	}
	// Unary is "not", + or -.
	Unary struct {
		Pos
		Op string
		Of Node
	}
	// Conditional is "then if test else otherwise".
	Conditional struct {
		Pos
		Then, Test, Otherwise Node // otherwise may be nil
	}
	// List is a list or a tuple.
	List struct {
		Pos
		Items []Node
		Tuple bool
	}
	// Object is a dict.
	Object struct {
		Pos
		Keys, Values []Node
	}
	// Concatenation is texts and values that are joined.
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

type (
	// NameTarget is a variable that is assigned to.
	NameTarget struct {
		Pos
		ID string
	}
	// TupleTarget is several targets that a sequence is unpacked to.
	TupleTarget struct {
		Pos
		Items []Node
	}
	// AttributeTarget is an attribute of a namespace that is assigned to.
	AttributeTarget struct {
		Pos
		Of *Name
		ID string
	}
)

type (
	// Data is text outside of tags.
	Data struct {
		Pos
		Text string
	}
	// Output is {{ of }}.
	Output struct {
		Pos
		Of  []Node
		one [1]Node // memory for a single expression
	}
	// If is {% if %}, with its branches.
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
	// For is {% for %}.
	For struct {
		Pos
		Target, Over, Test Node // test may be nil
		Body, Otherwise    []Node
		Recursive, Special bool // Special: the body uses a name that the loop may define
	}
	// Set is {% set target = value %}.
	Set struct {
		Pos
		Target, Value Node
	}
	// SetBlock is {% set x %}…{% endset %}.
	SetBlock struct {
		Pos
		Target Node
		Filter *Filter // or nil
		Body   []Node
	}
	// Macro is {% macro %}.
	Macro struct {
		Pos
		ID string
		Signature
		Body []Node
	}
	// CallBlock is {% call %}, or {% generation %}, which has no call.
	CallBlock struct {
		Pos
		Call *Call
		Signature
		Body []Node
	}
	// FilterBlock is {% filter %}.
	FilterBlock struct {
		Pos
		Filter *Filter
		Body   []Node
	}
	// With is {% with %}.
	With struct {
		Pos
		Targets, Values []Node
		Body            []Node
	}
	// Do is {% do %}.
	Do struct {
		Pos
		Of Node
	}
	// Jump is {% break %} or {% continue %}.
	Jump struct {
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
