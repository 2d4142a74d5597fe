package library

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/dragoman-project/dragoman/autoparser/jinja/fault"
	"github.com/dragoman-project/dragoman/autoparser/jinja/pystr"
	"github.com/dragoman-project/dragoman/autoparser/jinja/value"
)

// textMethod makes a method from a function of a string to a string.
func textMethod(f func(string) string) *Builtin {
	return &Builtin{run: func(e *Env, in value.Value, _ Arguments) value.Value {
		s, _ := value.Text(in)
		e.GrowTimes(len(s), 2)
		return value.String(f(s))
	}}
}

// asks makes a method from a question about a string.
func asks(f func(string) bool) *Builtin {
	return &Builtin{run: func(e *Env, in value.Value, _ Arguments) value.Value {
		s, _ := value.Text(in)
		e.Touch(len(s))
		return value.Bool(f(s))
	}}
}

// asksEvery makes a method from a question about characters.
func asksEvery(f func(rune) bool) *Builtin {
	return asks(func(s string) bool { return pystr.Every(s, f) })
}

// strMethods is every method of strings.
func strMethods() map[string]*Builtin {
	m := map[string]*Builtin{
		"upper":        textMethod(pystr.Upper),
		"lower":        textMethod(pystr.Lower),
		"casefold":     textMethod(pystr.CaseFold),
		"title":        textMethod(pystr.Title),
		"capitalize":   textMethod(pystr.Capitalize),
		"swapcase":     textMethod(pystr.SwapCase),
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
		"removeprefix": {Params: takes("prefix"), run: removePrefix},
		"removesuffix": {Params: takes("suffix"), run: removeSuffix},
		"startswith":   {Params: window("prefix"), run: affix(strings.HasPrefix)},
		"endswith":     {Params: window("suffix"), run: affix(strings.HasSuffix)},
		"find":         {Params: window("sub"), run: finds(strings.Index, false)},
		"rfind":        {Params: window("sub"), run: finds(strings.LastIndex, false)},
		"index":        {Params: window("sub"), run: finds(strings.Index, true)},
		"rindex":       {Params: window("sub"), run: finds(strings.LastIndex, true)},
		"count":        {Params: window("sub"), run: countText},
		"replace":      {Params: []parameter{{"old", nil}, {"new", nil}, {"count", value.Int(-1)}}, run: replaceText},
		"split":        {Params: []parameter{{"sep", value.None{}}, {"maxsplit", value.Int(-1)}}, run: split},
		"rsplit":       {Params: []parameter{{"sep", value.None{}}, {"maxsplit", value.Int(-1)}}, run: rsplit},
		"splitlines":   {Params: []parameter{{"keepends", value.False}}, run: splitlines},
		"partition":    {Params: takes("sep"), run: partition},
		"rpartition":   {Params: takes("sep"), run: rpartition},
		"join":         {Params: takes("iterable"), run: joinText},
		"ljust":        {Params: []parameter{{"width", nil}, {"fillchar", value.String(" ")}}, run: justify(0, 1)},
		"rjust":        {Params: []parameter{{"width", nil}, {"fillchar", value.String(" ")}}, run: justify(1, 0)},
		"center":       {Params: []parameter{{"width", nil}, {"fillchar", value.String(" ")}}, run: justify(1, 1)},
		"zfill":        {Params: takes("width"), run: zfill},
		"expandtabs":   {Params: []parameter{{"tabsize", value.Int(8)}}, run: expandTabs},
		"format":       {Variadic: true, Keywords: true, run: formatMethod},
		"format_map":   {Params: takes("mapping"), run: formatMap},

		"encode":    {Refused: "there are no bytes in templates"},
		"maketrans": {Refused: "use replace"},
		"translate": {Refused: "use replace"},
	}
	return m
}

// window is the parameter list of methods that look at a part of the string.
func window(name string) []parameter {
	return []parameter{{name, nil}, {"start", value.None{}}, {"end", value.None{}}}
}

// inWindow applies the optional start and end, the second and third argument. before is what the start cut off.
func inWindow(e *Env, s string, a Arguments) (part string, before int) {
	if value.IsNone(a.Values[1]) && value.IsNone(a.Values[2]) {
		return s, 0
	}
	part = e.Substring(s, a.Values[1], a.Values[2], value.None{})
	if n := utf8.RuneCountInString(s); !value.IsNone(a.Values[1]) {
		before = value.ClampIndex(a.Values[1], 0, n, 0, n)
	}
	return part, before
}

// strips makes strip and its kin from a function that trims.
func strips(trim func(string, func(rune) bool) string) *Builtin {
	return &Builtin{Params: []parameter{{"chars", value.None{}}}, run: func(e *Env, in value.Value, a Arguments) value.Value {
		s, _ := value.Text(in)
		e.Touch(len(s))
		drop := pystr.IsSpace
		if !value.IsNone(a.Values[0]) {
			chars := value.NeedText(a.Values[0], "strip arg")
			drop = func(c rune) bool { return strings.ContainsRune(chars, c) }
			e.Charge(len(s) * len(chars) >> 8)
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

func removePrefix(_ *Env, in value.Value, a Arguments) value.Value {
	s, _ := value.Text(in)
	return value.String(strings.TrimPrefix(s, value.NeedText(a.Values[0], "removeprefix() argument")))
}

func removeSuffix(_ *Env, in value.Value, a Arguments) value.Value {
	s, _ := value.Text(in)
	return value.String(strings.TrimSuffix(s, value.NeedText(a.Values[0], "removesuffix() argument")))
}

// affix is startswith and endswith, which take one string or a tuple of them.
func affix(has func(s, affix string) bool) func(*Env, value.Value, Arguments) value.Value {
	return func(e *Env, in value.Value, a Arguments) value.Value {
		s, _ := value.Text(in)
		s, _ = inWindow(e, s, a)
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

// finds makes find and its kin; must is for those that raise when nothing is found.
func finds(index func(s, sub string) int, must bool) func(*Env, value.Value, Arguments) value.Value {
	return func(e *Env, in value.Value, a Arguments) value.Value {
		s, _ := value.Text(in)
		e.Touch(len(s))
		part, before := inWindow(e, s, a)
		i := index(part, value.NeedText(a.Values[0], "argument"))
		switch {
		case i >= 0:
			return value.Int(before + utf8.RuneCountInString(part[:i]))
		case must:
			fault.Throw("ValueError", "substring not found")
		}
		return value.Int(-1)
	}
}

func countText(e *Env, in value.Value, a Arguments) value.Value {
	s, _ := value.Text(in)
	e.Touch(len(s))
	part, _ := inWindow(e, s, a)
	return value.Int(strings.Count(part, value.NeedText(a.Values[0], "argument")))
}

func replaceText(e *Env, in value.Value, a Arguments) value.Value {
	s, _ := value.Text(in)
	old, with := value.NeedText(a.Values[0], "replace() argument 1"), value.NeedText(a.Values[1], "replace() argument 2")
	return value.String(e.Replace(s, old, with, value.Index(a.Values[2])))
}

func splitlines(e *Env, in value.Value, a Arguments) value.Value {
	s, _ := value.Text(in)
	return e.NewTexts(e.splitLines(s, value.Truth(a.Values[0])))
}

func partition(e *Env, in value.Value, a Arguments) value.Value {
	s, _ := value.Text(in)
	sep := separator(a.Values[0])
	e.Touch(len(s))
	if before, after, found := strings.Cut(s, sep); found {
		return value.TupleOf(value.String(before), value.String(sep), value.String(after))
	}
	return value.TupleOf(value.String(s), value.String(""), value.String(""))
}

func rpartition(e *Env, in value.Value, a Arguments) value.Value {
	s, _ := value.Text(in)
	sep := separator(a.Values[0])
	e.Touch(len(s))
	if i := strings.LastIndex(s, sep); i >= 0 {
		return value.TupleOf(value.String(s[:i]), value.String(sep), value.String(s[i+len(sep):]))
	}
	return value.TupleOf(value.String(""), value.String(""), value.String(s))
}

// separator reads an argument that must not be empty.
func separator(v value.Value) string {
	sep := value.NeedText(v, "separator")
	if sep == "" {
		fault.Throw("ValueError", "empty separator")
	}
	return sep
}

func joinText(e *Env, in value.Value, a Arguments) value.Value {
	sep, _ := value.Text(in)
	items := e.Collect(a.Values[0])
	parts := make([]string, len(items))
	for i, v := range items {
		s, ok := value.Text(v)
		if !ok {
			fault.Throw("TypeError", "sequence item %d: expected str instance, %s found", i, v.Class())
		}
		parts[i] = s
	}
	return value.String(e.Join(parts, sep))
}

// justify pads to a width; left and right say on which sides.
func justify(left, right int) func(*Env, value.Value, Arguments) value.Value {
	return func(e *Env, in value.Value, a Arguments) value.Value {
		s, _ := value.Text(in)
		fill := value.NeedText(a.Values[1], "the fill character")
		if utf8.RuneCountInString(fill) != 1 {
			fault.Throw("TypeError", "The fill character must be exactly one character long")
		}
		return value.String(e.Pad(s, value.Index(a.Values[0]), fill, left, right))
	}
}

// zfill pads with zeros, behind the sign.
func zfill(e *Env, in value.Value, a Arguments) value.Value {
	s, _ := value.Text(in)
	width, sign := value.Index(a.Values[0]), ""
	if strings.HasPrefix(s, "-") || strings.HasPrefix(s, "+") {
		sign, s = s[:1], s[1:]
	}
	return value.String(sign + e.Pad(s, width-len(sign), "0", 1, 0))
}

// expandTabs is str.expandtabs.
func expandTabs(e *Env, in value.Value, a Arguments) value.Value {
	s, _ := value.Text(in)
	size := value.Index(a.Values[0])
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
