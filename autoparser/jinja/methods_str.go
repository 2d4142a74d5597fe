package jinja

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// textMethod makes a method from a function of a string to a string.
func textMethod(f func(string) string) *builtin {
	return &builtin{run: func(r *render, in Value, _ arguments) Value {
		s, _ := str(in)
		r.growTimes(len(s), 2)
		return text(f(s))
	}}
}

// asks makes a method from a question about a string.
func asks(f func(string) bool) *builtin {
	return &builtin{run: func(r *render, in Value, _ arguments) Value {
		s, _ := str(in)
		r.touch(len(s))
		return boolean(f(s))
	}}
}

// asksEvery makes a method from a question about characters.
func asksEvery(f func(rune) bool) *builtin {
	return asks(func(s string) bool { return every(s, f) })
}

// strMethods is every method of strings.
func strMethods() map[string]*builtin {
	m := map[string]*builtin{
		"upper":        textMethod(upper),
		"lower":        textMethod(lower),
		"casefold":     textMethod(casefold),
		"title":        textMethod(title),
		"capitalize":   textMethod(capitalize),
		"swapcase":     textMethod(swapcase),
		"isdigit":      asksEvery(digit),
		"isdecimal":    asksEvery(func(c rune) bool { return unicode.Is(unicode.Nd, c) }),
		"isnumeric":    asksEvery(numeric),
		"isalpha":      asksEvery(unicode.IsLetter),
		"isalnum":      asksEvery(alphanumeric),
		"isspace":      asksEvery(space),
		"isupper":      asks(isupper),
		"islower":      asks(islower),
		"istitle":      asks(istitle),
		"isascii":      asks(isASCII),
		"isidentifier": asks(isIdentifier),
		"isprintable":  asks(func(s string) bool { return s == "" || every(s, printableRune) }),

		"strip":        strips(strings.TrimFunc),
		"lstrip":       strips(strings.TrimLeftFunc),
		"rstrip":       strips(strings.TrimRightFunc),
		"removeprefix": {params: takes("prefix"), run: removePrefix},
		"removesuffix": {params: takes("suffix"), run: removeSuffix},
		"startswith":   {params: window("prefix"), run: affix(strings.HasPrefix)},
		"endswith":     {params: window("suffix"), run: affix(strings.HasSuffix)},
		"find":         {params: window("sub"), run: finds(strings.Index, false)},
		"rfind":        {params: window("sub"), run: finds(strings.LastIndex, false)},
		"index":        {params: window("sub"), run: finds(strings.Index, true)},
		"rindex":       {params: window("sub"), run: finds(strings.LastIndex, true)},
		"count":        {params: window("sub"), run: countText},
		"replace":      {params: []parameter{{"old", nil}, {"new", nil}, {"count", integer(-1)}}, run: replaceText},
		"split":        {params: []parameter{{"sep", none{}}, {"maxsplit", integer(-1)}}, run: split},
		"rsplit":       {params: []parameter{{"sep", none{}}, {"maxsplit", integer(-1)}}, run: rsplit},
		"splitlines":   {params: []parameter{{"keepends", no}}, run: splitlines},
		"partition":    {params: takes("sep"), run: partition},
		"rpartition":   {params: takes("sep"), run: rpartition},
		"join":         {params: takes("iterable"), run: joinText},
		"ljust":        {params: []parameter{{"width", nil}, {"fillchar", text(" ")}}, run: justify(0, 1)},
		"rjust":        {params: []parameter{{"width", nil}, {"fillchar", text(" ")}}, run: justify(1, 0)},
		"center":       {params: []parameter{{"width", nil}, {"fillchar", text(" ")}}, run: justify(1, 1)},
		"zfill":        {params: takes("width"), run: zfill},
		"expandtabs":   {params: []parameter{{"tabsize", integer(8)}}, run: expandTabs},
		"format":       {variadic: true, keywords: true, run: formatMethod},
		"format_map":   {params: takes("mapping"), run: formatMap},

		"encode":    {refused: "there are no bytes in templates"},
		"maketrans": {refused: "use replace"},
		"translate": {refused: "use replace"},
	}
	return m
}

// window is the parameter list of methods that look at a part of the string.
func window(name string) []parameter {
	return []parameter{{name, nil}, {"start", none{}}, {"end", none{}}}
}

// inWindow applies the optional start and end, the second and third argument. before is what the start cut off.
func inWindow(r *render, s string, a arguments) (part string, before int) {
	if isNone(a.values[1]) && isNone(a.values[2]) {
		return s, 0
	}
	part = r.substring(s, a.values[1], a.values[2], none{})
	if n := utf8.RuneCountInString(s); !isNone(a.values[1]) {
		before = clampIndex(a.values[1], 0, n, 0, n)
	}
	return part, before
}

// strips makes strip and its kin from a function that trims.
func strips(trim func(string, func(rune) bool) string) *builtin {
	return &builtin{params: []parameter{{"chars", none{}}}, run: func(r *render, in Value, a arguments) Value {
		s, _ := str(in)
		r.touch(len(s))
		drop := space
		if !isNone(a.values[0]) {
			chars := needText(a.values[0], "strip arg")
			drop = func(c rune) bool { return strings.ContainsRune(chars, c) }
			r.charge(len(s) * len(chars) >> 8)
		}
		if stripped := trim(s, drop); len(stripped) != len(s) {
			return text(stripped)
		}
		if _, ok := in.(text); ok {
			return in
		}
		return text(s)
	}}
}

func removePrefix(_ *render, in Value, a arguments) Value {
	s, _ := str(in)
	return text(strings.TrimPrefix(s, needText(a.values[0], "removeprefix() argument")))
}

func removeSuffix(_ *render, in Value, a arguments) Value {
	s, _ := str(in)
	return text(strings.TrimSuffix(s, needText(a.values[0], "removesuffix() argument")))
}

// affix is startswith and endswith, which take one string or a tuple of them.
func affix(has func(s, affix string) bool) func(*render, Value, arguments) Value {
	return func(r *render, in Value, a arguments) Value {
		s, _ := str(in)
		s, _ = inWindow(r, s, a)
		l, ok := a.values[0].(*list)
		if !ok || !l.tuple {
			return boolean(has(s, needText(a.values[0], "first arg")))
		}
		for _, x := range l.items {
			r.charge(1)
			if has(s, needText(x, "tuple for startswith or endswith")) {
				return yes
			}
		}
		return no
	}
}

// finds makes find and its kin; must is for those that raise when nothing is found.
func finds(index func(s, sub string) int, must bool) func(*render, Value, arguments) Value {
	return func(r *render, in Value, a arguments) Value {
		s, _ := str(in)
		r.touch(len(s))
		part, before := inWindow(r, s, a)
		i := index(part, needText(a.values[0], "argument"))
		switch {
		case i >= 0:
			return integer(before + utf8.RuneCountInString(part[:i]))
		case must:
			throw("ValueError", "substring not found")
		}
		return integer(-1)
	}
}

func countText(r *render, in Value, a arguments) Value {
	s, _ := str(in)
	r.touch(len(s))
	part, _ := inWindow(r, s, a)
	return integer(strings.Count(part, needText(a.values[0], "argument")))
}

func replaceText(r *render, in Value, a arguments) Value {
	s, _ := str(in)
	old, with := needText(a.values[0], "replace() argument 1"), needText(a.values[1], "replace() argument 2")
	return text(r.replace(s, old, with, index(a.values[2])))
}

// replace replaces old by with, n times at most; all when n is negative.
func (r *render) replace(s, old, with string, n int) string {
	r.touch(len(s))
	found := strings.Count(s, old)
	if n >= 0 {
		found = min(found, n)
	}
	if found == 0 {
		return s
	}
	r.grow(len(s))
	r.growTimes(found, len(with))
	return strings.Replace(s, old, with, n)
}

func splitlines(r *render, in Value, a arguments) Value {
	s, _ := str(in)
	return r.texts(r.splitLines(s, truth(a.values[0])))
}

func partition(r *render, in Value, a arguments) Value {
	s, _ := str(in)
	sep := separator(a.values[0])
	r.touch(len(s))
	if before, after, found := strings.Cut(s, sep); found {
		return tuple(text(before), text(sep), text(after))
	}
	return tuple(text(s), text(""), text(""))
}

func rpartition(r *render, in Value, a arguments) Value {
	s, _ := str(in)
	sep := separator(a.values[0])
	r.touch(len(s))
	if i := strings.LastIndex(s, sep); i >= 0 {
		return tuple(text(s[:i]), text(sep), text(s[i+len(sep):]))
	}
	return tuple(text(""), text(""), text(s))
}

// separator reads an argument that must not be empty.
func separator(v Value) string {
	sep := needText(v, "separator")
	if sep == "" {
		throw("ValueError", "empty separator")
	}
	return sep
}

func joinText(r *render, in Value, a arguments) Value {
	sep, _ := str(in)
	items := r.collect(a.values[0])
	parts := make([]string, len(items))
	for i, v := range items {
		s, ok := str(v)
		if !ok {
			throw("TypeError", "sequence item %d: expected str instance, %s found", i, v.class())
		}
		parts[i] = s
	}
	return text(r.join(parts, sep))
}

// join joins strings.
func (r *render) join(parts []string, sep string) string {
	r.growTimes(len(parts), len(sep))
	for _, p := range parts {
		r.grow(len(p))
	}
	return strings.Join(parts, sep)
}

// justify pads to a width; left and right say on which sides.
func justify(left, right int) func(*render, Value, arguments) Value {
	return func(r *render, in Value, a arguments) Value {
		s, _ := str(in)
		fill := needText(a.values[1], "the fill character")
		if utf8.RuneCountInString(fill) != 1 {
			throw("TypeError", "The fill character must be exactly one character long")
		}
		return text(r.pad(s, index(a.values[0]), fill, left, right))
	}
}

// pad fills a string up to a width, on the sides that left and right name.
func (r *render) pad(s string, width int, fill string, left, right int) string {
	missing := width - utf8.RuneCountInString(s)
	if missing <= 0 {
		return s
	}
	before := missing * left
	if left+right == 2 { // CPython's rounding
		before = missing/2 + (missing & width & 1)
	}
	r.growTimes(missing, len(fill))
	r.grow(len(s))
	return strings.Repeat(fill, before) + s + strings.Repeat(fill, missing-before)
}

// zfill pads with zeros, behind the sign.
func zfill(r *render, in Value, a arguments) Value {
	s, _ := str(in)
	width, sign := index(a.values[0]), ""
	if strings.HasPrefix(s, "-") || strings.HasPrefix(s, "+") {
		sign, s = s[:1], s[1:]
	}
	return text(sign + r.pad(s, width-len(sign), "0", 1, 0))
}

// expandTabs is str.expandtabs.
func expandTabs(r *render, in Value, a arguments) Value {
	s, _ := str(in)
	size := index(a.values[0])
	var b strings.Builder
	column := 0
	for _, c := range s {
		switch {
		case c == '\t' && size > 0:
			b.WriteString(r.times(" ", size-column%size))
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
	r.grow(b.Len())
	return text(b.String())
}

func printableRune(c rune) bool { return c == ' ' || unicode.IsPrint(c) }

// isIdentifier reports whether s is a Python identifier.
func isIdentifier(s string) bool {
	for i, c := range s {
		if c == '_' || unicode.IsLetter(c) || unicode.Is(unicode.Nl, c) {
			continue
		}
		if i == 0 || !(unicode.Is(unicode.Nd, c) || unicode.In(c, unicode.Mn, unicode.Mc, unicode.Pc)) {
			return false
		}
	}
	return s != ""
}
