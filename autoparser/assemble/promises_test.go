package assemble_test

import (
	"strings"
	"testing"

	"github.com/dragoman-project/dragoman/autoparser/dialect"
	"github.com/dragoman-project/dragoman/internal/shared"
	"github.com/dragoman-project/dragoman/sdk/cases"
	"github.com/dragoman-project/dragoman/sdk/chat"
)

// withIDs returns m with the call ids that the dialect has.
func (s sample) withIDs(m cases.Message) cases.Message {
	calls := []cases.Call{}
	for i, c := range m.ToolCalls {
		if s.hasIDs() {
			c.ID = "call0000" + string(rune('1'+i))
		}
		calls = append(calls, c)
	}
	m.ToolCalls = calls
	return m
}

// everywhere runs a test for every dialect.
func everywhere(t *testing.T, test func(*testing.T, sample)) {
	for _, s := range samples {
		t.Run(s.name, func(t *testing.T) { test(t, s) })
	}
}

func parallel(r *chat.Request) { r.ParallelToolCalls = true }

var paris = call("get_weather", "city", `"Paris"`, "days", "3")

func TestWhatATemplateWritesParsesBack(t *testing.T) {
	shared.Slow(t)
	messages := []cases.Message{
		{Content: "Hello, world!\nWhat's up?"},
		{ToolCalls: []cases.Call{paris}},
		{ToolCalls: []cases.Call{paris, call("get", "text", `"x"`), call("ping")}},
		{Content: "Let me look.", ToolCalls: []cases.Call{paris}},
		{ReasoningContent: "I'm\nthinking", Content: "Hello"},
		{ReasoningContent: "I'm thinking", ToolCalls: []cases.Call{paris, paris}},
		{ReasoningContent: "Hm.", Content: "Let me look.", ToolCalls: []cases.Call{call("ping")}},
		{ToolCalls: []cases.Call{call("get_weather", "city", `"Zürich 格 🙂"`, "metric", "true", "tags", `["a","b"]`, "where", `{"x":{"y":[1,2.5e3,null]}}`)}},
		{ToolCalls: []cases.Call{call("get_weather", "days", "12345678901234567890", "city", `"a\nb\tc"`, "metric", "false")}},
	}
	everywhere(t, func(t *testing.T, s sample) {
		p := newParser(t, s.input(parallel))
		for _, m := range messages {
			if m.ReasoningContent != "" && s.Reasoning.Mode == "" {
				continue
			}
			m = s.withIDs(m)
			if m.Content != "" && len(m.ToolCalls) > 0 && s.Content.Start == "" {
				m.Content += "\n" // without markers, calls begin only at the start of a line
			}
			for _, end := range []string{"", s.EndOfTurn, strings.TrimSpace(s.EndOfTurn)} {
				if report := p.check(t, s.answer(m)+end, m); report.Status != chat.Complete || len(report.MissingMarkers) > 0 {
					t.Errorf("%s: %v, missing %v", report.Status, report.Faults, report.MissingMarkers)
				}
			}
		}
	})
}

func TestTextMayStandAnywhereBetweenCalls(t *testing.T) {
	everywhere(t, func(t *testing.T, s sample) {
		m := s.withIDs(cases.Message{ToolCalls: []cases.Call{paris, call("ping")}})
		one, two := s.section(m.ToolCalls[:1]), s.section(m.ToolCalls[1:])
		m.Content = "Before.\nBetween.\nAfter."
		output := "Before.\n" + one + "\nBetween.\n" + two + "\nAfter."
		report := newParser(t, s.input()).check(t, output, m)
		if report.Status != chat.Complete {
			t.Errorf("%s: %v", report.Status, report.Faults)
		}
	})
}

func TestMarkersMayBeSpacedOtherwise(t *testing.T) {
	everywhere(t, func(t *testing.T, s sample) {
		p := newParser(t, s.input(parallel))
		m := s.withIDs(cases.Message{ToolCalls: []cases.Call{paris, call("get", "text", `"x y"`)}})
		for _, space := range []string{"", " ", "\n", "\n\n", "\t", "\n    "} {
			loose := s
			loose.Tools.SectionStart = respaced(s.Tools.SectionStart, space)
			loose.Tools.SectionEnd = respaced(s.Tools.SectionEnd, space)
			loose.Tools.PerCallStart = respaced(s.Tools.PerCallStart, space)
			loose.Tools.PerCallEnd = respaced(s.Tools.PerCallEnd, space)
			loose.Tools.Function.NameSuffix = respaced(s.Tools.Function.NameSuffix, space)
			loose.Tools.Function.Close = respaced(s.Tools.Function.Close, space)
			if strings.TrimSpace(s.Tools.Function.NameSuffix) == "" {
				loose.Tools.Function.NameSuffix = space
			}
			p.check(t, loose.answer(m), m)
		}
	})
}

// respaced returns a marker with the white space around it replaced. A marker that is only white
// space is unchanged.
func respaced(marker, space string) string {
	if strings.TrimSpace(marker) == "" {
		return marker
	}
	return space + strings.TrimSpace(marker) + space
}

func TestUnknownToolsAreForwarded(t *testing.T) {
	everywhere(t, func(t *testing.T, s sample) {
		m := s.withIDs(cases.Message{ToolCalls: []cases.Call{call("who_knows", "a", `"b"`, "n", "1")}})
		if s.markerless() || strings.Contains(s.Tools.Function.Close, dialect.NamePlaceholder) {
			m = cases.Message{Content: s.answer(m)}
		}
		newParser(t, s.input()).check(t, s.section(s.withIDs(cases.Message{ToolCalls: []cases.Call{call("who_knows", "a", `"b"`, "n", "1")}}).ToolCalls), m)
	})
}

func TestMissingClosersLoseNothing(t *testing.T) {
	everywhere(t, func(t *testing.T, s sample) {
		m := s.withIDs(cases.Message{ToolCalls: []cases.Call{paris}})
		output := s.section(m.ToolCalls)
		for _, end := range []string{s.Tools.SectionEnd, s.Tools.PerCallEnd} {
			output = strings.TrimSuffix(output, end)
			newParser(t, s.input()).check(t, output+"\n"+strings.TrimSpace(s.EndOfTurn), m)
			if strings.Contains(output, paris.Arguments) || strings.HasSuffix(output, s.Tools.Function.Close) && s.Tools.Function.Close != "" {
				newParser(t, s.input()).check(t, output, m)
			}
		}
	})
}

func TestMissingIDsLoseNothing(t *testing.T) {
	for _, s := range samples {
		if !s.hasIDs() {
			continue
		}
		t.Run(s.name, func(t *testing.T) {
			bare := s
			bare.Tools.CallID = dialect.CallID{}
			bare.Tools.JSON.IDField, bare.Tools.JSON.GenIDField = "", ""
			m := cases.Message{ToolCalls: []cases.Call{paris}}
			newParser(t, s.input()).check(t, bare.section(m.ToolCalls), m)
		})
	}
}

func TestProseThatSpellsMarkersStaysContent(t *testing.T) {
	everywhere(t, func(t *testing.T, s sample) {
		p := newParser(t, s.input())
		m := s.Tools
		for _, marker := range []string{m.SectionStart, m.PerCallStart, m.Function.NamePrefix} {
			if marker = strings.TrimSpace(marker); marker == "" {
				continue
			}
			text := "Use " + marker + " to call, as in \"" + marker + "\"."
			p.check(t, text, cases.Message{Content: text})
			with := s.withIDs(cases.Message{Content: text, ToolCalls: []cases.Call{paris}})
			p.check(t, text+"\n"+s.section(with.ToolCalls), with)
		}
	})
}

func TestJSONThatNamesNoToolStaysContent(t *testing.T) {
	everywhere(t, func(t *testing.T, s sample) {
		for _, text := range []string{`{"name": "x"}`, "See:\n{\"name\": \"x\", \"parameters\": {}}", "```json\n{\"a\": 1}\n```", `{"name": "get_weather"}`} {
			newParser(t, s.input()).check(t, text, cases.Message{Content: text})
		}
	})
}

func TestWithoutToolsEverythingIsContent(t *testing.T) {
	everywhere(t, func(t *testing.T, s sample) {
		if s.Content.Start != "" {
			t.Skip("its content is wrapped")
		}
		output := s.section(s.withIDs(cases.Message{ToolCalls: []cases.Call{paris}}).ToolCalls)
		expect := cases.Message{Content: output}
		newParser(t, s.input(func(r *chat.Request) { r.Tools = nil })).check(t, output, expect)
		newParser(t, s.input(func(r *chat.Request) { r.ToolChoice.Mode = chat.ToolNone })).check(t, output, expect)
	})
}

func TestTheLastMarkerOfThePromptMayBeRepeated(t *testing.T) {
	s := named(t, "JSON with the name as key")
	newParser(t, s.input()).check(t, "<|assistant|>Hello", cases.Message{Content: "Hello"})
}

func TestPureContentIsNotParsed(t *testing.T) {
	everywhere(t, func(t *testing.T, s sample) {
		output := s.answer(s.withIDs(cases.Message{ReasoningContent: "Hm", Content: "x", ToolCalls: []cases.Call{paris}}))
		newParser(t, s.input(func(r *chat.Request) { r.PureContent = true })).check(t, output, cases.Message{Content: output})
	})
}

func TestAFaultyCallDoesNotSwallowTheNext(t *testing.T) {
	everywhere(t, func(t *testing.T, s sample) {
		if s.markerless() {
			t.Skip("the dialect does not mark where the next call begins")
		}
		m := s.withIDs(cases.Message{ToolCalls: []cases.Call{paris, call("get", "text", `"x"`)}})
		one, two := s.section(m.ToolCalls[:1]), s.section(m.ToolCalls[1:])
		at := strings.Index(one, "Paris") - 1 // before the quote
		if prefix := s.Tools.Arguments.NamePrefix; prefix != "" {
			at = strings.Index(one, prefix)
		} else if s.Tools.JSON.ArgsAreString {
			at = strings.Index(one, `"{`)
		}
		output := one[:at] + " %%% " + two
		got, _ := newParser(t, s.input()).run(output)
		if n := len(got.ToolCalls); n == 0 || got.ToolCalls[n-1] != m.ToolCalls[1] {
			t.Errorf("%q: %v", output, got)
		}
	})
}
