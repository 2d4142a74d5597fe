package judges

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/dragoman-project/dragoman"
	"github.com/dragoman-project/dragoman/sdk/grammar"
)

// token is a token of a job's vocabulary.
type token struct {
	Bytes    []byte  `json:"bytes"`    // what it says
	Spelling string  `json:"spelling"` // Bytes in the spelling of byte-level vocabularies
	Weight   float64 `json:"weight"`   // how likely it is
	special  bool
}

// The weights make texts come to an end: markers and what closes are likely, control characters are not.
const (
	likely   = 8
	wordy    = 3
	ordinary = 1
	unlikely = 0.3
	broken   = 0.001 // parts of characters: engines let bytes pass that are not text
)

// endOfTurn is the last token of every vocabulary.
const endOfTurn = "<|end-of-turn|>"

// literals matches the texts in a grammar in GBNF, and its classes, which may contain quotes.
var literals = regexp.MustCompile(`\[(?:[^\]\\]|\\.)*\]|"(?:[^"\\\n]|\\.)*"`)

// vocabulary returns a vocabulary for a plan: all bytes, the tokens that the plan preserves, the texts in its grammar, and the
// end of the turn. A schema knows neither tokens nor texts.
func vocabulary(p *dragoman.Plan) []token {
	var all []token
	seen := map[string]bool{}
	add := func(text string, weight float64, special bool) {
		if text != "" && !seen[text] {
			seen[text] = true
			all = append(all, token{[]byte(text), spelling(text), weight, special})
		}
	}
	for b := range 256 {
		add(string([]byte{byte(b)}), byteWeight(byte(b)), false)
	}
	preserved, written := p.PreservedTokens, literals.FindAllString(p.Constraint.Grammar, -1)
	if p.Constraint.Target == grammar.TargetJSONSchema {
		preserved, written = nil, nil
	}
	for _, text := range []string{"é", "ß", "世", "😀", " and ", "\n\n"} {
		add(text, ordinary, false)
	}
	for _, text := range preserved {
		add(text, likely, true)
	}
	for _, quoted := range written {
		if text, err := strconv.Unquote(quoted); err == nil && len(text) > 1 {
			add(text, wordy, false)
		}
	}
	add(endOfTurn, likely, true)
	return all
}

func byteWeight(b byte) float64 {
	switch {
	case strings.IndexByte(`"}]>|`, b) >= 0:
		return likely
	case b < ' ' || b == 0x7F:
		return unlikely
	case b > '~':
		return broken
	}
	return ordinary
}

// spelling returns the spelling of bytes in byte-level vocabularies, where each byte is a printable character.
func spelling(text string) string {
	var out strings.Builder
	for i := range len(text) {
		out.WriteRune(byteRunes[text[i]])
	}
	return out.String()
}

// byteRunes are the characters that stand for bytes, as in GPT-2.
var byteRunes = func() (runes [256]rune) {
	next := rune(256)
	for b := range runes {
		if b >= '!' && b <= '~' || b >= 0xA1 && b != 0xAD {
			runes[b] = rune(b)
		} else {
			runes[b] = next
			next++
		}
	}
	return runes
}()
