package library

import (
	"github.com/dragoman-project/dragoman/autoparser/jinja/fault"
	"github.com/dragoman-project/dragoman/autoparser/jinja/pystr"
	"github.com/dragoman-project/dragoman/autoparser/jinja/value"
)

// allFilters is every filter a template can name. Where Jinja2 and transformers differ, tojson is transformers'.
func allFilters() map[string]*Builtin {
	m := map[string]*Builtin{
		// any value
		"default": {Params: []parameter{{"default_value", value.String("")}, {"boolean", value.False}}, run: defaultFilter},
		"string":  {run: stringFilter},
		"tojson":  {Params: tojsonParameters, run: tojson},
		"attr":    {Params: takes("name"), run: attrFilter},
		"length":  {run: func(e *Env, in value.Value, _ Arguments) value.Value { return value.Int(e.Length(in)) }},
		"escape":  {run: escapeFilter},
		"forceescape": {run: func(e *Env, in value.Value, _ Arguments) value.Value {
			return value.Markup(value.Escape(&e.Heap, e.Str(in)))
		}},
		"safe": {run: safeFilter},

		// numbers
		"abs":            {run: absolute},
		"int":            {Params: []parameter{{"default", value.Int(0)}, {"base", value.Int(10)}}, run: intFilter},
		"float":          {Params: []parameter{{"default", value.Float(0)}}, run: floatFilter},
		"round":          {Params: []parameter{{"precision", value.Int(0)}, {"method", value.String("common")}}, run: round},
		"filesizeformat": {Params: []parameter{{"binary", value.False}}, run: fileSize},

		// strings
		"upper":      {run: onText(func(_ *Env, s string) string { return pystr.Upper(s) })},
		"lower":      {run: onText(func(_ *Env, s string) string { return pystr.Lower(s) })},
		"capitalize": {run: onText(func(_ *Env, s string) string { return pystr.Capitalize(s) })},
		"title":      {run: onText(titleWords)},
		"trim":       {Params: []parameter{{"chars", value.None{}}}, run: trim},
		"striptags":  {run: stripTags},
		"replace":    {Params: []parameter{{"old", nil}, {"new", nil}, {"count", value.None{}}}, run: replaceFilter},
		"center":     {Params: []parameter{{"width", value.Int(80)}}, run: center},
		"indent":     {Params: []parameter{{"width", value.Int(4)}, {"first", value.False}, {"blank", value.False}}, run: indent},
		"truncate":   {Params: []parameter{{"length", value.Int(255)}, {"killwords", value.False}, {"end", value.String("...")}, {"leeway", value.None{}}}, run: truncate},
		"wordcount":  {run: wordCount},
		"format":     {Variadic: true, Keywords: true, run: formatFilter},
		"urlencode":  {run: urlEncode},
		"xmlattr":    {Params: []parameter{{"autospace", value.True}}, run: xmlAttributes},

		// sequences
		"first":   {run: first},
		"last":    {run: last},
		"list":    {run: func(e *Env, in value.Value, _ Arguments) value.Value { return e.NewList(e.copied(in)) }},
		"join":    {Params: []parameter{{"d", value.String("")}, {"attribute", value.None{}}}, run: joinFilter},
		"reverse": {run: reverse},
		"sort":    {Params: []parameter{{"reverse", value.False}, {"case_sensitive", value.False}, {"attribute", value.None{}}}, run: sortFilter},
		"unique":  {Params: []parameter{{"case_sensitive", value.False}, {"attribute", value.None{}}}, run: unique},
		"min":     {Params: []parameter{{"case_sensitive", value.False}, {"attribute", value.None{}}}, run: extreme(func(e *Env, k, best value.Value) bool { return e.Less(k, best) })},
		"max":     {Params: []parameter{{"case_sensitive", value.False}, {"attribute", value.None{}}}, run: extreme(func(e *Env, k, best value.Value) bool { return e.Less(best, k) })},
		"sum":     {Params: []parameter{{"attribute", value.None{}}, {"start", value.Int(0)}}, run: sum},
		"batch":   {Params: []parameter{{"linecount", nil}, {"fill_with", value.None{}}}, run: batch},
		"slice":   {Params: []parameter{{"slices", nil}, {"fill_with", value.None{}}}, run: columns},
		"groupby": {Params: []parameter{{"attribute", nil}, {"default", value.None{}}, {"case_sensitive", value.False}}, run: groupBy},

		// lazy sequences
		"map":        {Variadic: true, Keywords: true, run: mapFilter},
		"select":     {Variadic: true, Keywords: true, run: selects(true, false)},
		"reject":     {Variadic: true, Keywords: true, run: selects(false, false)},
		"selectattr": {Variadic: true, Keywords: true, run: selects(true, true)},
		"rejectattr": {Variadic: true, Keywords: true, run: selects(false, true)},

		// objects
		"items":    {run: items},
		"dictsort": {Params: []parameter{{"case_sensitive", value.False}, {"by", value.String("key")}, {"reverse", value.False}}, run: dictSort},

		"wordwrap": {Refused: "its rules for words and hyphens are those of Python's textwrap"},
		"pprint":   {Refused: "its layout is that of Python's pretty printer; use tojson(indent=2)"},
		"random":   {Refused: "a prompt must not depend on chance"},
		"urlize":   {Refused: "a prompt has no links"},
	}
	for alias, name := range map[string]string{"d": "default", "e": "escape", "count": "length"} {
		m[alias] = m[name]
	}
	return m
}

// defaultFilter replaces what is undefined and, if asked to, what is false.
func defaultFilter(_ *Env, in value.Value, a Arguments) value.Value {
	if _, ok := in.(*value.Undefined); ok || value.Truth(a.Values[1]) && !value.Truth(in) {
		return a.Values[0]
	}
	return in
}

// stringFilter makes a string of any value, and leaves one that is marked safe as it is.
func stringFilter(e *Env, in value.Value, _ Arguments) value.Value {
	if _, ok := value.Text(in); ok {
		return in
	}
	return value.String(e.Str(in))
}

// safeFilter marks a string safe.
func safeFilter(e *Env, in value.Value, _ Arguments) value.Value {
	if e.Plain {
		return value.String(e.Str(in))
	}
	return value.Markup(e.Str(in))
}

// escapeFilter escapes for HTML and marks the result safe, once.
func escapeFilter(e *Env, in value.Value, _ Arguments) value.Value {
	if _, ok := in.(value.Markup); ok {
		return in
	}
	return value.Markup(value.Escape(&e.Heap, e.Str(in)))
}

// attrFilter looks an attribute up, never an element.
func attrFilter(e *Env, in value.Value, a Arguments) value.Value {
	name := value.NeedText(a.Values[0], "attribute name")
	value.MustExist(in)
	if x := e.property(in, name); x != nil {
		return x
	}
	return &value.Undefined{Of: in, Name: a.Values[0]}
}

// getter returns the function that looks an attribute up in an item: a name, a position, or several with dots between
// them. None means the item itself. What is missing on the way becomes fallback, unless that is None.
func (e *Env) getter(attribute, fallback value.Value) func(value.Value) value.Value {
	parts := attributeParts(attribute)
	return func(item value.Value) value.Value {
		for _, part := range parts {
			e.Charge(1)
			item = e.Element(item, part)
			if _, ok := item.(*value.Undefined); ok && !value.IsNone(fallback) {
				item = fallback
			}
		}
		return item
	}
}

// ignoringCase lowers strings for comparison unless cases matter.
func (e *Env) ignoringCase(get func(value.Value) value.Value, sensitive value.Value) func(value.Value) value.Value {
	if value.Truth(sensitive) {
		return get
	}
	return func(item value.Value) value.Value {
		v := get(item)
		if s, ok := value.Text(v); ok {
			e.Grow(len(s))
			if low := pystr.Lower(s); low != s {
				return value.String(low)
			}
		}
		return v
	}
}

// mapFilter applies a filter, or looks an attribute up, when its elements are asked for.
func mapFilter(e *Env, in value.Value, a Arguments) value.Value {
	if !value.Truth(in) {
		return empty()
	}
	var convert func(value.Value) value.Value
	return e.lazily(in, func() { convert = e.mapping(a) }, func(v value.Value) (value.Value, bool) { return convert(v), true })
}

// mapping prepares what map does to each element.
func (e *Env) mapping(a Arguments) func(value.Value) value.Value {
	if attribute, fallback, ok := mapAttribute(a); ok {
		return e.getter(attribute, fallback)
	}
	if len(a.Values) == 0 {
		fault.Throw("FilterArgumentError", "map requires a filter argument")
	}
	name := value.NeedText(a.Values[0], "the name of a filter")
	f := named("filter", name, e.Lib.Filters)
	rest := Arguments{a.Values[1:], a.Named}
	return func(v value.Value) value.Value { return f.Apply(e, name, v, rest) }
}

// mapAttribute reads map(attribute=…, default=…).
func mapAttribute(a Arguments) (attribute, fallback value.Value, ok bool) {
	fallback = value.None{}
	if len(a.Values) > 0 {
		return nil, nil, false
	}
	for _, n := range a.Named {
		switch n.Name {
		case "attribute":
			attribute, ok = n.Value, true
		case "default":
			fallback = n.Value
		}
	}
	for _, n := range a.Named {
		if ok && n.Name != "attribute" && n.Name != "default" {
			fault.Throw("FilterArgumentError", "Unexpected keyword argument '%s'", n.Name)
		}
	}
	return attribute, fallback, ok
}

// selects is select, reject, selectattr and rejectattr: want says what a test must answer.
func selects(want, byAttribute bool) func(*Env, value.Value, Arguments) value.Value {
	return func(e *Env, in value.Value, a Arguments) value.Value {
		if !value.Truth(in) {
			return empty()
		}
		var passes func(value.Value) bool
		prepare := func() { passes = e.condition(a, byAttribute) }
		return e.lazily(in, prepare, func(v value.Value) (value.Value, bool) { return v, passes(v) == want })
	}
}

// condition prepares what select and its kin ask of each element.
func (e *Env) condition(a Arguments, byAttribute bool) func(value.Value) bool {
	get := func(v value.Value) value.Value { return v }
	if byAttribute {
		if len(a.Values) == 0 {
			fault.Throw("FilterArgumentError", "Missing parameter for attribute name")
		}
		get = e.getter(a.Values[0], value.None{})
		a.Values = a.Values[1:]
	}
	if len(a.Values) == 0 {
		return func(v value.Value) bool { return value.Truth(get(v)) }
	}
	name := value.NeedText(a.Values[0], "the name of a test")
	t := named("test", name, e.Lib.Tests)
	rest := Arguments{a.Values[1:], a.Named}
	return func(v value.Value) bool { return value.Truth(t.Apply(e, name, get(v), rest)) }
}

// empty is a generator of nothing.
func empty() value.Value {
	return value.NewGenerator(func() (value.Value, bool) { return nil, false })
}

// lazy is a sequence whose elements are made when they are asked for. It prepares itself when first asked.
type lazy struct {
	r       *Env
	in      value.Value
	prepare func()
	convert func(value.Value) (v value.Value, wanted bool)
	over    value.Iterator
	started bool
}

// lazily makes a generator that leaves out what convert does not want.
func (e *Env) lazily(in value.Value, prepare func(), convert func(value.Value) (value.Value, bool)) value.Value {
	e.Grow(128)
	l := &lazy{r: e, in: in, prepare: prepare, convert: convert}
	return value.NewGenerator(l.next)
}

func (l *lazy) next() (value.Value, bool) {
	l.r.Deeper()
	defer l.r.Shallower()
	if !l.started {
		l.started = true
		l.prepare()
		l.over = l.r.Iterate(l.in)
	}
	for {
		l.r.Charge(1)
		v, ok := l.over.Step()
		if !ok {
			return nil, false
		}
		if v, wanted := l.convert(v); wanted {
			return v, true
		}
	}
}

// items is the filter of that name: pairs of an object, nothing of what is undefined.
func items(e *Env, in value.Value, _ Arguments) value.Value {
	switch in := in.(type) {
	case *value.Undefined:
		return empty()
	case *value.Object:
		return value.GeneratorOf(e.Iterate(value.NewView(in, "items")))
	}
	return value.NewGenerator(func() (value.Value, bool) {
		fault.Throw("TypeError", "Can only get item pairs from a mapping.")
		return nil, false
	})
}
