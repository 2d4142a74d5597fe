package session

import (
	"regexp"
	"slices"
	"strings"
)

// specials returns the special tokens that markers consist of. Where an engine tells special tokens from text, a marker
// matches only as the special token, and its mere spelling is prose. So the list holds nothing that may be ordinary text, or
// markers that the model writes as text would never match. Without a vocabulary, the shape of a token decides.
func specials(vocabulary, markers []string) []string {
	if len(vocabulary) > 0 {
		return inMarkers(vocabulary, markers)
	}
	return slices.DeleteFunc(tokens(nil, markers), func(t string) bool { return !shaped.MatchString(t) })
}

// inMarkers returns the tokens of a vocabulary that markers contain.
func inMarkers(vocabulary, markers []string) []string {
	var out []string
	for _, token := range vocabulary {
		if token != "" && slices.ContainsFunc(markers, func(m string) bool { return strings.Contains(m, token) }) {
			out = append(out, token)
		}
	}
	return out
}

// tokens returns the single tokens that markers consist of, as far as they are special or look like it. An engine drops from
// its text what is not preserved token by token; of other text it drops nothing.
func tokens(vocabulary, markers []string) []string {
	out := inMarkers(vocabulary, markers)
	for _, m := range markers {
		for _, known := range out {
			m = strings.ReplaceAll(m, known, "\n")
		}
		found := lookSpecial.FindAllString(m, -1)
		if found == nil && single(m) {
			found = []string{m}
		}
		for _, token := range found {
			if b := barred.FindString(token); b != "" && token[0] == '<' && !strings.HasSuffix(token, b+">") {
				token = b // the word behind it is text
			}
			if !slices.Contains(out, token) {
				out = append(out, token)
			}
		}
	}
	return out
}

// lookSpecial matches what tokenizers have as special tokens: words in brackets, with or without bars, and the beginning of a
// tag whose name begins with a token.
var lookSpecial = regexp.MustCompile(`<[|｜][^<>|｜\s]+[|｜]?>|<[^<>|｜\s="'\[\]]+[|｜]?>|</?[|｜][^<>|｜\s]+[|｜]|\[[|｜][^\[\]|｜\s]+[|｜]\]|\[/?[A-Z][A-Z_ ]*\]|◁[^◁▷\s]+▷|〈[^〈〉\s]+〉`)

// barred matches a token within a tag.
var barred = regexp.MustCompile(`[|｜][^<>|｜\s]+[|｜]`)

// single reports whether a marker without familiar tokens can be one: it is not a word, and brackets end it.
func single(marker string) bool {
	return len(marker) > 2 && !strings.ContainsAny(marker, " \t\r\n\"'`{}") && strings.ContainsAny(marker[len(marker)-1:], "[]>)")
}

// shaped matches what is only ever written as a special token: one word in angle brackets, at least one of them with a bar
// inside.
var shaped = regexp.MustCompile(`^<[|｜][^<>|｜\s]+[|｜]?>$|^<[^<>|｜\s]+[|｜]>$`)
