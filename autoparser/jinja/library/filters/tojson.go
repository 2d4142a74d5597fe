package filters

import (
	"github.com/dragoman-project/dragoman/autoparser/jinja/failure"
	"github.com/dragoman-project/dragoman/autoparser/jinja/library"
	"github.com/dragoman-project/dragoman/autoparser/jinja/value"
)

var tojsonParameters = library.Takes().Or("ensure_ascii", value.False).Or("indent", value.None{}).Or("separators", value.None{}).Or("sort_keys", value.False)

// tojson is Python's json.dumps as transformers calls it: non-ASCII characters, <, > and & are not
// escaped.
func tojson(e *library.Env, in value.Value, a library.Arguments) value.Value {
	w := value.JSONFormat{ASCII: value.Truth(a.Values[0]), Items: ", ", Pairs: ": ", Sorted: value.Truth(a.Values[3])}
	if !value.IsNone(a.Values[1]) {
		w.Lines, w.Items = true, ","
		if s, ok := value.Text(a.Values[1]); ok {
			w.Indent = s
		} else {
			w.Indent = e.Times(" ", value.Index(a.Values[1]))
		}
	}
	if !value.IsNone(a.Values[2]) {
		pair := e.Unpack(a.Values[2], 2)
		w.Items, w.Pairs = value.NeedText(pair[0], "a separator"), value.NeedText(pair[1], "a separator")
	}
	e.JSON = e.AppendJSON(e.JSON[:0], in, w)
	return value.String(e.JSON)
}

// fromJSON is the inverse of tojson, which engines add to Jinja2: only tolerant rendering has it.
func fromJSON(e *library.Env, in value.Value, _ library.Arguments) value.Value {
	if !e.Tolerant {
		failure.Throw("TemplateRuntimeError", "No filter named 'from_json'.")
	}
	text := value.NeedText(in, "the JSON text")
	e.GrowTimes(len(text), jsonGrowth)
	v, err := value.Decode([]byte(text))
	if err != nil {
		failure.Throw("ValueError", "%v", err)
	}
	return v
}

// jsonGrowth is the memory that a decoded value takes at most for each byte of its text.
const jsonGrowth = 64
