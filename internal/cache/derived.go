package cache

import (
	"reflect"
)

// Derived is a field of a struct whose value follows from the other fields: keys leave it out.
type Derived[T any] struct{ Value T }

func (Derived[T]) derived() {}

var derivedType = reflect.TypeFor[interface{ derived() }]()
