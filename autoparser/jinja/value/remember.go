package value

import (
	"strings"
	"sync/atomic"
)

// remembered is the JSON of an object as it was written last.
type remembered struct{ last atomic.Pointer[encoded] }

// encoded is the JSON of an object in a format and at a depth.
type encoded struct {
	format JSONFormat
	depth  int
	text   string
	steps  int // that writing it took
}

// Remember makes the objects in a list remember their JSON, in the format in which it was asked for last. It is for values that
// many renderings share and none can change. The steps and the memory that a rendering counts are those of writing it again.
func Remember(v Value) {
	list, ok := v.(*List)
	if !ok {
		return
	}
	for _, item := range list.Items {
		if o, ok := item.(*Object); ok {
			o.json = new(remembered)
		}
	}
}

// object writes o, whose JSON is remembered.
func (r *remembered) object(w *jsonWriter, o *Object, depth int) {
	if e := r.last.Load(); e != nil && e.format == w.JSONFormat && e.depth == depth {
		w.charge(e.steps)
		w.b = append(w.b, e.text...)
		return
	}
	from, steps := len(w.b), w.steps
	w.object(o, depth)
	format := w.JSONFormat // whose texts may be parts of a whole request
	format.Indent, format.Items, format.Pairs = strings.Clone(format.Indent), strings.Clone(format.Items), strings.Clone(format.Pairs)
	r.last.Store(&encoded{format, depth, string(w.b[from:]), w.steps - steps})
}
