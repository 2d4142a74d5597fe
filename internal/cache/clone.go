package cache

import (
	"reflect"
	"strings"
)

// Clone returns a deep copy of v that shares no string, slice or pointer with it, so that keeping the copy does not keep alive a
// whole request that v is a part of. Unexported fields are copied shallowly.
func Clone[T any](v T) T {
	clone(reflect.ValueOf(&v).Elem())
	return v
}

// clone replaces the memory that v refers to by copies.
func clone(v reflect.Value) {
	switch {
	case !v.CanSet():
	case v.Kind() == reflect.String:
		v.SetString(strings.Clone(v.String()))
	case v.Kind() == reflect.Struct:
		for i := range v.NumField() {
			clone(v.Field(i))
		}
	case v.Kind() == reflect.Pointer && !v.IsNil():
		next := reflect.New(v.Type().Elem())
		next.Elem().Set(v.Elem())
		clone(next.Elem())
		v.Set(next)
	case v.Kind() == reflect.Slice && !v.IsNil():
		next := reflect.MakeSlice(v.Type(), v.Len(), v.Len())
		reflect.Copy(next, v)
		for i := range next.Len() {
			if v.Type().Elem().Kind() == reflect.Uint8 {
				break // bytes are copied already
			}
			clone(next.Index(i))
		}
		v.Set(next)
	}
}
