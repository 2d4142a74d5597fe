package kept

import (
	"reflect"
	"strings"
)

// Own is a value that shares no text, slice or pointer with v: what is kept must not keep alive all that v is a part of, such as
// the request that it was cut from. Fields that are not exported stay as they are.
func Own[T any](v T) T {
	own(reflect.ValueOf(&v).Elem())
	return v
}

// own gives what is in v a memory of its own.
func own(v reflect.Value) {
	switch {
	case !v.CanSet():
	case v.Kind() == reflect.String:
		v.SetString(strings.Clone(v.String()))
	case v.Kind() == reflect.Struct:
		for i := range v.NumField() {
			own(v.Field(i))
		}
	case v.Kind() == reflect.Pointer && !v.IsNil():
		next := reflect.New(v.Type().Elem())
		next.Elem().Set(v.Elem())
		own(next.Elem())
		v.Set(next)
	case v.Kind() == reflect.Slice && !v.IsNil():
		next := reflect.MakeSlice(v.Type(), v.Len(), v.Len())
		reflect.Copy(next, v)
		for i := range next.Len() {
			if v.Type().Elem().Kind() == reflect.Uint8 {
				break // bytes are copied
			}
			own(next.Index(i))
		}
		v.Set(next)
	}
}
