package jinja

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// onText makes a filter from a function of the string of any value.
func onText(f func(r *render, s string) string) func(*render, Value, arguments) Value {
	return func(r *render, in Value, _ arguments) Value {
		s := r.str(in)
		r.growTimes(len(s), 2)
		changed := f(r, s)
		if _, ok := in.(text); ok && changed == s {
			return in
		}
		return asMarked(in, changed)
	}
}

// titleWords capitalises what follows blanks, hyphens and opening brackets.
func titleWords(_ *render, s string) string {
	var b strings.Builder
	for s != "" {
		end := strings.IndexFunc(s, wordBreak)
		if end < 0 {
			end = len(s)
		}
		if _, n := utf8.DecodeRuneInString(s); end > 0 {
			b.WriteString(upper(s[:n]) + lower(s[n:end]))
			s = s[end:]
			continue
		}
		end = len(s) - len(strings.TrimLeftFunc(s, wordBreak))
		b.WriteString(s[:end])
		s = s[end:]
	}
	return b.String()
}

func wordBreak(c rune) bool { return space(c) || strings.ContainsRune("-({[<", c) }

// trim is str.strip of any value.
func trim(r *render, in Value, a arguments) Value {
	v, ok := in.(text)
	if !ok {
		v = text(r.str(in))
	}
	return remarked(in, r.lib.methods["str"]["strip"].run(r, v, a))
}

// remarked marks v as safe when like is.
func remarked(like, v Value) Value {
	if _, ok := like.(markup); ok {
		return mark(v)
	}
	return v
}

var (
	comments = regexp.MustCompile(`<!--[\s\S]*?-->`)
	tags     = regexp.MustCompile(`<[^>]*>`)
	entities = strings.NewReplacer("&lt;", "<", "&gt;", ">", "&#39;", "'", "&#34;", `"`, "&quot;", `"`, "&amp;", "&")
)

// stripTags removes what looks like HTML tags, and makes one blank of many.
func stripTags(r *render, in Value, _ arguments) Value {
	s := r.str(in)
	r.growTimes(len(s), 4)
	s = tags.ReplaceAllString(comments.ReplaceAllString(s, ""), "")
	return text(entities.Replace(strings.Join(r.words(s, -1), " ")))
}

// replaceFilter is str.replace of any value.
func replaceFilter(r *render, in Value, a arguments) Value {
	n := -1
	if !isNone(a.values[2]) {
		n = index(a.values[2])
	}
	return text(r.replace(r.str(in), r.str(a.values[0]), r.str(a.values[1]), n))
}

// center is str.center with blanks.
func center(r *render, in Value, a arguments) Value {
	return asMarked(in, r.pad(r.str(in), index(a.values[0]), " ", 1, 1))
}

// indent puts a margin before each line but, unless asked for, the first and the blank ones.
func indent(r *render, in Value, a arguments) Value {
	mustExist(in)
	if isList(in) {
		throw("AttributeError", "'list' object has no attribute 'splitlines'")
	}
	s := needText(in, "what is indented")
	margin, ok := str(a.values[0])
	if !ok {
		margin = r.times(" ", index(a.values[0]))
	}
	first, blank := truth(a.values[1]), truth(a.values[2])
	r.grow(len(s))
	lines := r.splitLines(s+"\n", false)
	for i, line := range lines {
		if i == 0 && !first || i > 0 && line == "" && !blank {
			continue
		}
		r.grow(len(margin) + len(line))
		lines[i] = margin + line
	}
	return asMarked(in, r.join(lines, "\n"))
}

// truncate cuts what is longer than a length and some leeway, at a blank unless told otherwise.
func truncate(r *render, in Value, a arguments) Value {
	s, end := in, r.str(a.values[2])
	length, leeway := index(a.values[0]), 5
	if !isNone(a.values[3]) {
		leeway = index(a.values[3])
	}
	room := length - utf8.RuneCountInString(end)
	switch {
	case room < 0:
		throw("AssertionError", "expected length >= %d, got %d", utf8.RuneCountInString(end), length)
	case leeway < 0:
		throw("AssertionError", "expected leeway >= 0, got %d", leeway)
	case r.length(s) <= length+leeway:
		return s
	}
	cut := r.substring(needText(s, "what is truncated"), none{}, integer(room), none{})
	if i := strings.LastIndexByte(cut, ' '); i >= 0 && !truth(a.values[1]) {
		cut = cut[:i]
	}
	r.grow(len(cut) + len(end))
	return asMarked(in, cut+end)
}

// wordCount counts runs of letters, digits and underscores.
func wordCount(r *render, in Value, _ arguments) Value {
	s := r.str(in)
	r.touch(len(s))
	words, inWord := 0, false
	for _, c := range s {
		if wordRune(c) && !inWord {
			words++
		}
		inWord = wordRune(c)
	}
	return integer(words)
}

// wordRune is \w of Python's regular expressions.
func wordRune(c rune) bool {
	if c < utf8.RuneSelf {
		return wordByte(byte(c))
	}
	return unicode.IsLetter(c) || numeric(c)
}

// wordByte is wordRune for ASCII.
func wordByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_'
}

// formatFilter is the % operator with the arguments as its values.
func formatFilter(r *render, in Value, a arguments) Value {
	if len(a.values) > 0 && len(a.named) > 0 {
		throw("FilterArgumentError", "can't handle positional and keyword arguments at the same time")
	}
	var values Value = tuple(a.values...)
	if len(a.named) > 0 {
		o := &Object{}
		r.fill(o, arguments{named: a.named})
		values = o
	}
	return asMarked(in, r.printf(r.str(in), values, in))
}

// urlEncode quotes a string, or the pairs of a query.
func urlEncode(r *render, in Value, _ arguments) Value {
	if _, ok := str(in); ok || !iterable(in) {
		return text(urlQuote(r, r.str(in), "/"))
	}
	if o, ok := in.(*Object); ok {
		in = &view{of: o, part: "items"}
	}
	var parts []string
	for _, pair := range r.collect(in) {
		kv := r.unpack(pair, 2)
		parts = append(parts, queryQuote(r, kv[0])+"="+queryQuote(r, kv[1]))
	}
	return text(r.join(parts, "&"))
}

// queryQuote escapes for the query of a URL.
func queryQuote(r *render, v Value) string {
	return strings.ReplaceAll(urlQuote(r, r.str(v), ""), "%20", "+")
}

// urlQuote escapes all but letters, digits, "_.-~" and the bytes of keep.
func urlQuote(r *render, s, keep string) string {
	r.growTimes(len(s), 3)
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

// xmlAttributes writes an object as attributes of a tag; None and undefined are left out.
func xmlAttributes(r *render, in Value, a arguments) Value {
	mustExist(in)
	o, ok := in.(*Object)
	if !ok {
		throw("AttributeError", "'%s' object has no attribute 'items'", in.class())
	}
	var parts []string
	for i, k := range o.keys {
		v := o.values[i]
		if _, undefined := v.(*undefined); undefined || isNone(v) {
			continue
		}
		name := needText(k, "the name of an attribute")
		if strings.ContainsAny(name, " \t\n\r\f\v/>=") {
			throw("ValueError", "Invalid character in attribute name: %s", printed(k))
		}
		parts = append(parts, escape(r, name)+`="`+r.str(escapeFilter(r, v, arguments{}))+`"`)
	}
	s := r.join(parts, " ")
	if truth(a.values[0]) && s != "" {
		s = " " + s
	}
	return text(s)
}
