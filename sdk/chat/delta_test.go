package chat

import (
	"encoding/json"
	"testing"
	"unicode/utf8"
)

func TestDeltasOmitEmptyMembers(t *testing.T) {
	for _, c := range []struct {
		name  string
		delta Delta
		want  string
	}{
		{"nothing", Delta{}, `{}`},
		{"role", Delta{Role: "assistant"}, `{"role":"assistant"}`},
		{"texts", Delta{Content: "a", ReasoningContent: "b"}, `{"content":"a","reasoning_content":"b"}`},
		{"markers stay readable", Delta{Content: "<b> & \"雨\"\n\x01"}, `{"content":"<b> & \"雨\"\n\u0001"}`},
		{"bytes that are no text", Delta{Content: "a\xffb"}, `{"content":"a�b"}`},
		{"a call is named", Delta{ToolCalls: []CallDelta{{Index: 1, ID: "x", Name: "f"}}},
			`{"tool_calls":[{"index":1,"id":"x","type":"function","function":{"name":"f","arguments":""}}]}`},
		{"arguments", Delta{ToolCalls: []CallDelta{{Arguments: `{"a`}}}, `{"tool_calls":[{"index":0,"function":{"arguments":"{\"a"}}]}`},
		{"an id alone", Delta{ToolCalls: []CallDelta{{ID: "x"}, {Index: 1, ID: "y"}}}, `{"tool_calls":[{"index":0,"id":"x"},{"index":1,"id":"y"}]}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := string(c.delta.AppendJSON([]byte("before"))); got != "before"+c.want {
				t.Errorf("got  %s\nwant before%s", got, c.want)
			}
			var same any
			if text, err := json.Marshal(c.delta); err != nil || json.Unmarshal(text, &same) != nil {
				t.Errorf("json.Marshal: %s, %v", text, err)
			}
		})
	}
}

func FuzzDeltaIsJSON(f *testing.F) {
	f.Add("a", "b", "c", "d", "e")
	f.Fuzz(func(t *testing.T, content, reasoning, id, name, arguments string) {
		text := Delta{Content: content, ReasoningContent: reasoning, ToolCalls: []CallDelta{{ID: id, Name: name, Arguments: arguments}}}.AppendJSON(nil)
		var got struct {
			Content   string
			ToolCalls []struct{ ID string } `json:"tool_calls"`
		}
		if err := json.Unmarshal(text, &got); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if utf8.ValidString(content) && got.Content != content || utf8.ValidString(id) && got.ToolCalls[0].ID != id {
			t.Errorf("%s is not %q, %q", text, content, id)
		}
	})
}

func TestEventKindsHaveNames(t *testing.T) {
	for kind, want := range map[EventKind]string{
		0: "event kind 0", ContentText: "content", CallName: "call name", CallEnd: "call end", CallEnd + 1: "event kind 8",
	} {
		if got := kind.String(); got != want {
			t.Errorf("found %s, want %s", got, want)
		}
	}
}
