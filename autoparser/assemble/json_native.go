package assemble

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"github.com/dragoman-project/dragoman/sdk/jsonschema"
	"github.com/dragoman-project/dragoman/sdk/peg"
	"github.com/dragoman-project/dragoman/sdk/turn"
)

// jsonNative reads calls that are JSON: {"name": "f", "arguments": {…}}, {"f": {…}}, or nested in
// an outer member. White space is free, members may come in any order, and unknown members are
// skipped.
type jsonNative struct {
	*assembly
	keys  keys
	quote string
	bare  bool // no markers: only JSON with the name of a tool and its arguments is a call
}

// keys are the names of a call's members; nested ones without the name of the outer member.
type keys struct {
	outer, name, args string
	ids               []string
	idFirst           bool // the template writes the id before the name
	idNested          bool // it writes the id beside the name, within another member
	argsFirst         bool // it writes the arguments before the name
}

// Models know calls from many sources and mix up the names of their members.
var (
	usualNames = []string{"name", "function", "tool", "tool_name"}
	usualArgs  = []string{"arguments", "parameters", "args", "params", "input"}
)

// others returns the usual names of a member except its own.
func others(usual []string, own string) []string {
	return slices.DeleteFunc(slices.Clone(usual), func(name string) bool { return name == own })
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
	k.idNested = j.FunctionField != "" && strings.HasPrefix(cmp.Or(j.GenIDField, j.IDField), j.FunctionField+".")
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
	args := position(k.args)
	k.argsFirst = args >= 0 && args < position(k.name)
	quote := `"`
	if j.PythonDicts {
		quote = "'"
	}
	return jsonNative{assembly: a, keys: k, quote: quote, bare: a.m.Tools.SectionStart == "" && a.m.Tools.PerCallStart == ""}
}

// writesIDs reports whether the template writes an id.
func (j jsonNative) writesIDs() bool {
	return j.d.Tools.JSON.IDField != "" || j.d.Tools.JSON.GenIDField != ""
}

func (j jsonNative) opening() string { return "" }

func (j jsonNative) ways() []peg.ID {
	byName := j.Seq(j.before(), j.byName(j), j.closers())
	if j.d.Tools.JSON.NameIsKey || j.bare && !j.keys.argsFirst {
		return []peg.ID{byName}
	}
	if j.keys.argsFirst {
		return []peg.ID{j.OnlyHere("name-first", byName), j.argumentsFirst()}
	}
	return []peg.ID{byName, j.OnlyHere("arguments-first", j.argumentsFirst())}
}

func (j jsonNative) before() peg.ID {
	if j.d.Tools.JSON.NameIsKey {
		return j.Seq(j.Lit("{"), j.Space(), j.quoteMark())
	}
	name := []peg.ID{j.key(j.keys.name)}
	for _, other := range others(usualNames, j.keys.name) {
		name = append(name, j.OnlyHere("name-key", j.key(other)))
	}
	return j.Seq(j.beginning(), j.Choice(name...), j.quoteMark())
}

// beginning matches what precedes the name: brackets, an id, a type.
func (j jsonNative) beginning() peg.ID {
	outer := j.keys.outer
	if outer == "" {
		outer = "function"
	}
	nested := j.Seq(j.key(outer), j.Lit("{"), j.Space(), j.early(false))
	if j.keys.outer == "" {
		nested = j.Optional(j.OnlyHere("nested", nested))
	} else {
		nested = j.Tolerate(nested)
	}
	return j.Seq(j.Lit("{"), j.Space(), j.early(true), nested)
}

// early matches the members that may precede the name, an id or a type, in the call itself or in
// the member that the name is nested in.
func (j jsonNative) early(outermost bool) peg.ID {
	kind := j.Seq(j.kind(), j.Space(), j.comma())
	id := j.Seq(j.id(), j.Space(), j.comma())
	first, typed := j.OnlyHere("type", kind), j.OnlyHere("type", kind)
	if own := j.constants(outermost); len(own) > 0 {
		first = j.Choice(j.Seq(own...), first)
		typed = first
	} else if outermost && j.keys.outer != "" {
		typed = kind
	}
	switch {
	case j.keys.idFirst && j.keys.idNested != outermost:
		return j.Seq(j.Optional(first), j.Tolerate(id), j.Optional(typed))
	case outermost && j.keys.outer != "":
		return j.Seq(j.Optional(j.OnlyHere("id", id)), j.Optional(typed), j.Optional(j.OnlyHere("id", id)))
	}
	others := j.Star(j.OnlyHere("early", j.Choice(id, kind)))
	if len(j.constants(outermost)) > 0 {
		return j.Seq(j.Optional(first), others)
	}
	return others
}

// constants matches the members before the name that are the same in every call, in the call itself
// or in the member that the name is nested in.
func (j jsonNative) constants(outermost bool) []peg.ID {
	var own []peg.ID
	for _, constant := range j.d.Tools.JSON.Constants {
		path, value, _ := strings.Cut(constant, ": ")
		name, inside := strings.CutPrefix(path, j.keys.outer+".")
		if inside != outermost {
			own = append(own, j.key(name), j.Lit(value), j.Space(), j.comma())
		}
	}
	return own
}

func (j jsonNative) id() peg.ID {
	ids := make([]peg.ID, len(j.keys.ids))
	for i, id := range j.keys.ids {
		ids[i] = j.key(id)
	}
	text := j.Tag(peg.CallID, j.NotChars(0, turn.MaxName, inQuotesEnd...))
	return j.Seq(j.Choice(ids...), j.Choice(j.Seq(j.quoteMark(), text, j.quoteMark()), j.ordinal()))
}

// ordinal matches an id that is a number, as models write that count their calls.
func (j jsonNative) ordinal() peg.ID {
	number := j.Tag(peg.CallID, j.Chars(1, turn.MaxName, peg.Range{Lo: '0', Hi: '9'}))
	if j.d.Tools.JSON.GenIDField == "" {
		return j.OnlyHere("ordinal", number)
	}
	return number
}

func (j jsonNative) name(of ...turn.Tool) peg.ID {
	names := make([]peg.ID, len(of))
	for i, t := range of {
		names[i] = j.Lit(inQuotes(t.Name))
	}
	return j.Atomic(j.Tag(peg.CallName, j.Choice(names...)), j.closing())
}

func (j jsonNative) ahead() peg.ID {
	object := j.OneOf("{", `"{`, "null")
	if j.d.Tools.JSON.NameIsKey {
		return j.Seq(j.before(), j.name(j.Tools...), j.Blanks(), object)
	}
	if j.bare {
		return j.Seq(j.before(), j.name(j.Tools...))
	}
	arguments := j.Seq(j.comma(), j.argumentsKey(), object)
	named := j.Seq(j.before(), j.name(j.Tools...), j.Space(), j.members(), j.Choice(arguments, j.Lit("}")))
	if !j.keys.argsFirst {
		return named
	}
	return j.Choice(named, j.Seq(j.beginning(), j.argumentsKey(), j.Value(peg.ObjectValue|python), j.Space(), j.members(), j.comma(),
		j.key(j.keys.name), j.quoteMark(), j.name(j.Tools...)))
}

func (j jsonNative) anyName() (peg.ID, bool) {
	if j.bare {
		return 0, false
	}
	return j.Atomic(j.unknownName(), j.closing()), true
}

// closing matches what closes the name. Without markers, JSON is a call only if it continues with
// arguments.
func (j jsonNative) closing() peg.ID {
	switch {
	case j.d.Tools.JSON.NameIsKey && j.bare:
		return j.Seq(j.quoteMark(), j.Blanks(), j.Lit(":"), j.Blanks(), j.Peek(j.Lit("{")))
	case j.d.Tools.JSON.NameIsKey:
		return j.Seq(j.quoteMark(), j.Blanks(), j.Lit(":"))
	case j.bare:
		return j.Once("name-end", func() peg.ID {
			keys := []peg.ID{j.quoted(j.keys.args)}
			for _, other := range others(usualArgs, j.keys.args) {
				if !j.untold { // tools that a model lists have parameters, too
					keys = append(keys, j.OnlyHere("bare-arguments-key", j.quoted(other)))
				}
			}
			value := j.Choice(j.Lit("{"), j.OnlyHere("no-object", j.OneOf([]string{"null", `"{`}...)))
			return j.Seq(j.quoteMark(), j.Blanks(), j.Lit(","), j.Blanks(), j.Choice(keys...), j.Blanks(), j.Lit(":"), j.Blanks(), j.Peek(value))
		})
	}
	return j.quoteMark()
}

func (j jsonNative) arguments(t turn.Tool) peg.ID {
	if j.d.Tools.JSON.NameIsKey || j.bare {
		return j.Seq(j.Space(), j.object(t), j.Space())
	}
	key := j.Once("arguments-key", func() peg.ID { return j.Seq(j.Tolerate(j.Lit(",")), j.Space(), j.argumentsKey()) })
	late := j.Once("~members-first", func() peg.ID { return j.Seq(j.Peek(j.Seq(j.members(), key)), j.members()) })
	return j.Seq(j.Space(), j.Tolerate(j.Seq(j.Optional(late), key, j.object(t), j.Space()), j.otherArguments()))
}

// otherArguments matches arguments in a call that has no member for them: an object under another
// name or, in its place, the arguments one by one.
func (j jsonNative) otherArguments() peg.ID {
	return j.Once("~other-arguments", func() peg.ID {
		known := j.Seq(j.comma(), j.Choice(j.id(), j.kind()), j.Space())
		begin := j.Seq(j.Star(known), j.comma(), j.Not(j.Choice(j.counts()...)))
		object := j.Seq(begin, j.Value(peg.StringValue|peg.PythonQuotes), j.colon(), j.Peek(j.Lit("{")), j.lenientObject(), j.Space())
		key := j.Atomic(j.quoteMark(), j.Tag(peg.Key, j.NotChars(1, turn.MaxName, inQuotesEnd...)), j.quoteMark(), j.Blanks(), j.Lit(":"))
		member := j.Seq(begin, key, j.Space(), j.Tag(peg.Scalar, j.Value(peg.AnyPython)), j.Space())
		return j.Lacking(j.keys.args, j.Choice(object, j.Tag(peg.Object, j.Plus(member))))
	})
}

func (j jsonNative) argumentsKey() peg.ID {
	keys := []peg.ID{j.key(j.keys.args)}
	for _, other := range others(usualArgs, j.keys.args) {
		keys = append(keys, j.OnlyHere("other-key", j.key(other)))
	}
	return j.Choice(keys...)
}

// argumentsFirst matches a call whose name follows its arguments. The tool is not known when they
// are parsed, so only grammars enforce its schema.
func (j jsonNative) argumentsFirst() peg.ID {
	ways := []peg.ID{j.OnlyHere("whose", j.argumentsKey(), j.lenientObject(), j.Space(), j.members(), j.comma(), j.key(j.keys.name), j.quoteMark(), j.lateName())}
	for _, t := range j.Tools {
		if t.Allowed && j.keys.argsFirst {
			ways = append(ways, j.Seq(j.key(j.keys.args), j.object(t), j.Space(), j.comma(), j.key(j.keys.name), j.quoteMark(), j.Tag(peg.CallName, j.Lit(inQuotes(t.Name))), j.quoteMark()))
		}
	}
	return j.Seq(j.beginning(), j.Atomic(j.Choice(ways...)), j.Space(), j.closers())
}

// lateName matches the name of any tool after its arguments.
func (j jsonNative) lateName() peg.ID {
	return j.Seq(j.unknownName(), j.quoteMark())
}

// unknownName matches any name.
func (j jsonNative) unknownName() peg.ID {
	return j.Tag(peg.CallName, j.NotChars(1, 1, append(slices.Clone(inQuotesEnd), turn.Blank...)...), j.NotChars(0, turn.MaxName-1, inQuotesEnd...))
}

// inQuotesEnd are the characters that no name or id in quotes contains.
var inQuotesEnd = []peg.Range{{Lo: 0, Hi: 0x1f}, {Lo: '"', Hi: '"'}, {Lo: '\'', Hi: '\''}, {Lo: '\\', Hi: '\\'}}

func (j jsonNative) closers() peg.ID {
	if j.d.Tools.JSON.NameIsKey {
		return j.closeBrace()
	}
	var kids []peg.ID
	if j.writesIDs() && !j.keys.idFirst {
		kids = append(kids, j.members(), j.Tolerate(j.Seq(j.comma(), j.id(), j.Space())))
	}
	kids = append(kids, j.members(), j.Optional(j.OnlyHere("last-comma", j.comma(), j.Peek(j.Lit("}")))), j.closeBrace())
	if j.keys.outer != "" {
		kids = append(kids, j.members(), j.Tolerate(j.closeBrace()))
	}
	if !j.bare || j.keys.outer == "" {
		kids = append(kids, j.Star(j.OnlyHere("brace-too-many", j.Lit("}"), j.Space())))
	}
	return j.Seq(kids...)
}

// closeBrace matches a closing brace, which models forget before an end marker.
func (j jsonNative) closeBrace() peg.ID {
	brace := j.Seq(j.Lit("}"), j.Space())
	ends := nonempty(j.m.Tools.PerCallEnd, j.m.Tools.SectionEnd)
	if len(ends) == 0 {
		return brace
	}
	return j.Choice(brace, j.OnlyHere("no-brace", j.Peek(j.OneOf(respaced(ends...)...))))
}

// comma matches the comma before a member.
func (j jsonNative) comma() peg.ID { return j.Seq(j.Lit(","), j.Space()) }

// members matches members that the template does not write, or writes elsewhere. Their values have
// no place among the arguments, so the report counts them as dropped.
func (j jsonNative) members() peg.ID {
	name := "~member"
	if j.bare {
		name = "~bare-member"
	}
	return j.Star(j.Once(name, func() peg.ID {
		value := j.Value(peg.AnyPython)
		if !j.bare {
			value = j.Tag(peg.Scalar, value)
		}
		other := j.Seq(j.Not(j.Choice(j.counts()...)), j.Value(peg.StringValue|peg.PythonQuotes), j.colon(), value)
		return j.Seq(j.comma(), j.Choice(j.id(), j.kind(), other), j.Space())
	}))
}

// counts returns nodes for the names of members that make a call.
func (j jsonNative) counts() []peg.ID {
	counts := []peg.ID{j.quoted(j.keys.name)}
	for _, args := range append(others(usualArgs, j.keys.args), j.keys.args) {
		counts = append(counts, j.quoted(args))
	}
	return counts
}

// kind matches the type of a call, which is always a function.
func (j jsonNative) kind() peg.ID {
	other := j.OnlyHere("other-type", j.quoteMark(), j.AnyName(), j.quoteMark())
	return j.Seq(j.key("type"), j.Choice(j.quoted("function"), other))
}

// key matches the name of a member, up to its value.
func (j jsonNative) key(name string) peg.ID { return j.Seq(j.quoted(name), j.colon()) }

func (j jsonNative) colon() peg.ID { return j.Seq(j.Space(), j.Lit(":"), j.Space()) }

func (j jsonNative) quoted(text string) peg.ID {
	return j.Seq(j.quoteMark(), j.Lit(inQuotes(text)), j.quoteMark())
}

// quoteMark matches the template's own quote or, for the parser alone, the other one.
func (j jsonNative) quoteMark() peg.ID {
	return j.Once("quote", func() peg.ID {
		own, other := `"`, "'"
		if j.quote == other {
			own, other = other, own
		}
		return j.Choice(j.Lit(own), j.OnlyHere("other-quote", j.Lit(other)))
	})
}

// python is what values may contain besides JSON: models write what they know.
const python = peg.PythonLiterals | peg.PythonQuotes

// object matches the arguments of t: an object, a string that contains its JSON, or null. Grammars
// allow only the template's form and enforce the schema.
func (a *assembly) object(t turn.Tool) peg.ID {
	lenient := a.lenientObject()
	if a.d.Tools.JSON.ArgsAreString {
		return a.Choice(lenient, a.Tag(peg.Arguments, a.Value(peg.StringValue)))
	}
	return a.Choice(lenient, a.Tag(peg.Arguments, a.exact(peg.ObjectValue, t.Parameters)))
}

func (a *assembly) lenientObject() peg.ID {
	return a.Once("~lenient-arguments", func() peg.ID {
		return a.Tag(peg.Arguments, a.Value(peg.ObjectValue|peg.StringValue|peg.NullValue|python))
	})
}

// exact matches a value that follows the schema.
func (a *assembly) exact(kinds peg.Values, schema jsonschema.Schema) peg.ID {
	if schema.IsZero() {
		return a.Value(kinds)
	}
	return a.Schema(schema, a.Value(kinds))
}

// inQuotes returns text as JSON writes it between quotes.
func inQuotes(text string) string {
	quoted, err := json.Marshal(text)
	if err != nil {
		return text
	}
	return string(quoted[1 : len(quoted)-1])
}
