package value

// Value is a value of the template language: None, a boolean, a number, a string, a list, an
// object, or one of the values that only a rendering makes, such as a range, a macro or the loop
// variable. A nil Value means None.
type Value interface {
	// Class returns Python's name of the type, for messages.
	Class() string
}

// None is Python's None.
type None struct{}

// Bool is True or False.
type Bool bool

// Int is an int that fits into 64 bits.
type Int int64

// Float is a float. It prints as in Python: 1.0, 1e+16.
type Float float64

// String is a str, which should be valid UTF-8.
type String string

// Markup is a string marked safe: {{ x|escape }}.
type Markup string

// Class implements Value.
func (None) Class() string { return "NoneType" }

// Class implements Value.
func (Bool) Class() string { return "bool" }

// Class implements Value.
func (Int) Class() string { return "int" }

// Class implements Value.
func (Float) Class() string { return "float" }

// Class implements Value.
func (String) Class() string { return "str" }

// Class implements Value.
func (Markup) Class() string { return "Markup" }

// OrNone returns v, or None if v is nil.
func OrNone(v Value) Value {
	if v == nil {
		return None{}
	}
	return v
}

// Text returns the characters of a String or a Markup, and whether v is one.
func Text(v Value) (string, bool) {
	switch v := v.(type) {
	case String:
		return string(v), true
	case Markup:
		return string(v), true
	}
	return "", false
}

// Special is a value of a type that another package defines: a function, the loop variable. It may
// also be Iterable and Sized.
type Special interface {
	Value
	// Repr is Python's repr of the value.
	Repr() string
	// Describe returns the name of its type as in Jinja2's messages.
	Describe() string
}

// True and False.
const (
	True  = Bool(true)
	False = Bool(false)
)
