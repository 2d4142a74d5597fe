package functionary

import (
	"strings"

	"github.com/dragoman-project/dragoman/sdk/chat"
)

// write writes a message as the template does, without the start of its first section.
func write(m chat.Message) string {
	var sections []string
	if content := m.Content.Join(""); content != "" || len(m.ToolCalls) == 0 {
		sections = append(sections, everyone+"\n"+content)
	}
	for _, c := range m.ToolCalls {
		sections = append(sections, c.Name+"\n"+c.Arguments)
	}
	return strings.Join(sections, section)
}
