package render

import (
	"strings"
	"testing"

	"github.com/dragoman-project/dragoman/sdk/chat"
)

// TestTurnsAreFoundWithOneRenderingEach finds the turns of conversations that a small template renders, and counts the renderings: one
// more than there are turns, unless a message spells what begins a turn.
func TestTurnsAreFoundWithOneRenderingEach(t *testing.T) {
	const begins = "[a]"
	for _, c := range []struct {
		name, messages, want string // messages alternate, the user's first
		renderings           int
	}{
		{"three turns", "Hi|One|And|Two|So|Three|Bye", "One;Two;Three;", 4},
		{"an empty turn", "Hi||And|Two", ";Two;", 3},
		{"a user who spells the beginning of a turn", "Hi|One|[a]x|Two|So|Three", "One;Two;Three;", 6},
		{"an assistant who spells it", "Hi|One[a]|So|Two", "One[a];Two;", 4},
	} {
		req := &chat.Request{AddGenerationPrompt: true}
		for i, text := range strings.Split(c.messages, "|") {
			req.Messages = append(req.Messages, chat.Message{Role: []string{chat.RoleUser, chat.RoleAssistant}[i%2], Content: chat.TextContent(text)})
		}
		renderings := 0
		find := turns{req: req, render: func(r *chat.Request) (string, string, error) {
			renderings++
			var b strings.Builder
			for _, m := range r.Messages {
				b.WriteString(map[string]string{chat.RoleUser: "[u]", chat.RoleAssistant: begins}[m.Role] + m.Content.Join("") + ";")
			}
			if r.AddGenerationPrompt {
				return b.String() + begins, begins, nil
			}
			return b.String(), "", nil
		}}
		find.whole, _, _ = find.render(req)
		renderings = 0
		spans, err := find.written()
		got := ""
		for _, s := range spans {
			got += find.whole[s[0]:s[1]]
		}
		if err != nil || got != c.want || renderings != c.renderings {
			t.Errorf("%s: %q with %d renderings, %v; want %q with %d", c.name, got, renderings, err, c.want, c.renderings)
		}
	}
}
