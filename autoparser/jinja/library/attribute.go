package library

import (
	"strings"

	"github.com/dragoman-project/dragoman/autoparser/jinja/value"
)

// Attribute is {{ v.name }}: an attribute of the Python object, or else an element of that name.
func (e *Env) Attribute(v value.Value, name string) value.Value {
	if x := e.LookUp(v, name); x != nil {
		return x
	}
	return &value.Undefined{Of: v, Name: value.String(name)}
}

// LookUp is Attribute, except that it returns nil instead of an undefined value.
func (e *Env) LookUp(v value.Value, name string) value.Value {
	value.MustExist(v)
	if x := e.Property(v, name); x != nil {
		return x
	}
	if o, ok := v.(*value.Object); ok {
		if i := o.FindText(name); i >= 0 {
			return o.ValueAt(i)
		}
	}
	return nil
}

// attributed is a value with attributes of its own and no methods: the loop variable, a cycler.
type attributed interface {
	Property(name string) value.Value
}

// Property returns an attribute of the Python object, or nil.
func (e *Env) Property(v value.Value, name string) value.Value {
	switch v := v.(type) {
	case *value.Namespace:
		if x, ok := v.Attributes.Get(name); ok {
			if strings.HasPrefix(name, "_") {
				return &value.Undefined{Of: v, Name: value.String(name), Unsafe: true}
			}
			return x
		}
		return nil
	case *Function:
		if v.Attributes != nil {
			return v.Attributes(name)
		}
	case *value.Range:
		if x := v.Property(name); x != nil {
			return x
		}
	case value.Int, value.Bool, *value.BigInt, value.Float:
		if x := part(v, name); x != nil {
			return x
		}
	case *value.Object:
		if v.FindText(name) >= 0 && !objectAttribute(name) {
			return nil
		}
	case *value.List:
		if v.Group && (name == "grouper" || name == "list") {
			return v.Items[strings.Index("g l", name[:1])/2]
		}
	case attributed:
		return v.Property(name)
	}
	if strings.HasPrefix(name, "__") && strings.HasSuffix(name, "__") {
		return &value.Undefined{Of: v, Name: value.String(name), Unsafe: true}
	}
	if m := e.Lib.Methods[v.Class()][name]; m != nil {
		return m.bound(v, name)
	}
	return nil
}

// objectAttribute reports whether a name is not reserved, or is an attribute of Python's dict.
func objectAttribute(name string) bool {
	const all = " __class__ __class_getitem__ __contains__ __delattr__ __delitem__ __dir__ __doc__ __eq__ __format__ __ge__" +
		" __getattribute__ __getitem__ __getstate__ __gt__ __hash__ __init__ __init_subclass__ __ior__ __iter__ __le__ __len__" +
		" __lt__ __ne__ __new__ __or__ __reduce__ __reduce_ex__ __repr__ __reversed__ __ror__ __setattr__ __setitem__" +
		" __sizeof__ __str__ __subclasshook__ "
	return !strings.HasPrefix(name, "__") || strings.Contains(all, " "+name+" ")
}

// part returns an attribute of a number, or nil.
func part(v value.Value, name string) value.Value {
	_, isFloat := v.(value.Float)
	switch {
	case name == "real", name == "numerator" && !isFloat:
		return value.Positive(v)
	case name == "imag" && isFloat:
		return value.Float(0)
	case name == "imag":
		return value.Int(0)
	case name == "denominator" && !isFloat:
		return value.Int(1)
	}
	return nil
}

// Element is {{ v[key] }}: an element, or else an attribute.
func (e *Env) Element(v, key value.Value) value.Value {
	switch v := v.(type) {
	case *value.Undefined:
		v.Raise()
	case *value.Object:
		if i, ok := v.Lookup(&e.Heap, key); ok {
			return v.ValueAt(i)
		}
	default:
		if x := e.Item(v, key); x != nil {
			return x
		}
	}
	if name, ok := value.Text(key); ok {
		if x := e.Property(v, name); x != nil {
			return x
		}
	}
	return &value.Undefined{Of: v, Name: key}
}
