package manifest

import (
	"strings"
	"testing"
)

func FuzzParseManifest(f *testing.F) {
	f.Add("name: a\nversion: 1.0.0\nprotocol: 1\nmatch: source contains \"x\"\npriority: 5\noptions: {a: [1]}\n")
	f.Add("{name: two, handlers: [{name: x, match: y}], sha256: 00}")
	f.Add("a: &a [*a]")
	f.Fuzz(func(t *testing.T, text string) {
		m, err := Parse("dir/a.yaml", []byte(text), []int{1})
		if err != nil {
			return
		}
		if len(m.Handlers) == 0 || m.Priority == nil || m.Handlers[0].Priority == nil || strings.ContainsRune(m.Executable, '/') {
			t.Errorf("it passes as %+v", m)
		}
	})
}
