package gateway

import (
	"slices"

	"github.com/dragoman-project/dragoman/sdk/chat"
)

// noteDirections is the note of an answer whose request was planned with said.
const noteDirections = "this template takes messages of the system at the beginning alone; later ones were passed on as the user's"

// said returns messages in which those of the system and of developers after the first message are the user's, and whether there were
// any. Agents send them, and some templates refuse them. The given messages are not changed.
func said(messages []chat.Message) (out []chat.Message, found bool) {
	for i, m := range messages {
		if i == 0 || m.Role != chat.RoleSystem && m.Role != chat.RoleDeveloper {
			continue
		}
		if !found {
			messages, found = slices.Clone(messages), true
		}
		messages[i].Role = chat.RoleUser
	}
	return messages, found
}
