package filters

import (
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
