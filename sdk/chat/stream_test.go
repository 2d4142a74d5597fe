package chat_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/google/go-cmp/cmp"
)

// told is an event reduced to its kind and its text.
type told struct {
	kind chat.EventKind
	text string
}

func content(text string) told   { return told{chat.ContentText, text} }
func reasoning(text string) told { return told{chat.ReasoningText, text} }
func arguments(text string) told { return told{chat.CallArguments, text} }

// call returns the events of a call; an empty id is omitted.
func call(id, name, args string) []told {
	events := []told{{chat.CallBegin, ""}}
	if id != "" {
		events = append(events, told{chat.CallID, id})
	}
	return append(events, told{chat.CallName, name}, arguments(args), told{chat.CallEnd, ""})
}

var seeded = chat.StreamOptions{IDSeed: "s", Tools: []chat.Tool{{Name: "f"}}}

// atEverySplit runs the events with their texts whole, byte by byte, and cut in two at every byte,
// and calls check with each result.
func atEverySplit(t *testing.T, options chat.StreamOptions, events []told, check func(s *chat.Stream, deltas []chat.Delta)) {
	t.Helper()
	longest := 0
	for _, e := range events {
		longest = max(longest, len(e.text))
	}
	for cut := 0; cut <= longest; cut++ {
		s := &chat.Stream{StreamOptions: options}
		var deltas []chat.Delta
		for _, e := range events {
			for _, text := range pieces(e, cut) {
				s.Add(chat.Event{Kind: e.kind, Text: []byte(text)})
				deltas = append(deltas, s.Deltas()...)
			}
		}
		check(s, append(deltas, s.Finish(chat.FinishStop)...))
	}
}

// pieces cuts the text of an event at one byte, or at every byte if cut is 0. Texts that are
// delivered whole are not cut.
func pieces(e told, cut int) []string {
	switch {
	case e.kind != chat.ContentText && e.kind != chat.ReasoningText && e.kind != chat.CallArguments:
		return []string{e.text}
	case cut == 0:
		bytes := make([]string, len(e.text))
		for i := range bytes {
			bytes[i] = e.text[i : i+1]
		}
		return bytes
	}
	cut = min(cut, len(e.text))
	return []string{e.text[:cut], e.text[cut:]}
}

// joined joins deltas as clients do.
func joined(t *testing.T, deltas []chat.Delta) chat.Message {
	t.Helper()
	var m chat.Message
	var text string
	for i, d := range deltas {
		if (d.Role != "") != (i == 0) {
			t.Errorf("delta %d has role %q; only the first has one", i, d.Role)
		}
		m.Role += d.Role
		m.ReasoningContent += d.ReasoningContent
		text += d.Content
		for _, c := range d.ToolCalls {
			if c.Index == len(m.ToolCalls) {
				m.ToolCalls = append(m.ToolCalls, chat.Call{})
			}
			open := &m.ToolCalls[c.Index]
			open.ID += c.ID
			open.Name += c.Name
			open.Arguments += c.Arguments
		}
	}
	if text != "" || len(m.ToolCalls) == 0 {
		m.Content = chat.TextContent(text)
	}
	return m
}

// TestAnswersAreTheSameAtEverySplit checks that the deltas of events join to the same message at
// every split.
func TestAnswersAreTheSameAtEverySplit(t *testing.T) {
	for _, test := range []struct {
		name   string
		events []told
		want   string
	}{
		{"nothing", nil, `{"role":"assistant","content":""}`},
		{"content", []told{content("Hello, "), content("world")}, `{"role":"assistant","content":"Hello, world"}`},
		{"blanks at the edges go, those within stay", []told{content("\na \n"), content("\n b\n\n")}, `{"role":"assistant","content":"a \n\n b"}`},
		{"each of content and reasoning has its own edges", []told{reasoning("\nr\n"), content("\nc "), reasoning(" s "), content("d ")},
			`{"role":"assistant","content":"c d","reasoning_content":"r\n s"}`},
		{"the first line keeps its indentation", []told{reasoning(" r"), content("\r\n  \n    if a:\n        b\n")},
			`{"role":"assistant","content":"    if a:\n        b","reasoning_content":" r"}`},
		{"blank lines within stay", []told{content("- a\n\n\n\n- b")}, `{"role":"assistant","content":"- a\n\n\n\n- b"}`},
		{"blank reasoning is none", []told{reasoning("\n\n"), content("c")}, `{"role":"assistant","content":"c"}`},
		{"a blank answer is empty", []told{content(" \t\r\n\v\f")}, `{"role":"assistant","content":""}`},
		{"characters", []told{content("é漢😀")}, `{"role":"assistant","content":"é漢😀"}`},
		{"bytes that start nothing", []told{content("a\xff\xc0\x80b")}, `{"role":"assistant","content":"a���b"}`},
		{"a character that breaks off", []told{content("a\xf0\x9f\x98b\xe6\xbc")}, `{"role":"assistant","content":"a�b�"}`},
		{"a surrogate", []told{content("\xed\xa0\x80")}, `{"role":"assistant","content":"���"}`},
		{"a call", call("", "f", "{\"a\": \"é\xff\"}"),
			`{"role":"assistant","content":null,"tool_calls":[{"type":"function","function":{"name":"f","arguments":"{\"a\": \"é�\"}"},"id":"call_shrvnwjw4oownwyifmhvif5w"}]}`},
		{"the model's own ids", slices.Concat(call("x", "f", "{}"), call("y", "f", "{}")),
			`{"role":"assistant","content":null,"tool_calls":[{"type":"function","function":{"name":"f","arguments":"{}"},"id":"x"},{"type":"function","function":{"name":"f","arguments":"{}"},"id":"y"}]}`},
		{"text around calls", slices.Concat([]told{content("a ")}, call("x", "f", "{}"), []told{content("\nb")}),
			`{"role":"assistant","content":"a \nb","tool_calls":[{"type":"function","function":{"name":"f","arguments":"{}"},"id":"x"}]}`},
		{"arguments before the name", []told{{chat.CallBegin, ""}, arguments(`{"a":`), {chat.CallID, "x"}, {chat.CallName, "f"}, arguments(`1}`)},
			`{"role":"assistant","content":null,"tool_calls":[{"type":"function","function":{"name":"f","arguments":"{\"a\":1}"},"id":"x"}]}`},
		{"arguments that break off", []told{{chat.CallBegin, ""}, {chat.CallID, "x"}, {chat.CallName, " f\n"}, arguments("{\"a\": \"\xe6")},
			`{"role":"assistant","content":null,"tool_calls":[{"type":"function","function":{"name":"f","arguments":"{\"a\": \"�"},"id":"x"}]}`},
		{"a call without a name", []told{content("a"), {chat.CallBegin, ""}, {chat.CallID, "x"}, {chat.CallEnd, ""}},
			`{"role":"assistant","content":"a"}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			atEverySplit(t, seeded, test.events, func(s *chat.Stream, deltas []chat.Delta) {
				expectJSON(t, s.Message(), test.want)
				expectJSON(t, joined(t, deltas), test.want)
			})
		})
	}
}

func TestTextIsDeliveredAsSoonAsItIsDecided(t *testing.T) {
	var s chat.Stream
	for _, step := range []struct {
		event told
		want  []chat.Delta
	}{
		{reasoning("\n"), []chat.Delta{{Role: "assistant"}}},
		{reasoning("so "), []chat.Delta{{ReasoningContent: "so"}}},
		{reasoning("it"), []chat.Delta{{ReasoningContent: " it"}}},
		{content("\n"), nil},
		{content("\xe6\xbc"), nil},
		{content("\xa2."), []chat.Delta{{Content: "漢."}}},
		{content(" \n"), nil},
	} {
		s.Add(chat.Event{Kind: step.event.kind, Text: []byte(step.event.text)})
		if diff := cmp.Diff(step.want, s.Deltas()); diff != "" {
			t.Errorf("after %q: %s", step.event.text, diff)
		}
	}
}

func TestAnswersCutOffKeepTrailingWhiteSpace(t *testing.T) {
	for _, test := range []struct {
		events []told
		want   string
	}{
		{[]told{content("\nso \n ")}, `{"role":"assistant","content":"so \n "}`},
		{[]told{reasoning("so\n")}, `{"role":"assistant","content":"","reasoning_content":"so\n"}`},
		{[]told{reasoning("so\n"), content("it ")}, `{"role":"assistant","content":"it ","reasoning_content":"so"}`},
		{[]told{content("\n ")}, `{"role":"assistant","content":""}`},
		{slices.Concat([]told{content("so\n")}, call("x", "f", `{`)),
			`{"role":"assistant","content":"so","tool_calls":[{"type":"function","function":{"name":"f","arguments":"{"},"id":"x"}]}`},
	} {
		var s chat.Stream
		for _, e := range test.events {
			s.Add(chat.Event{Kind: e.kind, Text: []byte(e.text)})
		}
		expectJSON(t, joined(t, s.Finish(chat.FinishLength)), test.want)
		expectJSON(t, s.Message(), test.want)
	}
}

func TestACallIsAnnouncedOnceWithItsName(t *testing.T) {
	s := chat.Stream{StreamOptions: seeded}
	for _, e := range slices.Concat(call("x", "f", `{}`), call("", "g", ``)) {
		s.Add(chat.Event{Kind: e.kind, Text: []byte(e.text)})
	}
	got, err := json.Marshal(s.Deltas())
	if err != nil {
		t.Fatal(err)
	}
	const want = `[{"role":"assistant"},` +
		`{"tool_calls":[{"index":0,"id":"x","type":"function","function":{"name":"f","arguments":"{}"}}]},` +
		`{"tool_calls":[{"index":1,"id":"call_jdcv3fhgpbgz3oe47p5u27el","type":"function","function":{"name":"g","arguments":""}}]}]`
	if string(got) != want {
		t.Errorf("deltas\n%s\nwant\n%s", got, want)
	}
}

func TestIDsAreUniqueAndDeterminedByTheSeed(t *testing.T) {
	ids := func(options chat.StreamOptions) (ids []string) {
		s := chat.Stream{StreamOptions: options}
		for _, e := range slices.Concat(call("x", "f", ""), call("x", "f", ""), call("", "f", ""), call("", "f", "")) {
			s.Add(chat.Event{Kind: e.kind, Text: []byte(e.text)})
		}
		for _, c := range s.Message().ToolCalls {
			ids = append(ids, c.ID)
		}
		return ids
	}
	first := ids(seeded)
	if unique := slices.Compact(slices.Sorted(slices.Values(first))); len(unique) != 4 || first[0] != "x" {
		t.Errorf("ids %q", first)
	}
	if again := ids(seeded); !slices.Equal(first, again) {
		t.Errorf("the same seed gives %q and %q", first, again)
	}
	if other := ids(chat.StreamOptions{}); other[3] == first[3] || other[3] == ids(chat.StreamOptions{})[3] {
		t.Errorf("ids without a seed are not random")
	}
	if own := ids(chat.StreamOptions{NoIDs: true}); !slices.Equal(own, []string{"x", "x", "", ""}) {
		t.Errorf("the model's own ids are %q", own)
	}
}

func TestIDsBetweenNameAndArgumentsAreKept(t *testing.T) {
	between := []told{{chat.CallBegin, ""}, {chat.CallName, "f"}, {chat.CallID, "x"}, arguments("{}"), {chat.CallEnd, ""}}
	atEverySplit(t, seeded, between, func(s *chat.Stream, deltas []chat.Delta) {
		if got := joined(t, deltas).ToolCalls[0].ID; got != "x" || s.Message().ToolCalls[0].ID != "x" {
			t.Errorf("id %q, want the model's own", got)
		}
	})
}

func TestIDsAfterTheArgumentsOnlyFillInMissingOnes(t *testing.T) {
	late := []told{{chat.CallBegin, ""}, {chat.CallName, "f"}, arguments("{}"), {chat.CallID, "x"}, {chat.CallEnd, ""}}
	atEverySplit(t, chat.StreamOptions{NoIDs: true}, late, func(s *chat.Stream, deltas []chat.Delta) {
		if got := joined(t, deltas).ToolCalls[0].ID; got != "x" || s.Message().ToolCalls[0].ID != "x" {
			t.Errorf("id %q, want the model's own", got)
		}
	})
	atEverySplit(t, seeded, late, func(s *chat.Stream, deltas []chat.Delta) {
		if got := joined(t, deltas).ToolCalls[0].ID; !strings.HasPrefix(got, "call_") || s.Message().ToolCalls[0].ID != got {
			t.Errorf("id %q, want the one announced", got)
		}
		if r := annotated(s); len(r.Notes) != 1 || !strings.Contains(r.Notes[0], `the model's own, "x"`) {
			t.Errorf("notes %q", r.Notes)
		}
	})
}

func annotated(s *chat.Stream) (r chat.Report) {
	s.Annotate(&r)
	return r
}

func TestTheReportNamesUnknownToolsOnce(t *testing.T) {
	s := chat.Stream{StreamOptions: seeded}
	for _, e := range slices.Concat(call("", "h", ""), call("", "f", ""), call("", "g", ""), call("", "h", "")) {
		s.Add(chat.Event{Kind: e.kind, Text: []byte(e.text)})
	}
	if got := annotated(&s).UnknownTools; !slices.Equal(got, []string{"h", "g"}) {
		t.Errorf("unknown tools %q", got)
	}
}

func TestFinishReasonFollowsTheCalls(t *testing.T) {
	nameless := []told{{chat.CallBegin, ""}, {chat.CallEnd, ""}}
	for _, test := range []struct {
		events       []told
		engine, want chat.FinishReason
	}{
		{[]told{content("a")}, chat.FinishStop, chat.FinishStop},
		{[]told{content("a")}, chat.FinishLength, chat.FinishLength},
		{[]told{content("a")}, chat.FinishToolCalls, chat.FinishStop},
		{call("", "f", "{}"), chat.FinishLength, chat.FinishLength},
		{call("", "f", "{")[:3], chat.FinishStop, chat.FinishLength},
		{call("", "f", "{}"), chat.FinishStop, chat.FinishToolCalls},
		{nameless, chat.FinishStop, chat.FinishStop},
	} {
		var s chat.Stream
		for _, e := range test.events {
			s.Add(chat.Event{Kind: e.kind, Text: []byte(e.text)})
		}
		s.Finish(test.engine)
		if got := s.FinishReason(); got != test.want {
			t.Errorf("%v, engine says %s: finished with %s, want %s", test.events, test.engine, got, test.want)
		}
	}
}

func TestLongWhiteSpaceIsNotHeldBack(t *testing.T) {
	flood := strings.Repeat(" ", 3*4096+5)
	var indented chat.Stream
	for text := range slices.Chunk([]byte(flood+"a"), 7) {
		indented.Add(chat.Event{Kind: chat.ContentText, Text: text})
	}
	if got := len(*indented.Message().Content.Text); got != 4096 {
		t.Errorf("the text after a flood of white space has %d bytes", got)
	}
	atSplits := func(size int) (said, whole int) {
		var s chat.Stream
		for text := range slices.Chunk([]byte("a"+flood), size) {
			s.Add(chat.Event{Kind: chat.ContentText, Text: text})
		}
		said = len(*s.Message().Content.Text)
		s.Add(chat.Event{Kind: chat.ContentText, Text: []byte("b")})
		return said, len(*s.Message().Content.Text)
	}
	for _, size := range []int{1, 7, 4096, 4097, 1 << 20} {
		if said, whole := atSplits(size); said != 1+3*4096 || whole != 2+len(flood) {
			t.Errorf("chunks of %d: delivered %d and then %d bytes", size, said, whole)
		}
	}
}

func TestChunksAndCompletionsHaveOpenAIsForm(t *testing.T) {
	r := chat.Response{ID: "chatcmpl-1", Created: time.Unix(1, 0), Model: "m"}
	for _, test := range []struct {
		value any
		want  string
	}{
		{r.Chunk(chat.Delta{Content: "a"}, ""),
			`{"id":"chatcmpl-1","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{"content":"a"},"finish_reason":null}]}`},
		{r.Chunk(chat.Delta{}, chat.FinishStop),
			`{"id":"chatcmpl-1","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`},
		{r.Completion(chat.Message{Role: "assistant", Content: chat.TextContent("a")}, chat.FinishLength),
			`{"id":"chatcmpl-1","object":"chat.completion","created":1,"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"a"},"finish_reason":"length"}]}`},
	} {
		if got, err := json.Marshal(test.value); err != nil || string(got) != test.want {
			t.Errorf("written as\n%s\nwant\n%s (%v)", got, test.want, err)
		}
	}
}

// FuzzStream cuts content, reasoning and arguments anywhere and checks that the joined deltas equal
// those of the uncut texts.
func FuzzStream(f *testing.F) {
	f.Add(" a\xe6\xbc ", " \nb ", "{\"a\":\"\xf0\x9f\"}", uint16(3))
	f.Add("\xff\xff", "", "", uint16(1))
	f.Fuzz(func(t *testing.T, text, thought, args string, cut uint16) {
		events := slices.Concat([]told{reasoning(thought), content(text)}, call("x", "f", args), []told{content(text)})
		run := func(cut int) (string, string) {
			s := chat.Stream{StreamOptions: seeded}
			var deltas []chat.Delta
			for _, e := range events {
				for _, piece := range pieces(e, cut) {
					s.Add(chat.Event{Kind: e.kind, Text: []byte(piece)})
					deltas = append(deltas, s.Deltas()...)
				}
			}
			deltas = append(deltas, s.Finish(chat.FinishStop)...)
			return mustJSON(t, s.Message()), mustJSON(t, joined(t, deltas))
		}
		message, fromDeltas := run(1 + int(cut))
		bytewise, fromBytes := run(0)
		if message != fromDeltas || message != bytewise || message != fromBytes {
			t.Errorf("message %s, from deltas %s; byte by byte %s, from deltas %s", message, fromDeltas, bytewise, fromBytes)
		}
	})
}

func mustJSON(t *testing.T, v json.Marshaler) string {
	t.Helper()
	data, err := v.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
