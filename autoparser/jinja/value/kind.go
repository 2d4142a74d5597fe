package value

// Truth is Python's bool(v).
func Truth(v Value) bool {
	switch v := v.(type) {
	case Bool:
		return bool(v)
	case None, *Undefined:
		return false
	case String:
		return v != ""
	case Markup:
		return v != ""
	case Int:
		return v != 0
	case Float:
		return v != 0
	case *List:
		return len(v.Items) > 0
	case *Object:
		return v.Len() > 0
	case *View:
		return v.of.Len() > 0
	case *Range:
		return v.len() > 0
	}
	return true
}

// IsInteger reports whether v is an integer and not a boolean.
func IsInteger(v Value) bool {
	switch v.(type) {
	case Int, *BigInt:
		return true
	}
	return false
}

// IsNumber reports whether v is a number or a boolean.
func IsNumber(v Value) bool {
	switch v.(type) {
	case Int, *BigInt, Float, Bool:
		return true
	}
	return false
}

// IsSequence reports whether the test sequence holds for v.
func IsSequence(v Value) bool {
	switch v.(type) {
	case String, Markup, *List, *Object, *Range, *Undefined:
		return true
	}
	return false
}

// IsList reports whether v is a list and not a tuple.
func IsList(v Value) bool {
	l, ok := v.(*List)
	return ok && !l.Tuple
}

// IsMutable reports whether the template may change v: whether it made v itself.
func IsMutable(v Value) bool {
	switch v := v.(type) {
	case *List:
		return v.mutable
	case *Object:
		return v.mutable
	}
	return false
}
