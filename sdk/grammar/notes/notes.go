// Package notes collects what a constraint does not enforce, to be shown to the client.
package notes

import (
	"fmt"
	"strings"
)

// List collects notes, each once.
type List struct {
	Texts []string
	seen  map[string]bool
}

// New returns an empty list.
func New() *List { return &List{seen: map[string]bool{}} }

// Add adds a note, unless the list has it.
func (n *List) Add(format string, args ...any) {
	if s := fmt.Sprintf(format, args...); !n.seen[s] {
		n.seen[s] = true
		n.Texts = append(n.Texts, s)
	}
}

// Truncate drops the notes from index i on.
func (n *List) Truncate(i int) {
	for _, s := range n.Texts[i:] {
		delete(n.seen, s)
	}
	n.Texts = n.Texts[:i]
}

// Clip shortens a long text from the front.
func Clip(s string) string {
	if len(s) > 200 {
		return "…" + strings.ToValidUTF8(s[len(s)-200:], "")
	}
	return s
}
