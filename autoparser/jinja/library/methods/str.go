package methods

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/dragoman-project/dragoman/autoparser/jinja/failure"
	"github.com/dragoman-project/dragoman/autoparser/jinja/library"
	"github.com/dragoman-project/dragoman/autoparser/jinja/pystr"
	"github.com/dragoman-project/dragoman/autoparser/jinja/value"
)

// textMethod returns a method that changes the case of a string. times is how much more it costs than upper.
func textMethod(f func(string) string, times int) *library.Builtin {
	return &library.Builtin{Run: func(e *library.Env, in value.Value, _ library.Arguments) value.Value {
		s, _ := value.Text(in)
		e.Recase(s, times)
		return value.String(f(s))
	}}
}

// asks returns a method that tests a string.
func asks(f func(string) bool) *library.Builtin {
	return &library.Builtin{Run: func(e *library.Env, in value.Value, _ library.Arguments) value.Value {
		s, _ := value.Text(in)
		e.Scan(4 * len(s))
		return value.Bool(f(s))
	}}
}

// asksEvery returns a method that tests all characters of a string.
func asksEvery(f func(rune) bool) *library.Builtin {
	return asks(func(s string) bool { return pystr.Every(s, f) })
}

// strMethods are the methods of strings.
func strMethods() map[string]*library.Builtin {
	m := map[string]*library.Builtin{
		"upper":        textMethod(pystr.Upper, 1),
		"lower":        textMethod(pystr.Lower, 1),
		"casefold":     textMethod(pystr.CaseFold, 1),
		"title":        textMethod(pystr.Title, 8),
		"capitalize":   textMethod(pystr.Capitalize, 1),
		"swapcase":     textMethod(pystr.SwapCase, 8),
		"isdigit":      asksEvery(pystr.IsDigit),
		"isdecimal":    asksEvery(func(c rune) bool { return unicode.Is(unicode.Nd, c) }),
		"isnumeric":    asksEvery(pystr.IsNumeric),
		"isalpha":      asksEvery(unicode.IsLetter),
		"isalnum":      asksEvery(pystr.IsAlphanumeric),
		"isspace":      asksEvery(pystr.IsSpace),
		"isupper":      asks(pystr.IsUpper),
		"islower":      asks(pystr.IsLower),
		"istitle":      asks(pystr.IsTitle),
		"isascii":      asks(pystr.IsASCII),
		"isidentifier": asks(pystr.IsIdentifier),
		"isprintable":  asks(func(s string) bool { return s == "" || pystr.Every(s, pystr.IsPrintable) }),

		"strip":        strips(strings.TrimFunc),
		"lstrip":       strips(strings.TrimLeftFunc),
		"rstrip":       strips(strings.TrimRightFunc),
		"removeprefix": {Params: library.Takes("prefix"), Run: removePrefix},
		"removesuffix": {Params: library.Takes("suffix"), Run: removeSuffix},
		"startswith":   {Params: window("prefix"), Run: affix(strings.HasPrefix)},
		"endswith":     {Params: window("suffix"), Run: affix(strings.HasSuffix)},
		"find":         {Params: window("sub"), Run: finds(strings.Index, false)},
		"rfind":        {Params: window("sub"), Run: finds(strings.LastIndex, false)},
		"index":        {Params: window("sub"), Run: finds(strings.Index, true)},
		"rindex":       {Params: window("sub"), Run: finds(strings.LastIndex, true)},
		"count":        {Params: window("sub"), Run: countText},
		"replace":      {Params: library.Takes("old", "new").Or("count", value.Int(-1)), Run: replaceText},
		"split":        {Params: library.Takes().Or("sep", value.None{}).Or("maxsplit", value.Int(-1)), Run: split},
		"rsplit":       {Params: library.Takes().Or("sep", value.None{}).Or("maxsplit", value.Int(-1)), Run: rsplit},
		"splitlines":   {Params: library.Takes().Or("keepends", value.False), Run: splitlines},
		"partition":    {Params: library.Takes("sep"), Run: partition},
		"rpartition":   {Params: library.Takes("sep"), Run: rpartition},
		"join":         {Params: library.Takes("iterable"), Run: joinText},
		"ljust":        {Params: library.Takes("width").Or("fillchar", value.String(" ")), Run: justify(0, 1)},
		"rjust":        {Params: library.Takes("width").Or("fillchar", value.String(" ")), Run: justify(1, 0)},
		"center":       {Params: library.Takes("width").Or("fillchar", value.String(" ")), Run: justify(1, 1)},
		"zfill":        {Params: library.Takes("width"), Run: zfill},
		"expandtabs":   {Params: library.Takes().Or("tabsize", value.Int(8)), Run: expandTabs},
		"format":       {Variadic: true, Keywords: true, Run: formatMethod},
		"format_map":   {Params: library.Takes("mapping"), Run: formatMap},

		"encode":    {Refused: "there are no bytes in templates"},
		"maketrans": {Refused: "use replace"},
		"translate": {Refused: "use replace"},
	}
	return m
}

// window returns the parameters of methods that search in a part of the string.
func window(name string) library.Parameters {
	return library.Takes(name).Or("start", value.None{}).Or("end", value.None{})
}

// inWindow returns the part of s between the optional start and end, the second and third argument,
// and the number of characters before it.
func inWindow(e *library.Env, s string, a library.Arguments) (part string, before int) {
	if value.IsNone(a.Values[1]) && value.IsNone(a.Values[2]) {
		return s, 0
	}
	part = e.Substring(s, a.Values[1], a.Values[2], value.None{})
	if n := utf8.RuneCountInString(s); !value.IsNone(a.Values[1]) {
		before = value.ClampIndex(a.Values[1], 0, n, 0, n)
	}
	return part, before
}

// strips returns strip, lstrip or rstrip.
func strips(trim func(string, func(rune) bool) string) *library.Builtin {
	return &library.Builtin{Params: library.Takes().Or("chars", value.None{}), Run: func(e *library.Env, in value.Value, a library.Arguments) value.Value {
		s, _ := value.Text(in)
		e.Scan(len(s))
		drop := pystr.IsSpace
		if !value.IsNone(a.Values[0]) {
			chars := value.NeedText(a.Values[0], "strip arg")
			drop = func(c rune) bool { return strings.ContainsRune(chars, c) }
			e.Charge(len(s) * len(chars) >> 6)
		}
		if stripped := trim(s, drop); len(stripped) != len(s) {
			return value.String(stripped)
		}
		if _, ok := in.(value.String); ok {
			return in
		}
		return value.String(s)
	}}
}

func removePrefix(_ *library.Env, in value.Value, a library.Arguments) value.Value {
	s, _ := value.Text(in)
	return value.String(strings.TrimPrefix(s, value.NeedText(a.Values[0], "removeprefix() argument")))
}

func removeSuffix(_ *library.Env, in value.Value, a library.Arguments) value.Value {
	s, _ := value.Text(in)
	return value.String(strings.TrimSuffix(s, value.NeedText(a.Values[0], "removesuffix() argument")))
}

// affix returns startswith or endswith, which accept one string or a tuple of strings.
func affix(has func(s, affix string) bool) library.Func {
	return func(e *library.Env, in value.Value, a library.Arguments) value.Value {
		s, _ := value.Text(in)
		s, _ = inWindow(e, s, a)
		e.Touch(len(s))
		l, ok := a.Values[0].(*value.List)
		if !ok || !l.Tuple {
			return value.Bool(has(s, value.NeedText(a.Values[0], "first arg")))
		}
		for _, x := range l.Items {
			e.Charge(1)
			if has(s, value.NeedText(x, "tuple for startswith or endswith")) {
				return value.True
			}
		}
		return value.False
	}
}

// finds returns find or one of its variants. must makes it raise if nothing is found.
func finds(index func(s, sub string) int, must bool) library.Func {
	return func(e *library.Env, in value.Value, a library.Arguments) value.Value {
		s, _ := value.Text(in)
		e.Scan(len(s))
		part, before := inWindow(e, s, a)
		i := index(part, value.NeedText(a.Values[0], "argument"))
		switch {
		case i >= 0:
			return value.Int(before + utf8.RuneCountInString(part[:i]))
		case must:
			failure.Throw("ValueError", "substring not found")
		}
		return value.Int(-1)
	}
}

func countText(e *library.Env, in value.Value, a library.Arguments) value.Value {
	s, _ := value.Text(in)
	e.Scan(len(s))
	part, _ := inWindow(e, s, a)
	return value.Int(strings.Count(part, value.NeedText(a.Values[0], "argument")))
}

func replaceText(e *library.Env, in value.Value, a library.Arguments) value.Value {
	s, _ := value.Text(in)
	old, with := value.NeedText(a.Values[0], "replace() argument 1"), value.NeedText(a.Values[1], "replace() argument 2")
	return value.String(e.Replace(s, old, with, value.Index(a.Values[2])))
}

func splitlines(e *library.Env, in value.Value, a library.Arguments) value.Value {
	s, _ := value.Text(in)
	return e.NewTexts(e.SplitLines(s, value.Truth(a.Values[0])))
}

func partition(e *library.Env, in value.Value, a library.Arguments) value.Value {
	s, _ := value.Text(in)
	sep := separator(a.Values[0])
	e.Touch(len(s))
	if before, after, found := strings.Cut(s, sep); found {
		return value.TupleOf(value.String(before), value.String(sep), value.String(after))
	}
	return value.TupleOf(value.String(s), value.String(""), value.String(""))
}

func rpartition(e *library.Env, in value.Value, a library.Arguments) value.Value {
	s, _ := value.Text(in)
	sep := separator(a.Values[0])
	e.Touch(len(s))
	if i := strings.LastIndex(s, sep); i >= 0 {
		return value.TupleOf(value.String(s[:i]), value.String(sep), value.String(s[i+len(sep):]))
	}
	return value.TupleOf(value.String(""), value.String(""), value.String(s))
}

func joinText(e *library.Env, in value.Value, a library.Arguments) value.Value {
	sep, _ := value.Text(in)
	items := e.Collect(a.Values[0])
	parts := make([]string, len(items))
	for i, v := range items {
		s, ok := value.Text(v)
		if !ok {
			failure.Throw("TypeError", "sequence item %d: expected str instance, %s found", i, v.Class())
		}
		parts[i] = s
	}
	return value.String(e.Join(parts, sep))
}

// justify returns a method that pads to a width. left and right are 1 for the sides to pad.
func justify(left, right int) library.Func {
	return func(e *library.Env, in value.Value, a library.Arguments) value.Value {
		s, _ := value.Text(in)
		fill := value.NeedText(a.Values[1], "the fill character")
		if utf8.RuneCountInString(fill) != 1 {
			failure.Throw("TypeError", "The fill character must be exactly one character long")
		}
		return value.String(e.Pad(s, value.Index(a.Values[0]), fill, left, right))
	}
}

// zfill pads with zeros after the sign.
func zfill(e *library.Env, in value.Value, a library.Arguments) value.Value {
	s, _ := value.Text(in)
	width, sign := value.Index(a.Values[0]), ""
	if strings.HasPrefix(s, "-") || strings.HasPrefix(s, "+") {
		sign, s = s[:1], s[1:]
	}
	return value.String(sign + e.Pad(s, width-len(sign), "0", 1, 0))
}

// expandTabs is str.expandtabs.
func expandTabs(e *library.Env, in value.Value, a library.Arguments) value.Value {
	s, _ := value.Text(in)
	size := value.Index(a.Values[0])
	e.Scan(4 * len(s))
	var b strings.Builder
	column := 0
	for _, c := range s {
		switch {
		case c == '\t' && size > 0:
			b.WriteString(e.Times(" ", size-column%size))
			column = 0
		case c == '\t':
		case c == '\n' || c == '\r':
			column = 0
			b.WriteRune(c)
		default:
			column++
			b.WriteRune(c)
		}
	}
	e.Grow(b.Len())
	return value.String(b.String())
}
