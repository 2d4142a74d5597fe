package diff

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Segment is a piece of a text.
type Segment struct {
	Marker bool // a whole marker; otherwise text between markers
	Text   string
}

// Openers are the brackets that begin markers; Closers are those that end them, in the same order.
// The last pair, of characters for private use, is for callers that write markers of other kinds as
// markers.
const (
	Openers = "<[«‹◁⟨⟦【\uE000"
	Closers = ">]»›▷⟩⟧】\uE001"
)

// longestMarker bounds what counts as a marker, in bytes. The longest in known templates is under
// 50.
const longestMarker = 120

// Segments cuts a text into markers and the text between them. Joined, the segments are the text.
func Segments(text string) []Segment {
	var out []Segment
	from := 0
	for at := 0; at < len(text); {
		n := 0
		if mayOpen[text[at]] {
			n = marker(text[at:])
		}
		if n == 0 {
			at++
			continue
		}
		if from < at {
			out = append(out, Segment{Text: text[from:at]})
		}
		out = append(out, Segment{Marker: true, Text: text[at : at+n]})
		at += n
		from = at
	}
	if from < len(text) {
		out = append(out, Segment{Text: text[from:]})
	}
	return out
}

// length returns the length of the text that segments were cut from.
func length(segments []Segment) int {
	n := 0
	for _, s := range segments {
		n += len(s.Text)
	}
	return n
}

// bracket is an opener as markers begin with it.
type bracket struct {
	open    string
	closing string // its closer
	stops   string // the characters that end the search for the closer: the closer itself, or what shows that it is no marker
}

// brackets are the openers, and mayOpen the bytes with which they begin.
var brackets, mayOpen = func() (all []bracket, first [256]bool) {
	closers := []rune(Closers)
	for i, open := range []rune(Openers) {
		b := bracket{string(open), string(closers[i]), string([]rune{open, closers[i], '\n'})}
		if open == '[' {
			b.stops = "[]{}\"\n"
		}
		all, first[b.open[0]] = append(all, b), true
	}
	return all, first
}()

// opening returns the bracket with which a text begins; nil if it begins with another character, or if the bracket stands alone.
func opening(text string) *bracket {
	if text == "" || !mayOpen[text[0]] {
		return nil
	}
	for i := range brackets {
		b := &brackets[i]
		if behind, ok := strings.CutPrefix(text, b.open); ok {
			if behind != "" && strings.IndexByte(" \t=", behind[0]) >= 0 {
				return nil
			}
			return b
		}
	}
	return nil
}

// FirstMarker returns the range of the first marker of a text; both ends are len(text) if there is
// none.
func FirstMarker(text string) (start, end int) {
	for at := range len(text) {
		if n := marker(text[at:]); n > 0 {
			return at, at + n
		}
	}
	return len(text), len(text)
}

// LastMarker returns the range of the last marker of a text; both ends are len(text) if there is
// none.
func LastMarker(text string) (start, end int) {
	start, end = len(text), len(text)
	at := 0
	for _, s := range Segments(text) {
		if s.Marker {
			start, end = at, at+len(s.Text)
		}
		at += len(s.Text)
	}
	return start, end
}

// TrailingMarker splits a text before the marker that it ends with, including the white space after
// the marker; marker is "" if there is none.
func TrailingMarker(text string) (before, marker string) {
	start, end := LastMarker(text)
	if strings.TrimSpace(text[end:]) != "" || start == end {
		return text, ""
	}
	return text[:start], text[start:]
}

// startsAndEnds are pairs of words for the beginning and the end of something.
var startsAndEnds = [][2]string{{"START", "END"}, {"BEGIN", "END"}, {"start", "end"}, {"begin", "end"}}

// Counterpart returns the marker that closes what a marker opens: </x> for <x>, [/X] for [X],
// <|END_X|> for <|START_X|>. It is a guess, to be tried; "" if the marker is itself a closing one,
// or no marker.
func Counterpart(marker string) string {
	for _, words := range startsAndEnds {
		if strings.Contains(marker, words[0]) {
			return strings.Replace(marker, words[0], words[1], 1)
		}
	}
	if name := named(marker); len(name) < len(marker) && name != "" && name[0] != '/' {
		return marker[:len(marker)-len(name)] + "/" + name
	}
	return ""
}

// Opening is the inverse of Counterpart: <x> for </x>. Of several spellings it returns one that the
// text knows contains; "" if the marker closes nothing.
func Opening(marker, knows string) string {
	for _, words := range startsAndEnds {
		if opening := strings.Replace(marker, words[1], words[0], 1); opening != marker && strings.Contains(knows, opening) {
			return opening
		}
	}
	if !Closing(marker) {
		return ""
	}
	return strings.Replace(marker, "/", "", 1)
}

// Closing reports whether a marker closes another: it begins with a slash.
func Closing(marker string) bool {
	name := named(marker)
	return len(name) < len(marker) && strings.HasPrefix(name, "/")
}

// named returns a marker from its name on, without the bracket and the bar before it.
func named(marker string) string { return strings.TrimLeft(marker, Openers+"|｜") }

// Closes reports whether closing looks like the end of what open begins: </x> for <x>, <|x_end|>
// for <|x_start|>, <|end_x|> for <|x|>. The two have the same brackets, and the same words but for
// a slash, an additional word, or one that differs.
func Closes(open, closing string) bool {
	a, b := words(open), words(closing)
	if len(a) == 0 || len(b) == 0 || firstRune(open) != firstRune(closing) || strings.Contains(open, "/") {
		return false
	}
	if len(b) == len(a)+1 {
		return slices.ContainsFunc(b, func(more string) bool {
			return slices.Equal(a, slices.DeleteFunc(slices.Clone(b), func(word string) bool { return word == more }))
		})
	}
	differ := 0
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			differ++
		}
	}
	return len(a) == len(b) && (differ == 1 && len(a) > 1 || differ == 0 && strings.Contains(closing, "/"))
}

// words returns the words of a marker.
func words(marker string) []string {
	return strings.FieldsFunc(marker, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}

// marker returns the length of the marker with which text begins; 0 if there is none. Brackets may
// be doubled: <<x>>.
func marker(text string) int {
	b := opening(text)
	if b == nil {
		return 0
	}
	start, doubled := len(b.open), 1
	if strings.HasPrefix(text[start:], b.open) {
		start, doubled = 2*start, 2
	}
	end := start + strings.IndexAny(text[start:max(start, min(len(text), longestMarker))], b.stops)
	if end <= start {
		return 0
	}
	for range doubled {
		behind, closed := strings.CutPrefix(text[end:], b.closing)
		if !closed {
			return 0
		}
		end = len(text) - len(behind)
	}
	return end
}

// OpenMarker returns where in text a marker begins that text leaves open at its end; len(text) if
// there is none.
func OpenMarker(text string) int {
	at := strings.LastIndexAny(text, Openers+Closers+"\n")
	if at < 0 {
		return len(text)
	}
	if b := opening(text[at:]); b == nil || strings.ContainsAny(text[at+len(b.open):], b.stops) {
		return len(text)
	}
	return at
}

// firstRune returns the first character of a text.
func firstRune(text string) rune {
	r, _ := utf8.DecodeRuneInString(text)
	return r
}

// Excerpt shortens a text of more than most bytes to its beginning and its end.
func Excerpt(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most/2], "") + "…" + strings.ToValidUTF8(text[len(text)-most/2:], "")
}
