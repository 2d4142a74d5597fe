// Package diff finds out what two texts have in common. It knows nothing of templates: strings go
// in, strings come out.
//
// Two renderings of a template that differ in one thing share their beginning and their end. Texts
// cuts them there:
//
//	<s>Hi<bot>[CALL]f{"a": 1}</s>          prefix   <s>Hi<bot>
//	<s>Hi<bot>Hello</s>                    left     [CALL]f{"a": 1}     right   Hello
//	                                       suffix   </s>
//
// Cut byte by byte, two markers that happen to begin or end alike would be torn: of <think> and
// <tool> the "<t" would go to the prefix. So a text is a row of segments, markers and the text
// between them; markers are equal or they are not, and only the text between markers is compared
// byte by byte.
//
// A marker, here, is what looks like one: text in angle brackets that does not begin with white
// space, in square brackets that holds no JSON, or in brackets of another shape (Openers), on one
// line. It need not be one: the worst that a stray bracket in prose can do is a prefix or a suffix
// that is shorter than it could be. Markers of other kinds, such as a word and a colon, are text:
// two of them that begin alike are torn.
//
// Prefix+Left+Suffix is always the first text, and Prefix+Right+Suffix the second, byte for byte.
//
// Words that must not be confused: a *split* is of two texts and has four parts; a *segment* is a
// piece of one text.
package diff

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Split is what two texts share at their ends, and what each has in between.
type Split struct {
	Prefix string // the beginning of both
	Left   string // the rest of the first
	Right  string // the rest of the second
	Suffix string // the end of both
}

// Texts splits two texts where they differ. If one text is a prefix of the other, it is the whole
// prefix. Otherwise, a piece that one text repeats, as a second call repeats the first, belongs to
// the suffix.
func Texts(a, b string) Split {
	as, bs := Segments(a), Segments(b)
	if prefix := commonPrefix(a, as, bs); prefix == a || prefix == b {
		return Split{Prefix: prefix, Left: a[len(prefix):], Right: b[len(prefix):]}
	}
	tail := equalTail(as, bs)
	as, bs = as[:len(as)-tail], bs[:len(bs)-tail]
	head := equalHead(as, bs)
	inner := bytesOf(as[head:], bs[head:])
	from := length(as[:head]) + len(inner.Prefix)
	left, right := length(as)-len(inner.Suffix), length(bs)-len(inner.Suffix)
	return Split{Prefix: a[:from], Left: a[from:left], Right: b[from:right], Suffix: a[left:]}
}

// bytesOf compares the text at both ends of two rows of segments whose first and last segments
// differ.
func bytesOf(as, bs []Segment) Split {
	var s Split
	if len(as) == 0 || len(bs) == 0 {
		return s
	}
	if a, b := as[0], bs[0]; !a.Marker && !b.Marker {
		s.Prefix = textPrefix(a.Text, b.Text)
		if len(as) == 1 || len(bs) == 1 {
			as, bs = slices.Clone(as), slices.Clone(bs)
			as[0].Text, bs[0].Text = a.Text[len(s.Prefix):], b.Text[len(s.Prefix):]
		}
	}
	if a, b := as[len(as)-1], bs[len(bs)-1]; !a.Marker && !b.Marker {
		s.Suffix = textSuffix(a.Text, b.Text)
	}
	return s
}

// CommonPrefix returns the common beginning of two texts, without tearing a marker.
func CommonPrefix(a, b string) string {
	return commonPrefix(a, Segments(a), Segments(b))
}

// commonPrefix returns the common beginning of a and another text, given the segments of both.
func commonPrefix(a string, as, bs []Segment) string {
	n := equalHead(as, bs)
	return a[:length(as[:n])+len(bytesOf(as[n:], bs[n:]).Prefix)]
}

// CommonSuffix returns the common end of two texts, without tearing a marker.
func CommonSuffix(a, b string) string {
	as, bs := Segments(a), Segments(b)
	n := equalTail(as, bs)
	as, bs = as[:len(as)-n], bs[:len(bs)-n]
	if len(as) == 0 || len(bs) == 0 || as[len(as)-1].Marker || bs[len(bs)-1].Marker {
		return a[length(as):]
	}
	return a[length(as)-len(textSuffix(as[len(as)-1].Text, bs[len(bs)-1].Text)):]
}

// equalHead counts the segments with which both rows begin.
func equalHead(as, bs []Segment) int {
	n := 0
	for n < min(len(as), len(bs)) && as[n] == bs[n] {
		n++
	}
	return n
}

// equalTail counts the segments with which both rows end.
func equalTail(as, bs []Segment) int {
	n := 0
	for n < min(len(as), len(bs)) && as[len(as)-1-n] == bs[len(bs)-1-n] {
		n++
	}
	return n
}

// UntilCommonPrefix returns the part of full before the common beginning of left and right,
// compared byte by byte; "" if they begin differently or full does not contain it.
func UntilCommonPrefix(full, left, right string) string {
	shared := bytePrefix(left, right)
	before, _, found := strings.Cut(full, shared)
	if shared == "" || !found {
		return ""
	}
	return before
}

// AfterCommonSuffix returns the part of full after the last copy of the common end of left and
// right, compared byte by byte; "" if they end differently or full does not contain it.
func AfterCommonSuffix(full, left, right string) string {
	shared := textSuffix(left, right)
	at := strings.LastIndex(full, shared)
	if shared == "" || at < 0 {
		return ""
	}
	return full[at+len(shared):]
}

// Shared returns the beginning of a text that another has, too, apart from white space, without
// tearing a marker.
func Shared(text, other string) string {
	shared := CommonPrefix(text, other)
	other = other[len(shared):]
	for _, s := range Segments(text[len(shared):]) {
		rest, ok := Behind(other, s.Text)
		if !ok {
			break
		}
		shared, other = shared+s.Text, rest
	}
	return shared
}

// Behind returns the rest of a text that begins with words, whatever the white space in and around
// them; false if it does not.
func Behind(text, words string) (rest string, ok bool) {
	for _, r := range words {
		if unicode.IsSpace(r) {
			continue
		}
		text = strings.TrimLeftFunc(text, unicode.IsSpace)
		if text, ok = strings.CutPrefix(text, string(r)); !ok {
			return "", false
		}
	}
	return strings.TrimLeftFunc(text, unicode.IsSpace), true
}

// textPrefix returns the common beginning of two texts without markers, in whole characters, up to
// a marker that either leaves open.
func textPrefix(a, b string) string {
	shared := bytePrefix(a, b)
	return shared[:OpenMarker(shared)]
}

// bytePrefix returns the common beginning of two texts, in whole characters.
func bytePrefix(a, b string) string {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	for n > 0 && n < len(a) && n < len(b) && !(utf8.RuneStart(a[n]) && utf8.RuneStart(b[n])) {
		n--
	}
	return a[:n]
}

// textSuffix returns the common end of two texts, in whole characters.
func textSuffix(a, b string) string {
	n := 0
	for n < min(len(a), len(b)) && a[len(a)-1-n] == b[len(b)-1-n] {
		n++
	}
	for n > 0 && !utf8.RuneStart(a[len(a)-n]) {
		n--
	}
	return a[len(a)-n:]
}
