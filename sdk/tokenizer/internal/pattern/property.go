package pattern

import (
	_ "embed"
	"strconv"
	"strings"
	"sync"
)

// Patterns follow Unicode 16, as Oniguruma does in the library that models are published for.
//
//go:embed unicode.txt
var unicodeText string

// properties returns the characters of each property: a general category of two letters, a script, or White_Space. A general
// category of one letter is all that begin with it.
var properties = sync.OnceValue(func() map[string][]span {
	all := map[string][]span{}
	for line := range strings.Lines(unicodeText) {
		fields := strings.Fields(line)
		var spans []span
		for _, f := range fields[1:] {
			first, last, ranged := strings.Cut(f, "-")
			if !ranged {
				last = first
			}
			spans = append(spans, span{hexadecimal(first), hexadecimal(last)})
		}
		name := fields[0]
		all[name] = merged(spans)
		if len(name) == 2 {
			all[name[:1]] = merged(append(all[name[:1]], spans...))
		}
	}
	return all
})

func hexadecimal(digits string) rune {
	n, err := strconv.ParseInt(digits, 16, 32)
	if err != nil {
		panic(err) // the file is generated
	}
	return rune(n)
}

// longNames are the other names of categories that patterns use.
var longNames = map[string]string{"Letter": "L", "Mark": "M", "Number": "N", "Punctuation": "P", "Symbol": "S", "Separator": "Z", "Other": "C"}

// propertySpans returns the characters of a property, sorted and disjoint.
func propertySpans(name string) ([]span, bool) {
	if long := longNames[name]; long != "" {
		name = long
	}
	spans, ok := properties()[name]
	return spans, ok
}
