package cache

import (
	"reflect"
	"sync"
)

// Derived is a field of a struct whose value follows from the other fields: keys leave it out.
type Derived[T any] struct{ Value T }

func (Derived[T]) derived() {}

var derivedType = reflect.TypeFor[interface{ derived() }]()

// knownFields holds, by the type of a struct, the places of the fields that are written to keys: []int.
var knownFields sync.Map

// fieldsOf returns the places of the fields of a struct that are not derived.
func fieldsOf(t reflect.Type) []int {
	if known, ok := knownFields.Load(t); ok {
		return known.([]int)
	}
	var fields []int
	for i := range t.NumField() {
		if f := t.Field(i).Type; f.Kind() != reflect.Struct || !f.Implements(derivedType) {
			fields = append(fields, i)
		}
	}
	knownFields.Store(t, fields)
	return fields
}
