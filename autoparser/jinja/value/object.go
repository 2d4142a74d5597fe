package value

import (
	"fmt"
	"iter"
	"math"
	"strconv"
	"strings"

	"github.com/dragoman-project/dragoman/autoparser/jinja/failure"
	"github.com/dragoman-project/dragoman/autoparser/jinja/meter"
)

// Object is a mapping that keeps the order in which its keys were first set: a JSON object, a
// Python dict. The zero value is empty and ready to use.
type Object struct {
	keys    []Value
	values  []Value
	index   map[any]int // the place of each key by its Identity; nil in small objects
	mutable bool        // the running template made it
	json    *remembered // not nil if its JSON is remembered; see Remember
}

// indexFrom is the number of keys from which an index pays off.
const indexFrom = 9

// NewObject returns an empty object.
func NewObject() *Object { return &Object{} }

// NewObject returns an object that the template may change, with room for n keys.
func (h *Heap) NewObject(n int) *Object {
	h.GrowTimes(n+2, 32)
	both := h.Take(2 * n)
	return &Object{keys: both[:0:n], values: both[n:n], mutable: true}
}

// Set sets key to v and returns the object. A nil v means None.
func (o *Object) Set(key string, v Value) *Object {
	o.Put(nil, String(key), OrNone(v))
	return o
}

// Get returns the value of key, and whether it is set.
func (o *Object) Get(key string) (Value, bool) {
	if i := o.FindText(key); i >= 0 {
		return o.values[i], true
	}
	return nil, false
}

// Len returns the number of keys.
func (o *Object) Len() int { return len(o.keys) }

// Keys returns the keys that are strings, in order.
func (o *Object) Keys() []string {
	keys := make([]string, 0, len(o.keys))
	for _, k := range o.keys {
		if s, ok := Text(k); ok {
			keys = append(keys, s)
		}
	}
	return keys
}

// KeyAt returns the key at place i.
func (o *Object) KeyAt(i int) Value { return o.keys[i] }

// ValueAt returns the value at place i.
func (o *Object) ValueAt(i int) Value { return o.values[i] }

// Values returns the values, which must not be changed.
func (o *Object) Values() []Value { return o.values }

// SetAt sets the value at place i.
func (o *Object) SetAt(i int, v Value) { o.values[i] = v }

// Entries iterates over the keys and their values in order.
func (o *Object) Entries() iter.Seq2[Value, Value] {
	return func(yield func(key, v Value) bool) {
		for i := range o.keys {
			if !yield(o.keys[i], o.values[i]) {
				return
			}
		}
	}
}

// RemoveAll removes all keys.
func (o *Object) RemoveAll() { o.keys, o.values, o.index = nil, nil, nil }

// DistinctTexts reports whether keys suit NewRecord: strings, no two the same, and few.
func DistinctTexts(keys []Value) bool {
	o := &Object{}
	for _, k := range keys {
		if _, ok := k.(String); !ok {
			return false
		}
		o.Put(nil, k, None{})
	}
	return o.Len() == len(keys) && o.index == nil && len(keys) > 0
}

// NewRecord returns an object with these keys, which DistinctTexts accepts, and nil values, which
// the caller must set with SetAt. The keys are shared until the object gets another one.
func (h *Heap) NewRecord(keys []Value) *Object {
	h.GrowTimes(len(keys)+2, 32)
	return &Object{keys: keys[:len(keys):len(keys)], values: h.Take(len(keys)), mutable: true}
}

// FindText returns the place of a string key, or -1.
func (o *Object) FindText(key string) int {
	if o.index != nil {
		if i, ok := o.index[key]; ok {
			return i
		}
		return -1
	}
	for i, k := range o.keys {
		if k, ok := k.(String); ok && string(k) == key {
			return i
		}
	}
	return -1
}

// Find returns the place of a key, or -1. It raises if the key is not hashable.
func (o *Object) Find(h *Heap, key Value) int {
	if s, ok := Text(key); ok {
		return o.FindText(s)
	}
	id := Identity(h, key, 0)
	if o.index != nil {
		if i, ok := o.index[id]; ok {
			return i
		}
		return -1
	}
	for i, k := range o.keys {
		if _, ok := k.(String); !ok && Identity(h, k, 0) == id {
			return i
		}
	}
	return -1
}

// Put sets key to v. h may be nil if nothing has to be counted.
func (o *Object) Put(h *Heap, key, v Value) {
	if m, ok := key.(Markup); ok {
		key = String(m)
	}
	if i := o.Find(h, key); i >= 0 {
		o.values[i] = v
		return
	}
	o.keys, o.values = append(o.keys, key), append(o.values, v)
	switch {
	case o.index != nil:
		o.index[Identity(h, key, 0)] = len(o.keys) - 1
	case len(o.keys) >= indexFrom:
		o.reindex(h)
	}
}

// Remove removes the key at place i.
func (o *Object) Remove(h *Heap, i int) {
	h.Charge(1 + len(o.keys)/16)
	o.keys = append(o.keys[:i:i], o.keys[i+1:]...)
	o.values = append(o.values[:i:i], o.values[i+1:]...)
	if o.index = nil; len(o.keys) >= indexFrom {
		o.reindex(h)
	}
}

// reindex rebuilds the index.
func (o *Object) reindex(h *Heap) {
	o.index = make(map[any]int, 2*len(o.keys))
	for i, k := range o.keys {
		o.index[Identity(h, k, 0)] = i
	}
}

// CopyOf returns a copy that the template may change.
func (o *Object) CopyOf(h *Heap) *Object {
	h.GrowTimes(o.Len(), 32)
	c := &Object{mutable: true}
	c.keys = append(c.keys, o.keys...)
	c.values = append(c.values, o.values...)
	if len(c.keys) >= indexFrom {
		c.reindex(h)
	}
	return c
}

// DeepCopy returns a copy of a value with all lists and objects within it, which the template may change. Values of the caller are
// trees.
func (h *Heap) DeepCopy(v Value) Value {
	switch v := v.(type) {
	case *List:
		c := h.NewList(make([]Value, len(v.Items)))
		c.Tuple, c.Group = v.Tuple, v.Group
		for i, item := range v.Items {
			c.Items[i] = h.DeepCopy(item)
		}
		return c
	case *Object:
		c := v.CopyOf(h)
		for i, member := range c.values {
			c.values[i] = h.DeepCopy(member)
		}
		return c
	}
	return v
}

// Identity returns a Go value that is the same for keys that are equal in Python: 1, 1.0 and True
// are one key. It raises if the key is not hashable.
func Identity(h *Heap, key Value, depth int) any {
	switch k := key.(type) {
	case String:
		return string(k)
	case Markup:
		return string(k)
	case None:
		return k
	case Bool:
		return integerOf(k)
	case Int:
		return k
	case *BigInt:
		return bigIdentity(k.n.String())
	case Float:
		if f := float64(k); f == math.Trunc(f) && math.Abs(f) < 1<<62 {
			return Int(f)
		}
		return k
	case *List:
		if k.Tuple {
			return tupleIdentity(h, k, depth)
		}
	case *Undefined:
		return undefinedKey{}
	case *Namespace, *Range, *Generator, Special:
		return k
	}
	failure.Throw("TypeError", "unhashable type: '%s'", key.Class())
	return nil
}

type (
	bigIdentity  string
	tupleKey     string
	undefinedKey struct{}
)

// tupleIdentity encodes a tuple as a string: each element with its type and length.
func tupleIdentity(h *Heap, l *List, depth int) any {
	if depth > meter.MaxDepth {
		failure.Throw("RecursionError", "maximum recursion depth exceeded")
	}
	if h != nil {
		h.Charge(1 + len(l.Items))
	}
	var b strings.Builder
	for _, v := range l.Items {
		s := spelledIdentity(Identity(h, v, depth+1))
		b.WriteString(strconv.Itoa(len(s)) + ":" + s)
		if h != nil {
			h.Grow(len(s))
		}
	}
	return tupleKey(b.String())
}

// spelledIdentity encodes an identity and its type as a string.
func spelledIdentity(id any) string {
	switch id := id.(type) {
	case string:
		return "s" + id
	case Int:
		return "i" + strconv.FormatInt(int64(id), 10)
	case bigIdentity:
		return "i" + string(id)
	case Float:
		return "f" + strconv.FormatFloat(float64(id), 'g', -1, 64)
	case tupleKey:
		return "t" + string(id)
	}
	return fmt.Sprintf("%T%p", id, id)
}

// Namespace is the value of namespace(), whose attributes {% set ns.x = … %} assigns.
type Namespace struct{ Attributes *Object }

// Class implements Value.
func (*Object) Class() string { return "dict" }

// Class implements Value.
func (*Namespace) Class() string { return "Namespace" }
