package jinja

// allFilters is every filter a template can name. Where Jinja2 and transformers differ, tojson is transformers'.
func allFilters() map[string]*builtin {
	m := map[string]*builtin{
		// any value
		"default":     {params: []parameter{{"default_value", text("")}, {"boolean", no}}, run: defaultFilter},
		"string":      {run: stringFilter},
		"tojson":      {params: tojsonParameters, run: tojson},
		"attr":        {params: takes("name"), run: attrFilter},
		"length":      {run: func(r *render, in Value, _ arguments) Value { return integer(r.length(in)) }},
		"escape":      {run: escapeFilter},
		"forceescape": {run: func(r *render, in Value, _ arguments) Value { return markup(escape(r, r.str(in))) }},
		"safe":        {run: safeFilter},

		// numbers
		"abs":            {run: absolute},
		"int":            {params: []parameter{{"default", integer(0)}, {"base", integer(10)}}, run: intFilter},
		"float":          {params: []parameter{{"default", float(0)}}, run: floatFilter},
		"round":          {params: []parameter{{"precision", integer(0)}, {"method", text("common")}}, run: round},
		"filesizeformat": {params: []parameter{{"binary", no}}, run: fileSize},

		// strings
		"upper":      {run: onText(func(_ *render, s string) string { return upper(s) })},
		"lower":      {run: onText(func(_ *render, s string) string { return lower(s) })},
		"capitalize": {run: onText(func(_ *render, s string) string { return capitalize(s) })},
		"title":      {run: onText(titleWords)},
		"trim":       {params: []parameter{{"chars", none{}}}, run: trim},
		"striptags":  {run: stripTags},
		"replace":    {params: []parameter{{"old", nil}, {"new", nil}, {"count", none{}}}, run: replaceFilter},
		"center":     {params: []parameter{{"width", integer(80)}}, run: center},
		"indent":     {params: []parameter{{"width", integer(4)}, {"first", no}, {"blank", no}}, run: indent},
		"truncate":   {params: []parameter{{"length", integer(255)}, {"killwords", no}, {"end", text("...")}, {"leeway", none{}}}, run: truncate},
		"wordcount":  {run: wordCount},
		"format":     {variadic: true, keywords: true, run: formatFilter},
		"urlencode":  {run: urlEncode},
		"xmlattr":    {params: []parameter{{"autospace", yes}}, run: xmlAttributes},

		// sequences
		"first":   {run: first},
		"last":    {run: last},
		"list":    {run: func(r *render, in Value, _ arguments) Value { return r.made(r.copied(in)) }},
		"join":    {params: []parameter{{"d", text("")}, {"attribute", none{}}}, run: joinFilter},
		"reverse": {run: reverse},
		"sort":    {params: []parameter{{"reverse", no}, {"case_sensitive", no}, {"attribute", none{}}}, run: sortFilter},
		"unique":  {params: []parameter{{"case_sensitive", no}, {"attribute", none{}}}, run: unique},
		"min":     {params: []parameter{{"case_sensitive", no}, {"attribute", none{}}}, run: extreme(func(r *render, k, best Value) bool { return r.less(k, best) })},
		"max":     {params: []parameter{{"case_sensitive", no}, {"attribute", none{}}}, run: extreme(func(r *render, k, best Value) bool { return r.less(best, k) })},
		"sum":     {params: []parameter{{"attribute", none{}}, {"start", integer(0)}}, run: sum},
		"batch":   {params: []parameter{{"linecount", nil}, {"fill_with", none{}}}, run: batch},
		"slice":   {params: []parameter{{"slices", nil}, {"fill_with", none{}}}, run: columns},
		"groupby": {params: []parameter{{"attribute", nil}, {"default", none{}}, {"case_sensitive", no}}, run: groupBy},

		// lazy sequences
		"map":        {variadic: true, keywords: true, run: mapFilter},
		"select":     {variadic: true, keywords: true, run: selects(true, false)},
		"reject":     {variadic: true, keywords: true, run: selects(false, false)},
		"selectattr": {variadic: true, keywords: true, run: selects(true, true)},
		"rejectattr": {variadic: true, keywords: true, run: selects(false, true)},

		// objects
		"items":    {run: items},
		"dictsort": {params: []parameter{{"case_sensitive", no}, {"by", text("key")}, {"reverse", no}}, run: dictSort},

		"wordwrap": {refused: "its rules for words and hyphens are those of Python's textwrap"},
		"pprint":   {refused: "its layout is that of Python's pretty printer; use tojson(indent=2)"},
		"random":   {refused: "a prompt must not depend on chance"},
		"urlize":   {refused: "a prompt has no links"},
	}
	for alias, name := range map[string]string{"d": "default", "e": "escape", "count": "length"} {
		m[alias] = m[name]
	}
	return m
}

// defaultFilter replaces what is undefined and, if asked to, what is false.
func defaultFilter(_ *render, in Value, a arguments) Value {
	if _, ok := in.(*undefined); ok || truth(a.values[1]) && !truth(in) {
		return a.values[0]
	}
	return in
}

// stringFilter makes a string of any value, and leaves one that is marked safe as it is.
func stringFilter(r *render, in Value, _ arguments) Value {
	if _, ok := str(in); ok {
		return in
	}
	return text(r.str(in))
}

// safeFilter marks a string safe.
func safeFilter(r *render, in Value, _ arguments) Value {
	if r.plain {
		return text(r.str(in))
	}
	return markup(r.str(in))
}

// escapeFilter escapes for HTML and marks the result safe, once.
func escapeFilter(r *render, in Value, _ arguments) Value {
	if _, ok := in.(markup); ok {
		return in
	}
	return markup(escape(r, r.str(in)))
}

// attrFilter looks an attribute up, never an element.
func attrFilter(r *render, in Value, a arguments) Value {
	name := needText(a.values[0], "attribute name")
	mustExist(in)
	if x := r.property(in, name); x != nil {
		return x
	}
	return &undefined{of: in, name: a.values[0]}
}

// getter returns the function that looks an attribute up in an item: a name, a position, or several with dots between
// them. None means the item itself. What is missing on the way becomes fallback, unless that is None.
func (r *render) getter(attribute, fallback Value) func(Value) Value {
	parts := attributeParts(attribute)
	return func(item Value) Value {
		for _, part := range parts {
			r.charge(1)
			item = r.element(item, part)
			if _, ok := item.(*undefined); ok && !isNone(fallback) {
				item = fallback
			}
		}
		return item
	}
}

// ignoringCase lowers strings for comparison unless cases matter.
func (r *render) ignoringCase(get func(Value) Value, sensitive Value) func(Value) Value {
	if truth(sensitive) {
		return get
	}
	return func(item Value) Value {
		v := get(item)
		if s, ok := str(v); ok {
			r.grow(len(s))
			if low := lower(s); low != s {
				return text(low)
			}
		}
		return v
	}
}

// mapFilter applies a filter, or looks an attribute up, when its elements are asked for.
func mapFilter(r *render, in Value, a arguments) Value {
	if !truth(in) {
		return empty()
	}
	var convert func(Value) Value
	return r.lazily(in, func() { convert = r.mapping(a) }, func(v Value) (Value, bool) { return convert(v), true })
}

// mapping prepares what map does to each element.
func (r *render) mapping(a arguments) func(Value) Value {
	if attribute, fallback, ok := mapAttribute(a); ok {
		return r.getter(attribute, fallback)
	}
	if len(a.values) == 0 {
		throw("FilterArgumentError", "map requires a filter argument")
	}
	name := needText(a.values[0], "the name of a filter")
	f := named("filter", name, r.lib.filters)
	rest := arguments{a.values[1:], a.named}
	return func(v Value) Value { return f.apply(r, name, v, rest) }
}

// mapAttribute reads map(attribute=…, default=…).
func mapAttribute(a arguments) (attribute, fallback Value, ok bool) {
	fallback = none{}
	if len(a.values) > 0 {
		return nil, nil, false
	}
	for _, n := range a.named {
		switch n.name {
		case "attribute":
			attribute, ok = n.value, true
		case "default":
			fallback = n.value
		}
	}
	for _, n := range a.named {
		if ok && n.name != "attribute" && n.name != "default" {
			throw("FilterArgumentError", "Unexpected keyword argument '%s'", n.name)
		}
	}
	return attribute, fallback, ok
}

// selects is select, reject, selectattr and rejectattr: want says what a test must answer.
func selects(want, byAttribute bool) func(*render, Value, arguments) Value {
	return func(r *render, in Value, a arguments) Value {
		if !truth(in) {
			return empty()
		}
		var passes func(Value) bool
		prepare := func() { passes = r.condition(a, byAttribute) }
		return r.lazily(in, prepare, func(v Value) (Value, bool) { return v, passes(v) == want })
	}
}

// condition prepares what select and its kin ask of each element.
func (r *render) condition(a arguments, byAttribute bool) func(Value) bool {
	get := func(v Value) Value { return v }
	if byAttribute {
		if len(a.values) == 0 {
			throw("FilterArgumentError", "Missing parameter for attribute name")
		}
		get = r.getter(a.values[0], none{})
		a.values = a.values[1:]
	}
	if len(a.values) == 0 {
		return func(v Value) bool { return truth(get(v)) }
	}
	name := needText(a.values[0], "the name of a test")
	t := named("test", name, r.lib.tests)
	rest := arguments{a.values[1:], a.named}
	return func(v Value) bool { return truth(t.apply(r, name, get(v), rest)) }
}

// empty is a generator of nothing.
func empty() Value {
	return &generator{iterator{next: func() (Value, bool) { return nil, false }}}
}

// lazy is a sequence whose elements are made when they are asked for. It prepares itself when first asked.
type lazy struct {
	r       *render
	in      Value
	prepare func()
	convert func(Value) (v Value, wanted bool)
	over    iterator
	started bool
}

// lazily makes a generator that leaves out what convert does not want.
func (r *render) lazily(in Value, prepare func(), convert func(Value) (Value, bool)) Value {
	r.grow(128)
	l := &lazy{r: r, in: in, prepare: prepare, convert: convert}
	return &generator{iterator{next: l.next}}
}

func (l *lazy) next() (Value, bool) {
	l.r.deeper()
	defer l.r.shallower()
	if !l.started {
		l.started = true
		l.prepare()
		l.over = l.r.iterate(l.in)
	}
	for {
		l.r.charge(1)
		v, ok := l.over.step()
		if !ok {
			return nil, false
		}
		if v, wanted := l.convert(v); wanted {
			return v, true
		}
	}
}

// items is the filter of that name: pairs of an object, nothing of what is undefined.
func items(r *render, in Value, _ arguments) Value {
	switch in := in.(type) {
	case *undefined:
		return empty()
	case *Object:
		return &generator{r.iterate(&view{of: in, part: "items"})}
	}
	return &generator{iterator{next: func() (Value, bool) {
		throw("TypeError", "Can only get item pairs from a mapping.")
		return nil, false
	}}}
}
