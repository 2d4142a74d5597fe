package chat_test

import (
	"strings"
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

// BenchmarkParseRequest reads a request with twenty tools.
func BenchmarkParseRequest(b *testing.B) {
	const tool = `{"type": "function", "function": {"name": "f", "description": "Finds what there is", "parameters": {"type": "object",
		"properties": {"query": {"type": "string", "description": "What to look for"}, "limit": {"type": "integer", "minimum": 1},
		"where": {"type": "array", "items": {"anyOf": [{"type": "object", "properties": {"site": {"type": "string"},
		"lang": {"enum": ["en", "de", "fr"]}}}, {"$ref": "#/$defs/place"}]}}}, "required": ["query"],
		"$defs": {"place": {"type": "string", "minLength": 2}}}}}`
	request := []byte(`{"messages": [{"role": "user", "content": "Hi"}], "tools": [` + strings.Repeat(tool+",", 19) + tool + `]}`)
	b.ReportAllocs()
	b.SetBytes(int64(len(request)))
	for b.Loop() {
		if _, err := chat.ParseRequest(request); err != nil {
			b.Fatal(err)
		}
	}
}
