package diff

import (
	"slices"
	"strings"
	"unicode"
)

// Segment is a piece of a text.
type Segment struct {
	Marker bool // a whole marker; otherwise what stands between markers
	Text   string
}

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

// Counterpart is the marker that closes what a marker opens: </x> of <x>, [/X] of [X], <|END_X|> of <|START_X|>. It is a
// guess, to be tried; "" when the marker closes something itself, or is none.
func Counterpart(marker string) string {
	for _, words := range [][2]string{{"START", "END"}, {"BEGIN", "END"}, {"start", "end"}, {"begin", "end"}} {
		if strings.Contains(marker, words[0]) {
			return strings.Replace(marker, words[0], words[1], 1)
		}
	}
	for _, open := range []string{"<|", "<", "["} {
		if rest, ok := strings.CutPrefix(marker, open); ok && !strings.HasPrefix(rest, "/") {
			return open + "/" + rest
		}
	}
	return ""
}

// Opening is the marker that a marker closes, the other way round: <x> of </x>. Of words, the one is taken that a text holds
// which knows both. "" when the marker closes nothing.
func Opening(marker, knows string) string {
	for _, words := range [][2]string{{"START", "END"}, {"BEGIN", "END"}, {"start", "end"}, {"begin", "end"}} {
		if opening := strings.Replace(marker, words[1], words[0], 1); opening != marker && strings.Contains(knows, opening) {
			return opening
		}
	}
	for _, open := range []string{"<|", "<", "["} {
		if rest, ok := strings.CutPrefix(marker, open+"/"); ok {
			return open + rest
		}
	}
	return ""
}

// Closes says that a marker looks like the one that ends what another begins: </x> behind <x>, <|x_end|> behind <|x_start|>,
// <|end_x|> behind <|x|>. They have the same brackets, and the same words but for a slash, a word more, or one that differs.
func Closes(open, closing string) bool {
	a, b := words(open), words(closing)
	if len(a) == 0 || len(b) == 0 || open[0] != closing[0] || strings.Contains(open, "/") {
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

// marker is the length of the marker with which text begins; 0 when it begins with none.
func marker(text string) int {
	if !opens(text) {
		return 0
	}
	end := 1 + strings.IndexAny(text[1:min(len(text), longestMarker)], stops(text[0]))
	if end < 2 || text[end] != closer(text[0]) {
		return 0
	}
	return end + 1
}

// openMarker is where in text a marker begins that text leaves open at its end; len(text) when there is none.
func openMarker(text string) int {
	at := strings.LastIndexAny(text, "<>[]\n")
	if at < 0 || !opens(text[at:]) || strings.ContainsAny(text[at+1:], stops(text[at])) {
		return len(text)
	}
	return at
}

// opens says whether a marker could begin like text: with a bracket that does not stand alone.
func opens(text string) bool {
	if text == "" || text[0] != '<' && text[0] != '[' {
		return false
	}
	return len(text) == 1 || strings.IndexByte(" \t=", text[1]) < 0
}

// closer is the bracket that ends a marker begun with open.
func closer(open byte) byte {
	if open == '<' {
		return '>'
	}
	return ']'
}

// stops lists what ends the search for the end of a marker begun with open: the bracket that closes it, or what shows that
// it was none.
func stops(open byte) string {
	if open == '<' {
		return "<>\n"
	}
	return "[]{}\"\n"
}

// Excerpt is a text that is short enough to read: its beginning and its end, where it has more than most bytes.
func Excerpt(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most/2], "") + "…" + strings.ToValidUTF8(text[len(text)-most/2:], "")
}
