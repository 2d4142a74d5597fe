package diff

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Segment is a piece of a text.
type Segment struct {
	Marker bool // a whole marker; otherwise what stands between markers
	Text   string
}

// Openers are the brackets that begin markers, Closers in the same order those that end them.
const (
	Openers = "<[«‹◁⟨⟦【"
	Closers = ">]»›▷⟩⟧】"
)

// longestMarker bounds what counts as a marker, in bytes. The longest seen in templates is under 50.
const longestMarker = 120

// Segments cuts a text into markers and what stands between them. Joined, the segments are the text.
func Segments(text string) []Segment {
	var out []Segment
	from := 0
	for at := 0; at < len(text); {
		n := marker(text[at:])
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

// join is the text that segments were cut from.
func join(segments []Segment) string {
	var text strings.Builder
	for _, s := range segments {
		text.WriteString(s.Text)
	}
	return text.String()
}

// FirstMarker finds the first marker of a text: text[start:end]. Without one, both are len(text).
func FirstMarker(text string) (start, end int) {
	for at := range len(text) {
		if n := marker(text[at:]); n > 0 {
			return at, at + n
		}
	}
	return len(text), len(text)
}

// LastMarker finds the last marker of a text: text[start:end]. Without one, both are len(text).
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

// TrailingMarker is the marker that a text ends with, white space behind it included, and what stands before. Without one
// it is "".
func TrailingMarker(text string) (before, marker string) {
	start, end := LastMarker(text)
	if strings.TrimSpace(text[end:]) != "" || start == end {
		return text, ""
	}
	return text[:start], text[start:]
}

// startsAndEnds are words for the beginning and the end of something.
var startsAndEnds = [][2]string{{"START", "END"}, {"BEGIN", "END"}, {"start", "end"}, {"begin", "end"}}

// Counterpart is the marker that closes what a marker opens: </x> of <x>, [/X] of [X], <|END_X|> of <|START_X|>. It is a
// guess, to be tried; "" when the marker closes something itself, or is none.
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

// Opening is the marker that a marker closes, the other way round: <x> of </x>. Of words, the one is taken that a text holds
// which knows both. "" when the marker closes nothing.
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

// Closing says that a marker closes another: the first thing in it is a slash.
func Closing(marker string) bool {
	name := named(marker)
	return len(name) < len(marker) && strings.HasPrefix(name, "/")
}

// named is a marker from its name on, behind the bracket and the bar that begin it.
func named(marker string) string { return strings.TrimLeft(marker, Openers+"|｜") }

// Closes says that a marker looks like the one that ends what another begins: </x> behind <x>, <|x_end|> behind <|x_start|>,
// <|end_x|> behind <|x|>. They have the same brackets, and the same words but for a slash, a word more, or one that differs.
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

// words are those of a marker, without what stands around and between them.
func words(marker string) []string {
	return strings.FieldsFunc(marker, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}

// marker is the length of the marker with which text begins; 0 when it begins with none. Brackets may be doubled: <<x>>.
func marker(text string) int {
	if !opens(text) {
		return 0
	}
	open := firstRune(text)
	closing := string(closer(open))
	start := utf8.RuneLen(open)
	if strings.HasPrefix(text[start:], string(open)) {
		start, closing = 2*start, closing+closing
	}
	end := start + strings.IndexAny(text[start:min(len(text), longestMarker)], stops(open))
	if end <= start || !strings.HasPrefix(text[end:], closing) {
		return 0
	}
	return end + len(closing)
}

// OpenMarker is where in text a marker begins that text leaves open at its end; len(text) when there is none.
func OpenMarker(text string) int {
	at := strings.LastIndexAny(text, Openers+Closers+"\n")
	if at < 0 || !opens(text[at:]) {
		return len(text)
	}
	if open := firstRune(text[at:]); strings.ContainsAny(text[at+utf8.RuneLen(open):], stops(open)) {
		return len(text)
	}
	return at
}

// opens says whether a marker could begin like text: with a bracket that does not stand alone.
func opens(text string) bool {
	open := firstRune(text)
	if text == "" || !strings.ContainsRune(Openers, open) {
		return false
	}
	behind := text[utf8.RuneLen(open):]
	return behind == "" || strings.IndexByte(" \t=", behind[0]) < 0
}

// firstRune is the first character of a text.
func firstRune(text string) rune {
	r, _ := utf8.DecodeRuneInString(text)
	return r
}

// closer is the bracket that ends a marker begun with open.
func closer(open rune) rune {
	n := utf8.RuneCountInString(Openers[:strings.IndexRune(Openers, open)])
	return []rune(Closers)[n]
}

// stops lists what ends the search for the end of a marker begun with open: the bracket that closes it, or what shows that
// it was none.
func stops(open rune) string {
	if open == '[' {
		return "[]{}\"\n"
	}
	return string([]rune{open, closer(open), '\n'})
}

// Excerpt is a text that is short enough to read: its beginning and its end, where it has more than most bytes.
func Excerpt(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most/2], "") + "…" + strings.ToValidUTF8(text[len(text)-most/2:], "")
}
