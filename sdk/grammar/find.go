package grammar

import (
	"regexp"
	"strings"
	"unicode/utf8"
)

// maxFullPrefixes bounds the prefixes of an output that are tried with an anchored pattern.
const maxFullPrefixes = 64 << 10

// FindTrigger returns where a lazy grammar starts in output: like llama.cpp, which looks for
// triggers while the output grows, at the first trigger to occur. The grammar starts at the word,
// or at the first non-empty group of a pattern, or at the whole match if there is none. A pattern
// between ^ and $, or of type TriggerFull, must match the whole output so far. Patterns that do not
// compile never match.
func FindTrigger(output string, triggers []Trigger) (start int, ok bool) {
	fired := len(output) + 1
	for _, t := range triggers {
		if at, end, found := t.find(output); found && end < fired {
			start, fired, ok = at, end, true
		}
	}
	return start, ok
}

// find returns where the grammar starts, and the length of output at which the trigger occurs.
func (t Trigger) find(output string) (start, end int, ok bool) {
	if t.Type == TriggerWord {
		start = strings.Index(output, t.Value)
		return start, start + len(t.Value), start >= 0
	}
	re, err := regexp.Compile(t.Value)
	if err != nil {
		return 0, 0, false
	}
	if t.Type == TriggerFull || strings.HasPrefix(t.Value, "^") && strings.HasSuffix(t.Value, "$") {
		return findFull(output, t.Value)
	}
	if re.FindStringIndex(output) == nil {
		return 0, 0, false
	}
	// If a prefix matches, longer ones do, too: a binary search finds the shortest.
	lo, hi := 0, len(output)
	for lo < hi {
		if mid := (lo + hi) / 2; re.MatchString(output[:mid]) {
			hi = mid
		} else {
			lo = mid + 1
		}
	}
	return groupStart(re.FindStringSubmatchIndex(output[:lo])), lo, true
}

func findFull(output, pattern string) (start, end int, ok bool) {
	re, err := regexp.Compile(`\A(?:` + strings.TrimSuffix(strings.TrimPrefix(pattern, "^"), "$") + `)\z`)
	if err != nil {
		return 0, 0, false
	}
	for end := 0; end <= min(len(output), maxFullPrefixes); end++ {
		if end < len(output) && !utf8.RuneStart(output[end]) {
			continue
		}
		if m := re.FindStringSubmatchIndex(output[:end]); m != nil {
			return groupStart(m), end, true
		}
	}
	return 0, 0, false
}

// groupStart returns the start of the first non-empty group, or of the match.
func groupStart(m []int) int {
	for i := 2; i < len(m); i += 2 {
		if m[i] >= 0 && m[i+1] > m[i] {
			return m[i]
		}
	}
	return m[0]
}
