package suggest

import (
	"regexp"
	"strings"

	"github.com/dragoman-project/dragoman/sdk/chat"
)

// Seen is an output, and how it is read.
type Seen struct {
	Tools   []chat.Tool // of the request
	Output  string
	Limited bool // the engine stopped for length
	Message chat.Message
	Report  *chat.Report
}

// tag matches a word in brackets, with or without a slash or bars.
var tag = regexp.MustCompile(`<[|｜]?/?[A-Za-z][\w.:-]*[|｜]?>|\[/?[A-Z][A-Z_]*\]`)

// word matches the name in a tag.
var word = regexp.MustCompile(`[\w.:-]+`)

// closes reports whether a tag closes something, and returns the name of what.
func closes(t string) (name string, closing bool) {
	return word.FindString(t), strings.Contains(t, "/")
}

// What makes a reading bad, and how much. The differences matter only where a candidate trades one for another.
const (
	brokenFormat  = 4
	unreadCall    = 3
	strayTag      = 2
	brokenOff     = 2
	missingMarker = 1
)

// Badness returns how badly an output is read; 0: nothing is wrong with it.
func (s *Seen) Badness() (bad int) {
	switch s.Report.Status {
	case chat.Malformed, chat.Trailing:
		bad += brokenFormat
	case chat.Truncated:
		if !s.Limited {
			bad += brokenOff
		}
	}
	bad += missingMarker * len(s.Report.MissingMarkers)
	for _, text := range []string{s.Message.Content.Join(""), s.Message.ReasoningContent} {
		bad += unreadCall * len(callsIn(text, s.Tools))
	}
	return bad + strayTag*strayTags(s.Message.Content.Join(""))
}

// strayTags counts the tags in a content that belong to the format: one that closes what nothing opened, and a pair around its
// beginning.
func strayTags(content string) (stray int) {
	open := map[string]bool{}
	for _, at := range tag.FindAllStringIndex(content, -1) {
		name, closing := closes(content[at[0]:at[1]])
		if !closing {
			open[name] = true
		} else if !open[name] {
			stray++
		}
	}
	if _, _, found := pairAtStart(content); found {
		stray++
	}
	return stray
}

// pairAtStart returns the tags around what a text begins with, if more follows.
func pairAtStart(text string) (start, end string, found bool) {
	text = strings.TrimSpace(text)
	at := tag.FindStringIndex(text)
	if at == nil || at[0] != 0 {
		return "", "", false
	}
	start = text[:at[1]]
	name, closing := closes(start)
	if closing {
		return "", "", false
	}
	for _, at := range tag.FindAllStringIndex(text, -1) {
		if end := text[at[0]:at[1]]; strings.TrimSpace(text[at[1]:]) != "" {
			if other, closing := closes(end); closing && other == name {
				return start, end, true
			}
		}
	}
	return "", "", false
}
