package session_test

import (
	"strings"
	"testing"
	"time"

	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/dragoman-project/dragoman/sdk/session"
)

// spokenAtLength are outputs of talking of about n bytes.
var spokenAtLength = []struct {
	name string
	text func(n int) string
}{
	{"prose", func(n int) string {
		return "</think>" + fill("The answer is 42, as it says in the book of books.\n", n)
	}},
	{"argument in JSON", func(n int) string {
		return `</think><json>f {"text": "` + fill(`func main() {\n\tfmt.Println(\"hello\")\n}\n`, n) + `"}</json>`
	}},
	{"argument in tags", func(n int) string {
		return `</think><f a="` + fill("func main() {\n\tfmt.Println('hello')\n}\n", n) + `">`
	}},
	{"small calls", func(n int) string {
		return "</think>" + fill(`<json>f {"query": "what is it?", "limit": 10}</json>`, n)
	}},
}

func fill(t string, n int) string { return strings.Repeat(t, n/len(t)+1) }

// BenchmarkAppend appends the pieces of outputs that arrive in chunks of four bytes, about the size of tokens, and writes them as
// events. BenchmarkFeed of package match shows what the machine takes of that.
func BenchmarkAppend(b *testing.B) {
	plan := newPlan(b, talking())
	events := chat.Response{ID: "chatcmpl-1", Created: time.Now(), Model: "m"}.Encoder()
	for _, o := range spokenAtLength {
		text := []byte(o.text(64 << 10))
		for _, encode := range []bool{false, true} {
			name := o.name
			if encode {
				name += " as events"
			}
			b.Run(name, func(b *testing.B) {
				b.ReportAllocs()
				var pieces []chat.Piece
				var out []byte
				chunks := 0
				for b.Loop() {
					s := plan.Session(b.Context(), session.Options{NoMessage: true, NoSpans: true})
					for from := 0; from < len(text); from += 4 {
						pieces, _ = s.Append(pieces[:0], text[from:min(from+4, len(text))], nil)
						chunks++
						for i := range pieces {
							if encode {
								out = events.AppendEvent(out[:0], &pieces[i])
							}
						}
					}
					if _, r, err := s.AppendLast(pieces[:0], false); err != nil || r.Report.Status != chat.Complete {
						b.Fatalf("%+v, %v", r.Report, err)
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(chunks), "ns/chunk")
			})
		}
	}
}

// BenchmarkParse parses outputs of a megabyte at once.
func BenchmarkParse(b *testing.B) {
	plan := newPlan(b, talking())
	for _, o := range spokenAtLength {
		b.Run(o.name, func(b *testing.B) {
			text := []byte(o.text(1 << 20))
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				if r, err := plan.Parse(b.Context(), text, false, session.Options{}); err != nil || r.Report.Status != chat.Complete {
					b.Fatalf("%+v, %v", r.Report, err)
				}
			}
		})
	}
}
