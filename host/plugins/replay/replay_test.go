package replay

import (
	"fmt"
	"strings"
	"testing"

	"github.com/dragoman-project/dragoman/sdk/chat"
)

// say converts a script to events: "c:text" is content, "r:text" reasoning, "a:text" arguments; "["
// and "]" begin and end a call, and "n:text" names it.
func say(script string) (events []chat.Event) {
	kinds := map[string]chat.EventKind{"c": chat.ContentText, "r": chat.ReasoningText, "a": chat.CallArguments,
		"[": chat.CallBegin, "]": chat.CallEnd, "n": chat.CallName}
	for word := range strings.FieldsSeq(script) {
		kind, text, _ := strings.Cut(word, ":")
		events = append(events, chat.Event{Kind: kinds[kind], Text: []byte(text)})
	}
	return events
}

func TestRepeatedEventsAreSuppressed(t *testing.T) {
	for _, c := range []struct{ name, first, again, passed string }{
		{"the same", "c:ab [ n:f a:{} ]", "c:ab [ n:f a:{} ]", ""},
		{"the same in other pieces", "c:ab c:c [ n:f a:{ a:} ]", "c:a c:bc [ n:f a:{} ]", ""},
		{"more text", "c:ab", "c:a c:bcd c:e", "cd e"},
		{"more events", "r:ab", "r:ab c:x", "x"},
		{"the rest of a call", "[ n:f a:{", "[ n:f a:{ a:} ]", "} "},
		{"nothing was delivered", "", "c:ab", "ab"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var passed []string
			s := Filter{Sink: func(e chat.Event) { passed = append(passed, string(e.Text)) }}
			for _, e := range say(c.first) {
				s.Take(e)
			}
			passed = nil
			s.Again()
			if c.first != "" && !s.Behind() {
				t.Error("not behind before anything is repeated")
			}
			for _, e := range say(c.again) {
				s.Take(e)
			}
			if got := strings.Join(passed, " "); got != c.passed || s.Fault != nil || s.Behind() {
				t.Errorf("passed on %q, fault %v, behind %t; expected %q", got, s.Fault, s.Behind(), c.passed)
			}
		})
	}
}

func TestDifferentRepetitionsAreFaults(t *testing.T) {
	for i, c := range [][2]string{
		{"c:ab", "r:ab"}, {"c:ab", "c:aX"}, {"c:ab [", "c:abc"}, {"c:ab [", "c:a ["}, {"[ n:f", "[ n:g"}, {"[ n:f", "[ n:ff"}, {"[ n:f", "[ ]"},
	} {
		t.Run(fmt.Sprint(c), func(t *testing.T) {
			s := Filter{Sink: func(chat.Event) {}}
			for _, e := range say(c[0]) {
				s.Take(e)
			}
			s.Again()
			for _, e := range say(c[1]) {
				s.Take(e)
			}
			if s.Fault == nil {
				t.Errorf("row %d: no fault", i)
			}
		})
	}
}
