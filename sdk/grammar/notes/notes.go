package notes

import (
	"fmt"
	"strings"
)

// List say what a constraint does not hold to, each once.
type List struct {
	Notes []string
	seen  map[string]bool
}

func New() *List { return &List{seen: map[string]bool{}} }

func (n *List) Add(format string, args ...any) {
	if s := fmt.Sprintf(format, args...); !n.seen[s] {
		n.seen[s] = true
		n.Notes = append(n.Notes, s)
	}
}

// Truncate takes back the notes from number i on.
func (n *List) Truncate(i int) {
	for _, s := range n.Notes[i:] {
		delete(n.seen, s)
	}
	n.Notes = n.Notes[:i]
}

// Clip shortens s.
func Clip(s string) string {
	if len(s) > 200 {
		return "…" + strings.ToValidUTF8(s[len(s)-200:], "")
	}
	return s
}
