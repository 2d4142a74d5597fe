package value

import (
	"github.com/dragoman-project/dragoman/autoparser/jinja/failure"
)

// Class implements Value.
func (*Undefined) Class() string { return "Undefined" }

// Undefined stands for what does not exist. It prints as nothing and counts as false; most other
// uses raise. Its message is composed only when it is needed.
type Undefined struct {
	Hint   string // the whole message, or "" to compose it
	Of     Value  // the value whose attribute or element is missing; nil for a variable
	Name   Value  // of the variable, attribute or element
	Unsafe bool   // it exists, but access is forbidden
}

func (u *Undefined) message() string {
	switch {
	case u.Hint != "":
		return u.Hint
	case u.Of == nil:
		return Printed(u.Name) + " is undefined"
	}
	name, ok := u.Name.(String)
	switch {
	case u.Unsafe:
		return "access to attribute " + Printed(name) + " of '" + u.Of.Class() + "' object is unsafe."
	case !ok:
		return describe(u.Of) + " has no element " + Printed(u.Name)
	}
	return "'" + describe(u.Of) + "' has no attribute " + Printed(name)
}

// Raise raises the error of using the value.
func (u *Undefined) Raise() {
	if u.Unsafe {
		failure.Throw("SecurityError", "%s", u.message())
	}
	failure.Throw("UndefinedError", "%s", u.message())
}

// describe returns the name of the type of v as in Jinja2's messages.
func describe(v Value) string {
	switch v := v.(type) {
	case None:
		return "None"
	case Special:
		return v.Describe()
	case *Namespace:
		return "jinja2.utils.Namespace object"
	case Markup:
		return "markupsafe.Markup object"
	}
	return v.Class() + " object"
}

// MustExist raises if one of vs is undefined.
func MustExist(vs ...Value) {
	for _, v := range vs {
		if u, ok := v.(*Undefined); ok {
			u.Raise()
		}
	}
}
