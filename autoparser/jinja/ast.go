package jinja

// node is a part of a parsed template. offset is its place in the source.
type node interface{ offset() int }

type place int

func (p place) offset() int { return int(p) }

// Expressions.
type (
	literal struct {
		place
		value Value
	}
	name struct {
		place
		id string
	}
	attributeOf struct {
		place
		of node
		id string
	}
	elementOf struct {
		place
		of, key node
	}
	sliceOf struct {
		place
		of, start, stop, step node // bounds may be nil
	}
	call struct {
		place
		of   node
		args callArguments
	}
	filter struct {
		place
		of   node // nil for what a block captured
		id   string
		args callArguments
	}
	test struct {
		place
		of   node
		id   string
		args callArguments
	}
	binary struct {
		place
		op          string
		left, right node
	}
	comparison struct {
		place
		first node
		ops   []string
		rest  []node
		one   struct { // memory for a single operator
			op   [1]string
			rest [1]node
		}
	}
	logical struct { // and, or
		place
		op          string
		left, right node
	}
	unary struct { // not, +, -
		place
		op string
		of node
	}
	conditional struct {
		place
		then, test, otherwise node // otherwise may be nil
	}
	listOf struct {
		place
		items []node
		tuple bool
	}
	objectOf struct {
		place
		keys, values []node
	}
	concatenation struct {
		place
		parts []node
	}
)

// callArguments are the arguments of a call, a filter or a test.
type callArguments struct {
	values       []node
	names        []string // of the last of values, as many as there are
	spread, more node     // *spread and **more, or nil
}

// positional is the number of arguments without a name.
func (a *callArguments) positional() int { return len(a.values) - len(a.names) }

// Targets of assignments.
type (
	nameTarget struct {
		place
		id string
	}
	tupleTarget struct {
		place
		items []node
	}
	attributeTarget struct { // of a namespace
		place
		of *name
		id string
	}
)

// Statements.
type (
	data struct {
		place
		text string
	}
	output struct {
		place
		of  []node
		one [1]node // memory for a single expression
	}
	ifBlock struct {
		place
		tests     []node
		bodies    [][]node
		otherwise []node
		one       struct { // memory for a single test
			test [1]node
			body [1][]node
		}
	}
	forBlock struct {
		place
		target, over, test node // test may be nil
		body, otherwise    []node
		recursive, special bool // special: the body has a special name
	}
	assignment struct {
		place
		target, value node
	}
	capture struct { // {% set x %}…{% endset %}
		place
		target node
		filter *filter // or nil
		body   []node
	}
	macro struct {
		place
		id string
		signature
		body []node
	}
	callBlock struct { // {% call %}, and {% generation %}, which has no call
		place
		call *call
		signature
		body []node
	}
	filterBlock struct {
		place
		filter *filter
		body   []node
	}
	withBlock struct {
		place
		targets, values []node
		body            []node
	}
	evaluation struct { // {% do %}
		place
		of node
	}
	jump struct { // break, continue
		place
		to signal
	}
)

// signature is the parameter list of a macro. The defaults belong to the last parameters.
type signature struct {
	params   []*nameTarget
	defaults []node
	special  bool // the body has a special name
}
