package detect

import (
	"strings"

	"github.com/dragoman-project/dragoman/autoparser/probe"
)

// typedValues learns whether a word before a value tells its type: it differs between a text and a
// number (T4).
func (d *detective) typedValues() {
	t4, ok := d.answers.Of("T4")
	if !ok {
		return
	}
	a := &d.Dialect.Tools.Arguments
	text := d.callsIn(t4.TextB)
	_, behind, _ := strings.Cut(text, a.NamePrefix+probe.Argument)
	ofNumber, _, ok := strings.Cut(behind, probe.Number)
	if ofText := a.NameSuffix + a.ValuePrefix; ok && ofNumber != ofText {
		learn(d, &a.TextType, differingWord(ofText, ofNumber), from("T4", text))
	}
}

// differingWord returns the one word of a text in which it differs from another; "" if there are
// more.
func differingWord(text, other string) string {
	start, end := 0, len(text)
	for start < min(len(text), len(other)) && text[start] == other[start] {
		start++
	}
	for n := len(other); end > start && n > start && text[end-1] == other[n-1]; n-- {
		end--
	}
	for start > 0 && isLetter(text[start-1]) {
		start--
	}
	for end < len(text) && isLetter(text[end]) {
		end++
	}
	word := text[start:end]
	again := text[:start] + other[start:max(start, len(other)-(len(text)-end))] + text[end:]
	if word == "" || strings.IndexFunc(word, notLetter) >= 0 || again != other || strings.Count(text, word) > 1 {
		return ""
	}
	return word
}

func isLetter(c byte) bool { return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' }

func notLetter(r rune) bool { return r > 'z' || !isLetter(byte(r)) }
