package chat_test

import (
	"bytes"
	"encoding/json"
	"os"
	"testing"

	"github.com/dragoman-project/dragoman/internal/shared"
	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/google/go-cmp/cmp"
)

// recordedMessage is a message in the form of the recorded conversions.
type recordedMessage struct {
	Role       string            `json:"role"`
	Content    string            `json:"content"`
	Parts      []json.RawMessage `json:"content_parts"`
	Reasoning  string            `json:"reasoning_content"`
	ToolCallID string            `json:"tool_call_id"`
	Name       string            `json:"tool_name"`
	ToolCalls  []recordedCall    `json:"tool_calls"`
}

type recordedCall struct {
	ID        string `json:"id"`
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

func recorded(m chat.Message) recordedMessage {
	r := recordedMessage{Role: m.Role, Reasoning: m.ReasoningContent, ToolCallID: m.ToolCallID, Name: m.Name, ToolCalls: []recordedCall{}}
	if m.Content.Text != nil {
		r.Content = *m.Content.Text
	}
	for _, part := range m.Content.Parts {
		r.Parts = append(r.Parts, part.Raw)
	}
	for _, call := range m.ToolCalls {
		r.ToolCalls = append(r.ToolCalls, recordedCall{call.ID, call.Name, call.Arguments})
	}
	return r
}

// TestRecordedConversionsOfMessagesAndTools checks that messages and tools are decoded as recorded
// from other implementations.
func TestRecordedConversionsOfMessagesAndTools(t *testing.T) {
	data, err := os.ReadFile(shared.Dir(t, "cases", "other.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	ran := 0
	for line := range bytes.Lines(data) {
		var row struct {
			ID, Type, Error string
			JSON            json.RawMessage
			Msgs            []recordedMessage
			Tools           []struct{ Name, Description, Parameters string }
		}
		if err := json.Unmarshal(line, &row); err != nil {
			t.Fatal(err)
		}
		switch row.Type {
		case "msgs_parse_oaicompat":
			ran++
			var messages []chat.Message
			err := json.Unmarshal(row.JSON, &messages)
			if (err != nil) != (row.Error != "") {
				t.Errorf("%s: error %v, recorded error %q", row.ID, err, row.Error)
			}
			var got []recordedMessage
			for _, m := range messages {
				got = append(got, recorded(m))
			}
			if diff := cmp.Diff(row.Msgs, got); diff != "" && row.Error == "" {
				t.Errorf("%s: %s", row.ID, diff)
			}
		case "tools_parse_oaicompat":
			ran++
			var tools []chat.Tool
			if err := json.Unmarshal(row.JSON, &tools); err != nil {
				t.Fatalf("%s: %v", row.ID, err)
			}
			for i, want := range row.Tools {
				if got := tools[i]; got.Name != want.Name || got.Description != want.Description || !sameJSON(got.Parameters.Raw(), []byte(want.Parameters)) {
					t.Errorf("%s: tool %+v, want %+v", row.ID, got, want)
				}
			}
		}
	}
	if ran < 20 {
		t.Errorf("found only %d conversions", ran)
	}
}

// sameJSON reports whether two JSON texts are equal, including the order of members.
func sameJSON(a, b []byte) bool {
	var x, y bytes.Buffer
	return json.Compact(&x, a) == nil && json.Compact(&y, b) == nil && x.String() == y.String()
}
