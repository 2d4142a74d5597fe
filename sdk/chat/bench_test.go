package chat_test

import (
	"testing"

	"github.com/dragoman-project/dragoman/sdk/chat"
)

// BenchmarkStream turns one event of four bytes into a delta.
func BenchmarkStream(b *testing.B) {
	for _, bench := range []struct {
		name string
		kind chat.EventKind
		text string
	}{
		{"content", chat.ContentText, "word"},
		{"content with blanks", chat.ContentText, "ord "},
		{"arguments", chat.CallArguments, `1, 2`},
	} {
		b.Run(bench.name, func(b *testing.B) {
			b.ReportAllocs()
			s := new(chat.Stream)
			s.Add(chat.Event{Kind: chat.CallBegin})
			s.Add(chat.Event{Kind: chat.CallName, Text: []byte("f")})
			event := chat.Event{Kind: bench.kind, Text: []byte(bench.text)}
			for b.Loop() {
				s.Add(event)
				s.Deltas()
			}
		})
	}
}
