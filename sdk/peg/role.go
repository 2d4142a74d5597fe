package peg

// Role is the meaning of the text under a Tag.
type Role uint8

// The roles of text. Content and reasoning belong to the message; the others build tool calls. A call is one region with
// the role Call; inside it CallID, CallName and the arguments may come in any order. The arguments are either one JSON
// object as it is (Arguments), or built from Object, Array, Key, String and Scalar, so that any syntax can be described
// and JSON is built in one place.
const (
	NoRole Role = iota
	// Content is text of the answer.
	Content
	// Reasoning is text of the thinking before the answer.
	Reasoning
	// Call is a whole tool call, from its first marker to its last.
	Call
	// CallID is the id of a call; delivered whole. The name may stand within it.
	CallID
	// CallName is the name of the function; delivered whole.
	CallName
	// Arguments is one JSON (or Python) object, delivered as JSON while it streams.
	Arguments
	// Object is an object whose members are tagged Key and then String, Scalar, Object or Array.
	Object
	// Array is an array whose items are tagged String, Scalar, Object or Array.
	Array
	// Key is the name of an argument or member, without quotes; delivered whole.
	Key
	// String is the raw text of a string value: it is escaped, not interpreted.
	String
	// QuotedString is the inside of a quoted JSON string value: escapes stay as they are.
	QuotedString
	// Scalar is a JSON or Python value of any kind; it is delivered as JSON.
	Scalar
	// Missing marks where the marker Text of the node should stand and does not. Nothing is delivered; the report counts it.
	Missing
)

// roleKind is a row of the table of roles.
type roleKind struct {
	name     string // as printed and encoded; it never changes
	delivery delivery
	argument bool // part of the arguments of a call
	commits  bool // its text, complete, decides between alternatives (see package match)
}

// delivery is when the text of a role is delivered.
type delivery uint8

const (
	unspoken delivery = iota // never: the role groups others
	streamed                 // byte by byte
	whole                    // in one piece, when it is complete
)

var roles = [...]roleKind{
	NoRole:       {name: "none"},
	Content:      {name: "content", delivery: streamed, commits: true},
	Reasoning:    {name: "reasoning", delivery: streamed, commits: true},
	Call:         {name: "call"},
	CallID:       {name: "call-id", delivery: whole},
	CallName:     {name: "call-name", delivery: whole, commits: true},
	Arguments:    {name: "arguments", delivery: streamed, argument: true, commits: true},
	Object:       {name: "object", argument: true},
	Array:        {name: "array", argument: true},
	Key:          {name: "key", delivery: whole, argument: true, commits: true},
	String:       {name: "string", delivery: streamed, argument: true, commits: true},
	QuotedString: {name: "quoted-string", delivery: streamed, argument: true, commits: true},
	Scalar:       {name: "scalar", delivery: streamed, argument: true, commits: true},
	Missing:      {name: "missing"},
}

func (r Role) exists() bool { return int(r) < len(roles) }

// row returns the row of the role; an unknown one has that of NoRole.
func (r Role) row() *roleKind {
	if !r.exists() {
		r = NoRole
	}
	return &roles[r]
}

// Streams reports whether text of the role is delivered byte by byte.
func (r Role) Streams() bool { return r.row().delivery == streamed }

// IsWhole reports whether text of the role is delivered in one piece, when it is complete. That makes it atomic.
func (r Role) IsWhole() bool { return r.row().delivery == whole }

// IsArgument reports whether the role is part of the arguments of a call.
func (r Role) IsArgument() bool { return r.row().argument }

// Commits reports whether text of the role, once complete, decides between the alternatives of a program.
func (r Role) Commits() bool { return r.row().commits }

// Brackets reports whether the role is an object or an array whose brackets the model need not write.
func (r Role) Brackets() bool { return r == Object || r == Array }

// inCall reports whether the role is part of a call.
func (r Role) inCall() bool { return r.IsArgument() || r == CallID || r == CallName }
