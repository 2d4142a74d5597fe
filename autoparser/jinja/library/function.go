package library

import (
	"github.com/dragoman-project/dragoman/autoparser/jinja/failure"
	"github.com/dragoman-project/dragoman/autoparser/jinja/pystr"
	"github.com/dragoman-project/dragoman/autoparser/jinja/value"
)

// Function is a value that can be called: it has Call, or it is a method bound to self.
type Function struct {
	Name       string
	Printed    string
	Call       func(e *Env, a Arguments) value.Value
	self       value.Value
	method     *Builtin
	Attributes func(name string) value.Value // attributes of a macro, or nil
}

// Repr implements Special.
func (f *Function) Repr() string {
	if f.method != nil {
		return "<built-in method " + f.Name + " of " + f.self.Class() + " object>"
	}
	return f.Printed
}

// Class implements Value.
func (*Function) Class() string { return "function" }

// Describe implements Special.
func (*Function) Describe() string { return "function object" }

// Picker returns a function that returns the method id of a value, or nil.
func (l *Library) Picker(id string) func(value.Value) *Builtin {
	ofStr, ofDict, ofList := l.Methods["str"][id], l.Methods["dict"][id], l.Methods["list"][id]
	return func(v value.Value) *Builtin {
		switch v := v.(type) {
		case value.String:
			return ofStr
		case *value.Object:
			return ofDict
		case *value.List:
			if !v.Tuple {
				return ofList
			}
		case *value.Namespace, *Loop, *value.Undefined:
			return nil
		}
		return l.Methods[v.Class()][id]
	}
}

// Call is v(…).
func (e *Env) Call(v value.Value, a Arguments) value.Value {
	e.Charge(1)
	switch v := v.(type) {
	case *Function:
		if v.method != nil {
			return v.method.Apply(e, v.Name, v.self, a)
		}
		return v.Call(e, a)
	case *Loop:
		return v.recurse(a)
	case *value.Undefined:
		v.Raise()
	}
	failure.Throw("TypeError", "'%s' object is not callable", v.Class())
	return nil
}

// Spread adds **v.
func (a *Arguments) Spread(e *Env, v value.Value) {
	o, ok := v.(*value.Object)
	if !ok {
		value.MustExist(v)
		failure.Throw("TypeError", "argument after ** must be a mapping, not %s", v.Class())
	}
	for k, v := range o.Entries() {
		id := value.NeedText(k, "keywords")
		for _, n := range a.Named {
			if n.Name == id {
				failure.Throw("TypeError", "got multiple values for keyword argument '%s'", id)
			}
		}
		e.Grow(32)
		a.Named = append(a.Named, Binding{id, k, v})
	}
}

// Known returns b, and raises if it is nil: there is no filter or test of that name.
func Known(kind, id string, b *Builtin) *Builtin {
	if b == nil {
		failure.Throw("TemplateRuntimeError", "No %s named %s found.", kind, pystr.Quote(id))
	}
	return b
}
