package jinja

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Object is a mapping that keeps the order in which its keys were first set: a JSON object, a Python dict.
// The zero value is empty and ready to use.
type Object struct {
	keys    []Value
	values  []Value
	index   map[any]int // place of each key, made when the object is large; keyed by identity
	mutable bool        // made by the running template
}

// indexFrom is the number of keys from which an index pays.
const indexFrom = 9

// NewObject returns an empty object.
func NewObject() *Object { return &Object{} }

// newObject returns a changeable object with room for n keys.
func newObject(r *render, n int) *Object {
	r.growTimes(n+2, 32)
	both := r.take(2 * n)
	return &Object{keys: both[:0:n], values: both[n:n], mutable: true}
}

// Set puts v under key and returns the object. A nil v means None.
func (o *Object) Set(key string, v Value) *Object {
	o.put(nil, text(key), orNone(v))
	return o
}

// Get returns the value under key.
func (o *Object) Get(key string) (Value, bool) {
	if i := o.findText(key); i >= 0 {
		return o.values[i], true
	}
	return nil, false
}

// Len returns the number of keys.
func (o *Object) Len() int { return len(o.keys) }

// Keys returns the keys in their order, without those that are no strings.
func (o *Object) Keys() []string {
	keys := make([]string, 0, len(o.keys))
	for _, k := range o.keys {
		if s, ok := str(k); ok {
			keys = append(keys, s)
		}
	}
	return keys
}

// findText returns the place of a string key, or -1.
func (o *Object) findText(key string) int {
	if o.index != nil {
		if i, ok := o.index[key]; ok {
			return i
		}
		return -1
	}
	for i, k := range o.keys {
		if k, ok := k.(text); ok && string(k) == key {
			return i
		}
	}
	return -1
}

// find returns the place of a key, or -1. It raises when the key is of a type that cannot be one.
func (o *Object) find(r *render, key Value) int {
	if s, ok := str(key); ok {
		return o.findText(s)
	}
	id := identity(r, key, 0)
	if o.index != nil {
		if i, ok := o.index[id]; ok {
			return i
		}
		return -1
	}
	for i, k := range o.keys {
		if _, ok := k.(text); !ok && identity(r, k, 0) == id {
			return i
		}
	}
	return -1
}

// put sets key to v. r may be nil where nothing is charged.
func (o *Object) put(r *render, key, v Value) {
	if m, ok := key.(markup); ok {
		key = text(m)
	}
	if i := o.find(r, key); i >= 0 {
		o.values[i] = v
		return
	}
	o.keys, o.values = append(o.keys, key), append(o.values, v)
	switch {
	case o.index != nil:
		o.index[identity(r, key, 0)] = len(o.keys) - 1
	case len(o.keys) >= indexFrom:
		o.reindex(r)
	}
}

// remove takes the key at place i out.
func (o *Object) remove(r *render, i int) {
	r.charge(1 + len(o.keys)/16)
	o.keys = append(o.keys[:i:i], o.keys[i+1:]...)
	o.values = append(o.values[:i:i], o.values[i+1:]...)
	if o.index = nil; len(o.keys) >= indexFrom {
		o.reindex(r)
	}
}

// reindex makes the index anew.
func (o *Object) reindex(r *render) {
	o.index = make(map[any]int, 2*len(o.keys))
	for i, k := range o.keys {
		o.index[identity(r, k, 0)] = i
	}
}

// copyOf returns a changeable copy.
func (o *Object) copyOf(r *render) *Object {
	r.growTimes(o.Len(), 32)
	c := &Object{mutable: true}
	c.keys = append(c.keys, o.keys...)
	c.values = append(c.values, o.values...)
	if len(c.keys) >= indexFrom {
		c.reindex(r)
	}
	return c
}

// identity maps keys that are equal in Python to equal Go values: 1, 1.0 and True are one key.
func identity(r *render, key Value, depth int) any {
	switch k := key.(type) {
	case text:
		return string(k)
	case markup:
		return string(k)
	case none:
		return k
	case boolean:
		return integerOf(k)
	case integer:
		return k
	case *bigInteger:
		return bigIdentity(k.n.String())
	case float:
		if f := float64(k); f == math.Trunc(f) && math.Abs(f) < 1<<62 {
			return integer(f)
		}
		return k
	case *list:
		if k.tuple {
			return tupleIdentity(r, k, depth)
		}
	case *undefined:
		return undefinedKey{}
	case *function, *namespace, *span, *loop, *generator:
		return k
	}
	throw("TypeError", "unhashable type: '%s'", key.class())
	return nil
}

type (
	bigIdentity  string
	tupleKey     string
	undefinedKey struct{}
)

// tupleIdentity spells a tuple out, each element with its type and its length.
func tupleIdentity(r *render, l *list, depth int) any {
	if depth > depthOfValues {
		throw("RecursionError", "maximum recursion depth exceeded")
	}
	if r != nil {
		r.charge(1 + len(l.items))
	}
	var b strings.Builder
	for _, v := range l.items {
		s := spelledIdentity(identity(r, v, depth+1))
		b.WriteString(strconv.Itoa(len(s)) + ":" + s)
		if r != nil {
			r.grow(len(s))
		}
	}
	return tupleKey(b.String())
}

// spelledIdentity writes an identity as a text, with its type.
func spelledIdentity(id any) string {
	switch id := id.(type) {
	case string:
		return "s" + id
	case integer:
		return "i" + strconv.FormatInt(int64(id), 10)
	case bigIdentity:
		return "i" + string(id)
	case float:
		return "f" + strconv.FormatFloat(float64(id), 'g', -1, 64)
	case tupleKey:
		return "t" + string(id)
	}
	return fmt.Sprintf("%T%p", id, id)
}
