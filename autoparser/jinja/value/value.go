package value

// Value is a value of the template language: None, a boolean, a number, a string, a list, an object, or one of the
// things that only a template can make (a range, a macro, the loop variable). The constructors below make the values
// that a caller can pass. A nil Value means None.
//
// A value has no method that a template could call: what a template may do with it is in tables of this package. Values
// given to Render are never changed; a template may only change the lists and objects that it made itself.
type Value interface {
	// class is Python's name of the type, for messages.
	Class() string
}

type (
	None   struct{}
	Bool   bool
	Int    int64
	Float  float64
	String string
	Markup string // a string marked safe: {{ x|escape }}
)

func (None) Class() string { return "NoneType" }
func (Bool) Class() string { return "bool" }
func (Int) Class() string  { return "int" }

func (Float) Class() string  { return "float" }
func (String) Class() string { return "str" }
func (Markup) Class() string { return "Markup" }

func OrNone(v Value) Value {
	if v == nil {
		return None{}
	}
	return v
}

// Text returns the characters of a string, marked safe or not.
func Text(v Value) (string, bool) {
	switch v := v.(type) {
	case String:
		return string(v), true
	case Markup:
		return string(v), true
	}
	return "", false
}

// Special is a value that only a rendering makes, of a type that this package does not know: a function, the loop
// variable. It may have methods to iterate over it and to count its elements.
type Special interface {
	Value
	Repr() string
	// describe names its type as Jinja2's messages do.
	Describe() string
}

// True and False.
const (
	True  = Bool(true)
	False = Bool(false)
)
