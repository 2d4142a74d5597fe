package filters

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/dragoman-project/dragoman/autoparser/jinja/failure"
	"github.com/dragoman-project/dragoman/autoparser/jinja/format"
	"github.com/dragoman-project/dragoman/autoparser/jinja/library"
	"github.com/dragoman-project/dragoman/autoparser/jinja/pystr"
	"github.com/dragoman-project/dragoman/autoparser/jinja/value"
)

// onText returns a filter that applies f to the string of any value.
func onText(f func(e *library.Env, s string) string) library.Func {
	return func(e *library.Env, in value.Value, _ library.Arguments) value.Value {
		s := e.Str(in)
		e.Recase(s, 1)
		changed := f(e, s)
		if _, ok := in.(value.String); ok && changed == s {
			return in
		}
		return value.MarkedLike(in, changed)
	}
}

// titleWords capitalizes what follows white space, hyphens and opening brackets.
func titleWords(e *library.Env, s string) string {
	e.Recase(s, 8)
	var b strings.Builder
	for s != "" {
		end := strings.IndexFunc(s, wordBreak)
		if end < 0 {
			end = len(s)
		}
		if _, n := utf8.DecodeRuneInString(s); end > 0 {
			b.WriteString(pystr.Upper(s[:n]) + pystr.Lower(s[n:end]))
			s = s[end:]
			continue
		}
		end = len(s) - len(strings.TrimLeftFunc(s, wordBreak))
		b.WriteString(s[:end])
		s = s[end:]
	}
	return b.String()
}

func wordBreak(c rune) bool { return pystr.IsSpace(c) || strings.ContainsRune("-({[<", c) }

// trim is str.strip of any value.
func trim(e *library.Env, in value.Value, a library.Arguments) value.Value {
	v, ok := in.(value.String)
	if !ok {
		v = value.String(e.Str(in))
	}
	return remarked(in, e.Lib.Methods["str"]["strip"].Run(e, v, a))
}

// remarked returns v, marked safe if like is.
func remarked(like, v value.Value) value.Value {
	if _, ok := like.(value.Markup); ok {
		return value.Mark(v)
	}
	return v
}

var (
	comments = regexp.MustCompile(`<!--[\s\S]*?-->`)
	tags     = regexp.MustCompile(`<[^>]*>`)
	entities = strings.NewReplacer("&lt;", "<", "&gt;", ">", "&#39;", "'", "&#34;", `"`, "&quot;", `"`, "&amp;", "&")
)

// stripTags removes HTML tags and collapses white space.
func stripTags(e *library.Env, in value.Value, _ library.Arguments) value.Value {
	s := e.Str(in)
	e.GrowTimes(len(s), 4)
	e.Scan(8 * len(s))
	s = tags.ReplaceAllString(comments.ReplaceAllString(s, ""), "")
	return value.String(entities.Replace(strings.Join(e.Words(s, -1), " ")))
}

// replaceFilter is str.replace of any value.
func replaceFilter(e *library.Env, in value.Value, a library.Arguments) value.Value {
	n := -1
	if !value.IsNone(a.Values[2]) {
		n = value.Index(a.Values[2])
	}
	return value.String(e.Replace(e.Str(in), e.Str(a.Values[0]), e.Str(a.Values[1]), n))
}

// center is str.center.
func center(e *library.Env, in value.Value, a library.Arguments) value.Value {
	return value.MarkedLike(in, e.Pad(e.Str(in), value.Index(a.Values[0]), " ", 1, 1))
}

// indent indents each line except, by default, the first and blank ones.
func indent(e *library.Env, in value.Value, a library.Arguments) value.Value {
	value.MustExist(in)
	if value.IsList(in) {
		failure.Throw("AttributeError", "'list' object has no attribute 'splitlines'")
	}
	s := value.NeedText(in, "what is indented")
	margin, ok := value.Text(a.Values[0])
	if !ok {
		margin = e.Times(" ", value.Index(a.Values[0]))
	}
	first, blank := value.Truth(a.Values[1]), value.Truth(a.Values[2])
	e.Grow(len(s))
	lines := e.SplitLines(s+"\n", false)
	for i, line := range lines {
		if i == 0 && !first || i > 0 && line == "" && !blank {
			continue
		}
		e.Grow(len(margin) + len(line))
		lines[i] = margin + line
	}
	return value.MarkedLike(in, e.Join(lines, "\n"))
}

// truncate shortens a string that exceeds a length and some leeway, by default at a space.
func truncate(e *library.Env, in value.Value, a library.Arguments) value.Value {
	s, end := in, e.Str(a.Values[2])
	length, leeway := value.Index(a.Values[0]), 5
	if !value.IsNone(a.Values[3]) {
		leeway = value.Index(a.Values[3])
	}
	room := length - utf8.RuneCountInString(end)
	switch {
	case room < 0:
		failure.Throw("AssertionError", "expected length >= %d, got %d", utf8.RuneCountInString(end), length)
	case leeway < 0:
		failure.Throw("AssertionError", "expected leeway >= 0, got %d", leeway)
	case e.Length(s) <= length+leeway:
		return s
	}
	cut := e.Substring(value.NeedText(s, "what is truncated"), value.None{}, value.Int(room), value.None{})
	if i := strings.LastIndexByte(cut, ' '); i >= 0 && !value.Truth(a.Values[1]) {
		cut = cut[:i]
	}
	e.Grow(len(cut) + len(end))
	return value.MarkedLike(in, cut+end)
}

// wordCount counts runs of letters, digits and underscores.
func wordCount(e *library.Env, in value.Value, _ library.Arguments) value.Value {
	s := e.Str(in)
	e.Scan(4 * len(s))
	words, inWord := 0, false
	for _, c := range s {
		if pystr.IsWord(c) && !inWord {
			words++
		}
		inWord = pystr.IsWord(c)
	}
	return value.Int(words)
}

// formatFilter is the operator % with the arguments as its values.
func formatFilter(e *library.Env, in value.Value, a library.Arguments) value.Value {
	if len(a.Values) > 0 && len(a.Named) > 0 {
		failure.Throw("FilterArgumentError", "can't handle positional and keyword arguments at the same time")
	}
	var values value.Value = value.TupleOf(a.Values...)
	if len(a.Named) > 0 {
		o := &value.Object{}
		e.Fill(o, library.Arguments{Named: a.Named})
		values = o
	}
	return value.MarkedLike(in, format.Printf(&e.Heap, e.Str(in), values, in))
}

// urlEncode escapes a string, or the pairs of a query.
func urlEncode(e *library.Env, in value.Value, _ library.Arguments) value.Value {
	if _, ok := value.Text(in); ok || !value.CanIterate(in) {
		return value.String(urlQuote(e, e.Str(in), "/"))
	}
	if o, ok := in.(*value.Object); ok {
		in = value.NewView(o, "items")
	}
	var parts []string
	for _, pair := range e.Collect(in) {
		kv := e.Unpack(pair, 2)
		parts = append(parts, queryQuote(e, kv[0])+"="+queryQuote(e, kv[1]))
	}
	return value.String(e.Join(parts, "&"))
}

// queryQuote escapes for the query of a URL.
func queryQuote(e *library.Env, v value.Value) string {
	return strings.ReplaceAll(urlQuote(e, e.Str(v), ""), "%20", "+")
}

// urlQuote escapes everything except letters, digits, "_.-~" and the bytes of keep.
func urlQuote(e *library.Env, s, keep string) string {
	e.GrowTimes(len(s), 3)
	e.Scan(2 * len(s))
	var b strings.Builder
	for i := range len(s) {
		c := s[i]
		if c < utf8.RuneSelf && (unicode.IsLetter(rune(c)) || unicode.IsDigit(rune(c)) || strings.IndexByte("_.-~"+keep, c) >= 0) {
			b.WriteByte(c)
			continue
		}
		const hex = "0123456789ABCDEF"
		b.Write([]byte{'%', hex[c>>4], hex[c&15]})
	}
	return b.String()
}

// xmlAttributes formats an object as attributes of a tag, without None and undefined values.
func xmlAttributes(e *library.Env, in value.Value, a library.Arguments) value.Value {
	value.MustExist(in)
	o, ok := in.(*value.Object)
	if !ok {
		failure.Throw("AttributeError", "'%s' object has no attribute 'items'", in.Class())
	}
	var parts []string
	for k, v := range o.Entries() {
		if _, undefined := v.(*value.Undefined); undefined || value.IsNone(v) {
			continue
		}
		name := value.NeedText(k, "the name of an attribute")
		if strings.ContainsAny(name, " \t\n\r\f\v/>=") {
			failure.Throw("ValueError", "Invalid character in attribute name: %s", value.Printed(k))
		}
		parts = append(parts, value.Escape(&e.Heap, name)+`="`+e.Str(escapeFilter(e, v, library.Arguments{}))+`"`)
	}
	s := e.Join(parts, " ")
	if value.Truth(a.Values[0]) && s != "" {
		s = " " + s
	}
	return value.String(s)
}
