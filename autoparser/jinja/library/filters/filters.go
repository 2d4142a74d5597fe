package filters

import (
	"github.com/dragoman-project/dragoman/autoparser/jinja/library"
	"github.com/dragoman-project/dragoman/autoparser/jinja/pystr"
	"github.com/dragoman-project/dragoman/autoparser/jinja/value"
)

// All returns all filters by name.
func All() map[string]*library.Builtin {
	m := map[string]*library.Builtin{
		// any value
		"default":   {Params: library.Takes().Or("default_value", value.String("")).Or("boolean", value.False), Run: defaultFilter},
		"string":    {Run: stringFilter},
		"tojson":    {Params: tojsonParameters, Run: tojson},
		"from_json": {Run: fromJSON},
		"attr":      {Params: library.Takes("name"), Run: attrFilter},
		"length":    {Run: func(e *library.Env, in value.Value, _ library.Arguments) value.Value { return value.Int(e.Length(in)) }},
		"escape":    {Run: escapeFilter},
		"forceescape": {Run: func(e *library.Env, in value.Value, _ library.Arguments) value.Value {
			return value.Markup(value.Escape(&e.Heap, e.Str(in)))
		}},
		"safe": {Run: safeFilter},

		// numbers
		"abs":            {Run: absolute},
		"int":            {Params: library.Takes().Or("default", value.Int(0)).Or("base", value.Int(10)), Run: intFilter},
		"float":          {Params: library.Takes().Or("default", value.Float(0)), Run: floatFilter},
		"round":          {Params: library.Takes().Or("precision", value.Int(0)).Or("method", value.String("common")), Run: round},
		"filesizeformat": {Params: library.Takes().Or("binary", value.False), Run: fileSize},

		// strings
		"upper":      {Run: onText(func(_ *library.Env, s string) string { return pystr.Upper(s) })},
		"lower":      {Run: onText(func(_ *library.Env, s string) string { return pystr.Lower(s) })},
		"capitalize": {Run: onText(func(_ *library.Env, s string) string { return pystr.Capitalize(s) })},
		"title":      {Run: onText(titleWords)},
		"trim":       {Params: library.Takes().Or("chars", value.None{}), Run: trim},
		"striptags":  {Run: stripTags},
		"replace":    {Params: library.Takes("old", "new").Or("count", value.None{}), Run: replaceFilter},
		"center":     {Params: library.Takes().Or("width", value.Int(80)), Run: center},
		"indent":     {Params: library.Takes().Or("width", value.Int(4)).Or("first", value.False).Or("blank", value.False), Run: indent},
		"truncate":   {Params: library.Takes().Or("length", value.Int(255)).Or("killwords", value.False).Or("end", value.String("...")).Or("leeway", value.None{}), Run: truncate},
		"wordcount":  {Run: wordCount},
		"format":     {Variadic: true, Keywords: true, Run: formatFilter},
		"urlencode":  {Run: urlEncode},
		"xmlattr":    {Params: library.Takes().Or("autospace", value.True), Run: xmlAttributes},

		// sequences
		"first":   {Run: first},
		"last":    {Run: last},
		"list":    {Run: func(e *library.Env, in value.Value, _ library.Arguments) value.Value { return e.NewList(copied(e, in)) }},
		"join":    {Params: library.Takes().Or("d", value.String("")).Or("attribute", value.None{}), Run: joinFilter},
		"reverse": {Run: reverse},
		"sort":    {Params: library.Takes().Or("reverse", value.False).Or("case_sensitive", value.False).Or("attribute", value.None{}), Run: sortFilter},
		"unique":  {Params: library.Takes().Or("case_sensitive", value.False).Or("attribute", value.None{}), Run: unique},
		"min":     {Params: library.Takes().Or("case_sensitive", value.False).Or("attribute", value.None{}), Run: extreme(func(e *library.Env, k, best value.Value) bool { return e.Less(k, best) })},
		"max":     {Params: library.Takes().Or("case_sensitive", value.False).Or("attribute", value.None{}), Run: extreme(func(e *library.Env, k, best value.Value) bool { return e.Less(best, k) })},
		"sum":     {Params: library.Takes().Or("attribute", value.None{}).Or("start", value.Int(0)), Run: sum},
		"batch":   {Params: library.Takes("linecount").Or("fill_with", value.None{}), Run: batch},
		"slice":   {Params: library.Takes("slices").Or("fill_with", value.None{}), Run: columns},
		"groupby": {Params: library.Takes("attribute").Or("default", value.None{}).Or("case_sensitive", value.False), Run: groupBy},

		// lazy sequences
		"map":        {Variadic: true, Keywords: true, Run: mapFilter},
		"select":     {Variadic: true, Keywords: true, Run: selects(true, false)},
		"reject":     {Variadic: true, Keywords: true, Run: selects(false, false)},
		"selectattr": {Variadic: true, Keywords: true, Run: selects(true, true)},
		"rejectattr": {Variadic: true, Keywords: true, Run: selects(false, true)},

		// objects
		"items":    {Run: items},
		"dictsort": {Params: library.Takes().Or("case_sensitive", value.False).Or("by", value.String("key")).Or("reverse", value.False), Run: dictSort},

		"wordwrap": {Refused: "its rules for words and hyphens are those of Python's textwrap"},
		"pprint":   {Refused: "its layout is that of Python's pretty printer; use tojson(indent=2)"},
		"random":   {Refused: "a prompt must not depend on chance"},
		"urlize":   {Refused: "a prompt has no links"},
	}
	for alias, name := range map[string]string{"d": "default", "e": "escape", "count": "length", "fromjson": "from_json"} {
		m[alias] = m[name]
	}
	return m
}
