package assemble

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/dragoman-project/dragoman/sdk/peg"
)

// jsonNative reads calls that are JSON: {"name": "f", "arguments": {…}}, {"f": {…}}, or nested in a member of its own. The
// members may be spaced freely; others than the template's own are skipped; those behind the name may come in any order.
type jsonNative struct {
	*assembly
	keys  keys
	quote string
}

// keys are the names of the members of a call, the nested ones without the name of the outer.
type keys struct {
	outer, name, args string
	ids               []string
	idFirst           bool // the template writes the id before the name
}

func newJSONNative(a *assembly) jsonNative {
	j := a.d.Tools.JSON
	inner := func(field, otherwise string) string {
		field = strings.TrimPrefix(field, j.FunctionField+".")
		if field == "" {
			return otherwise
		}
		return field
	}
	k := keys{outer: j.FunctionField, name: inner(j.NameField, "name"), args: inner(j.ArgsField, "arguments")}
	k.ids = nonempty(inner(j.GenIDField, ""), inner(j.IDField, ""))
	position := func(field string) int {
		return slices.IndexFunc(j.ParameterOrder, func(p string) bool { return inner(p, "") == field })
	}
	if len(k.ids) > 0 {
		id := position(k.ids[0])
		k.idFirst = id >= 0 && id < position(k.name)
	}
	if len(k.ids) == 0 {
		k.ids = []string{"id"}
	}
	quote := `"`
	if j.PythonDicts {
		quote = "'"
	}
	return jsonNative{a, k, quote}
}

// writesIDs says that the template writes an id.
func (j jsonNative) writesIDs() bool {
	return j.d.Tools.JSON.IDField != "" || j.d.Tools.JSON.GenIDField != ""
}

func (j jsonNative) opening() string { return "" }

func (j jsonNative) before() peg.ID {
	if j.d.Tools.JSON.NameIsKey {
		return j.Seq(j.Lit("{"), j.Space(), j.quoteMark())
	}
	kids := []peg.ID{j.Lit("{"), j.Space(), j.early()}
	if j.keys.outer != "" {
		kids = append(kids, j.key(j.keys.outer), j.Lit("{"), j.Space(), j.early())
	}
	return j.Seq(append(kids, j.key(j.keys.name), j.quoteMark())...)
}

// early is what may stand before the name: an id, a type.
func (j jsonNative) early() peg.ID {
	kind := j.Seq(j.key("type"), j.quoted("function"), j.Space(), j.comma())
	id := j.Seq(j.id(), j.Space(), j.comma())
	if j.keys.idFirst {
		return j.Seq(j.Optional(j.only("type", kind)), j.tolerate(id), j.Optional(j.only("type", kind)))
	}
	if j.keys.outer != "" {
		return j.Seq(j.Optional(j.only("id", id)), j.Optional(kind), j.Optional(j.only("id", id)))
	}
	return j.Star(j.only("early", j.Choice(id, kind)))
}

func (j jsonNative) id() peg.ID {
	ids := make([]peg.ID, len(j.keys.ids))
	for i, id := range j.keys.ids {
		ids[i] = j.key(id)
	}
	text := j.Tag(peg.CallID, j.NotChars(0, maxName, peg.Range{Lo: 0, Hi: 0x1f}, peg.Range{Lo: '"', Hi: '"'}, peg.Range{Lo: '\'', Hi: '\''}, peg.Range{Lo: '\\', Hi: '\\'}))
	return j.Seq(j.Choice(ids...), j.quoteMark(), text, j.quoteMark())
}

func (j jsonNative) name(t tool) peg.ID {
	return j.Atomic(j.Tag(peg.CallName, j.Lit(inQuotes(t.Name))), j.closing())
}

func (j jsonNative) anyName() (peg.ID, bool) {
	if j.markerless() {
		return 0, false
	}
	return j.Atomic(j.Tag(peg.CallName, j.Chars(1, maxName, nameRanges...)), j.closing()), true
}

// closing closes the name. Without markers around the call, only JSON that goes on to arguments is one.
func (j jsonNative) closing() peg.ID {
	object := j.Peek(j.Lit("{"))
	switch {
	case j.d.Tools.JSON.NameIsKey && j.markerless():
		return j.Seq(j.quoteMark(), j.blanks(), j.Lit(":"), j.blanks(), object)
	case j.d.Tools.JSON.NameIsKey:
		return j.Seq(j.quoteMark(), j.blanks(), j.Lit(":"))
	case j.markerless():
		return j.Seq(j.quoteMark(), j.blanks(), j.Lit(","), j.blanks(), j.quoted(j.keys.args), j.blanks(), j.Lit(":"), j.blanks(), object)
	}
	return j.quoteMark()
}

func (j jsonNative) arguments(t tool) peg.ID {
	if j.d.Tools.JSON.NameIsKey || j.markerless() {
		return j.Seq(j.Space(), j.object(t), j.Space())
	}
	lead := j.once("before-arguments", func() peg.ID { return j.Seq(j.Space(), j.others()) })
	key := j.once("arguments-key", func() peg.ID { return j.Seq(j.comma(), j.key(j.keys.args)) })
	return j.Seq(lead, j.tolerate(key, j.object(t), j.Space()))
}

func (j jsonNative) closers() peg.ID {
	if j.d.Tools.JSON.NameIsKey {
		return j.closeBrace()
	}
	var kids []peg.ID
	if j.writesIDs() && !j.keys.idFirst {
		kids = append(kids, j.others(), j.tolerate(j.comma(), j.id(), j.Space()))
	}
	kids = append(kids, j.others(), j.closeBrace())
	if j.keys.outer != "" {
		kids = append(kids, j.others(), j.closeBrace())
	}
	return j.Seq(kids...)
}

func (j jsonNative) closeBrace() peg.ID { return j.Seq(j.Lit("}"), j.Space()) }

// comma is the comma before a member.
func (j jsonNative) comma() peg.ID { return j.Seq(j.Lit(","), j.Space()) }

// others are members that are not the template's own, or not where they should be.
func (j jsonNative) others() peg.ID { return j.Star(j.member()) }

func (j jsonNative) member() peg.ID {
	return j.once("~member", func() peg.ID {
		other := j.Seq(j.Not(j.quoted(j.keys.args)), j.Value(peg.StringValue|peg.PythonQuotes), j.colon(), j.Value(peg.AnyPython))
		return j.Seq(j.comma(), j.Choice(j.id(), other), j.Space())
	})
}

// key is the name of a member, up to its value.
func (j jsonNative) key(name string) peg.ID { return j.Seq(j.quoted(name), j.colon()) }

func (j jsonNative) colon() peg.ID { return j.Seq(j.Space(), j.Lit(":"), j.Space()) }

func (j jsonNative) quoted(text string) peg.ID {
	return j.Seq(j.quoteMark(), j.Lit(inQuotes(text)), j.quoteMark())
}

// quoteMark is the template's own quote; in Python's notation the other will do as well.
func (j jsonNative) quoteMark() peg.ID {
	if j.quote == `"` {
		return j.Lit(`"`)
	}
	return j.Choice(j.Lit("'"), j.only("double-quote", j.Lit(`"`)))
}

// python is what a value may have besides JSON: models write what they know.
const python = peg.PythonLiterals | peg.PythonQuotes

// object is the object of the arguments of t, a string that holds its text, or null. Grammars have it as the template does, and as
// the schema says.
func (a *assembly) object(t tool) peg.ID {
	lenient := a.once("~lenient-arguments", func() peg.ID {
		return a.Tag(peg.Arguments, a.Value(peg.ObjectValue|peg.StringValue|peg.NullValue|python))
	})
	if a.d.Tools.JSON.ArgsAreString {
		return a.Choice(lenient, a.Tag(peg.Arguments, a.Value(peg.StringValue)))
	}
	return a.Choice(lenient, a.Tag(peg.Arguments, a.exact(peg.ObjectValue, t.Parameters)))
}

// exact is a value as the schema says.
func (a *assembly) exact(kinds peg.Values, schema json.RawMessage) peg.ID {
	if len(schema) == 0 {
		return a.Value(kinds)
	}
	return a.Schema(schema, a.Value(kinds))
}

// inQuotes is text as it is written within the quotes of JSON.
func inQuotes(text string) string {
	quoted, err := json.Marshal(text)
	if err != nil {
		return text
	}
	return string(quoted[1 : len(quoted)-1])
}
