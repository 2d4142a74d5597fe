package assemble

import (
	"regexp"
	"strings"

	"github.com/dragoman-project/dragoman/autoparser/dialect"
	"github.com/dragoman-project/dragoman/autoparser/diff"
)

// markersIn returns the dialect with its markers as they are compared: trimmed, and without those
// that differ from tool to tool.
func markersIn(d dialect.Dialect) dialect.Dialect {
	m := d.Trimmed()
	t := &m.Tools
	if strings.Contains(t.Function.Close, dialect.NamePlaceholder) {
		t.Function.Close = ""
	}
	if t.Format == dialect.JSONNative && t.JSON.ArrayWrapped && t.SectionStart == "" {
		// One pair of markers around one array is a section, whatever its name.
		t.SectionStart, t.SectionEnd, t.PerCallStart, t.PerCallEnd = t.PerCallStart, t.PerCallEnd, "", ""
	}
	return m
}

// endings returns the markers that end a turn; m has the markers of d.
func endings(d, m dialect.Dialect) []string {
	var all []string
	for _, e := range append([]string{d.EndOfTurn, d.EndOfCalls}, d.Stop...) {
		if e = strings.TrimSpace(e); distinctive(e) && e != m.Content.End {
			all = append(all, markersOf(e)...)
		}
	}
	return nonempty(all...)
}

// markersOf splits a text where a marker follows another.
func markersOf(text string) []string {
	var markers []string
	behind := false
	for _, s := range diff.Segments(text) {
		if behind && strings.TrimSpace(s.Text) == "" {
			continue
		}
		if len(markers) == 0 || s.Marker && behind {
			markers = append(markers, "")
		}
		markers[len(markers)-1] += s.Text
		behind = s.Marker
	}
	return markers
}

// distinctive reports whether a text is unlikely in prose: it has the brackets of a marker.
func distinctive(marker string) bool {
	return len(marker) >= 3 && strings.ContainsAny(marker, diff.Openers+diff.Closers+strings.Join(bars, ""))
}

// common is the opposite of distinctive.
func common(marker string) bool { return !distinctive(marker) }

// special reports whether a text looks like a special token, which does not occur in prose.
func special(marker string) bool {
	return distinctive(marker) && strings.ContainsAny(marker, strings.Join(bars, ""))
}

// bars are the characters around the names of special tokens.
var bars = []string{"|", "｜"}

// betweenTokens matches where one token ends and the next begins.
var betweenTokens = regexp.MustCompile(`([` + regexp.QuoteMeta(diff.Closers) + `])\s*([` + regexp.QuoteMeta(diff.Openers) + `])`)

// respaced returns markers and, for those of several tokens, the spellings with other white space
// or none between the tokens, and those that begin twice. A marker comes before its other spellings.
func respaced(markers ...string) []string {
	var all []string
	for _, m := range nonempty(markers...) {
		spellings := []string{m}
		if strings.LastIndexAny(m, diff.Openers) > 0 { // otherwise it has one token at most
			for _, space := range []string{"", " ", "\n"} {
				spellings = append(spellings, betweenTokens.ReplaceAllString(m, "${1}"+space+"${2}"))
			}
		}
		all = append(all, spellings...)
		if first := diff.Segments(m)[0].Text; special(first) && first != m {
			for _, s := range spellings {
				all = append(all, first+s)
			}
		}
	}
	return nonempty(all...)
}

// otherSpellings returns the spellings that respaced adds to a marker.
func otherSpellings(marker string) []string {
	all := respaced(marker)
	return all[min(1, len(all)):]
}

// nonempty returns the texts that are not empty, each once.
func nonempty(texts ...string) []string {
	var out []string
	seen := map[string]bool{"": true}
	for _, t := range texts {
		if !seen[t] {
			seen[t] = true
			out = append(out, t)
		}
	}
	return out
}
