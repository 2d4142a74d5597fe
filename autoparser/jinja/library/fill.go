package library

import (
	"github.com/dragoman-project/dragoman/autoparser/jinja/failure"
	"github.com/dragoman-project/dragoman/autoparser/jinja/value"
)

// Fill adds the arguments of dict() or dict.update() to o: a mapping or pairs, then named
// arguments.
func (e *Env) Fill(o *value.Object, a Arguments) {
	if len(a.Values) > 1 {
		failure.Throw("TypeError", "dict expected at most 1 argument, got %d", len(a.Values))
	}
	for _, v := range a.Values {
		e.fillFrom(o, v)
	}
	for _, n := range a.Named {
		e.Grow(32)
		o.Put(&e.Heap, n.Key, n.Value)
	}
}

// fillFrom adds a mapping or pairs.
func (e *Env) fillFrom(o *value.Object, v value.Value) {
	if from, ok := v.(*value.Object); ok {
		for k, v := range from.Entries() {
			e.Grow(32)
			o.Put(&e.Heap, k, v)
		}
		return
	}
	for i, pair := range e.Collect(v) {
		if !value.CanIterate(pair) {
			failure.Throw("TypeError", "cannot convert dictionary update sequence element #%d to a sequence", i)
		}
		kv := e.Collect(pair)
		if len(kv) != 2 {
			failure.Throw("ValueError", "dictionary update sequence element #%d has length %d; 2 is required", i, len(kv))
		}
		e.Grow(32)
		o.Put(&e.Heap, kv[0], kv[1])
	}
}
