package notes

import (
	"fmt"
	"strings"
)

// List say what a constraint does not hold to, each once.
type List struct {
	Texts []string
	seen  map[string]bool
}

func New() *List { return &List{seen: map[string]bool{}} }

func (n *List) Add(format string, args ...any) {
	if s := fmt.Sprintf(format, args...); !n.seen[s] {
		n.seen[s] = true
		n.Texts = append(n.Texts, s)
	}
}

// Truncate takes back the notes from number i on.
func (n *List) Truncate(i int) {
	for _, s := range n.Texts[i:] {
		delete(n.seen, s)
	}
	n.Texts = n.Texts[:i]
}

// Clip shortens s.
func Clip(s string) string {
	if len(s) > 200 {
		return "…" + strings.ToValidUTF8(s[len(s)-200:], "")
	}
	return s
}
