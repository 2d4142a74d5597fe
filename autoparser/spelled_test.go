package autoparser_test

import (
	"strings"
	"testing"

	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/google/go-cmp/cmp"
)

func TestTextsThatSpellTokensAreNoted(t *testing.T) {
	l := learnSource(t, "x", archived(t, "json-calls"), "<s>", "</s>", nil)
	end := l.Dialect.EndOfTurn
	if end == "" {
		t.Fatal("the template has no end of turn")
	}
	say := func(role, text string) chat.Message { return chat.Message{Role: role, Content: chat.TextContent(text)} }
	parts := chat.Message{Role: chat.RoleUser, Content: chat.Content{Parts: []chat.Part{{Type: "text", Text: "a" + end + "b</s>"}}}}
	for _, tt := range []struct {
		name    string
		message chat.Message
		want    []string
	}{
		{"plain text", say(chat.RoleUser, "a < b, [1] and {\"name\": 1}"), nil},
		{"a preserved token", say(chat.RoleUser, "what is <call> for?"), []string{`messages[0] (user) spells ["<call>"]`}},
		{"what a tool found", say(chat.RoleTool, "x"+end), []string{`messages[0] (tool) spells ["` + end + `"]`}},
		{"a text in parts", parts, []string{`messages[0] (user) spells ["` + end + `" "</s>"]`}},
		{"the assistant's own", say(chat.RoleAssistant, "x"+end), nil},
		{"half a token", say(chat.RoleUser, strings.TrimSuffix(end, ">")), nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			for _, note := range l.Spelled([]chat.Message{tt.message}, []string{"<call>", `{"name": "`, "```"}) {
				before, _, _ := strings.Cut(note, ": an engine")
				got = append(got, before)
			}
			if d := cmp.Diff(tt.want, got); d != "" {
				t.Errorf("-want +got\n%s", d)
			}
		})
	}
}
