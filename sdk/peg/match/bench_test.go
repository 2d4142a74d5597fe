package match_test

import (
	"strings"
	"testing"

	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/dragoman-project/dragoman/sdk/peg"
	"github.com/dragoman-project/dragoman/sdk/peg/match"
)

// benchmarkOutputs are typical outputs of about n bytes.
var benchmarkOutputs = []struct {
	name    string
	program func() *peg.Program
	text    func(n int) string
}{
	{"prose", jsonCalls, func(n int) string {
		return "<think>\n" + fill("I wonder what they want; let me think about it.\n", n/2) + "</think>\n\n" +
			fill("The answer is 42, as it says in the book <of> all books.\n", n/2)
	}},
	{"mixed", taggedCalls, func(n int) string {
		return "<think>\nshort</think>\n\n" + fill(fill("Let me look that up, and then say what I have found.\n", 600)+
			"<tool_call>\n<function=lookup>\n<parameter=query>\nwhat is \"it\"?\n</parameter>\n<parameter=limit>\n10\n</parameter>\n</function>\n</tool_call>\n", n)
	}},
	{"argument", jsonCalls, func(n int) string {
		return `<tool_call>{"name": "write", "arguments": {"path": "a.txt", "text": "` +
			fill(`func main() {\n\tfmt.Println(\"hello\")\n}\n`, n) + `"}}</tool_call>`
	}},
}

func fill(t string, n int) string { return strings.Repeat(t, n/len(t)+1) }

var sizes = []struct {
	name  string
	bytes int
}{{"1k", 1 << 10}, {"64k", 64 << 10}, {"1M", 1 << 20}}

// BenchmarkFeed feeds outputs in chunks of four bytes, about the size of tokens.
func BenchmarkFeed(b *testing.B) {
	for _, o := range benchmarkOutputs {
		for _, size := range sizes {
			b.Run(o.name+"/"+size.name, func(b *testing.B) { feed(b, compile(b, o.program().Bind("")), []byte(o.text(size.bytes)), 4) })
		}
	}
}

// BenchmarkOneShot feeds the same outputs whole.
func BenchmarkOneShot(b *testing.B) {
	for _, o := range benchmarkOutputs {
		b.Run(o.name, func(b *testing.B) {
			text := []byte(o.text(1 << 20))
			b.SetBytes(int64(len(text)))
			feed(b, compile(b, o.program().Bind("")), text, len(text))
		})
	}
}

func feed(b *testing.B, code *match.Code, text []byte, size int) {
	b.ReportAllocs()
	events, chunks := 0, (len(text)+size-1)/size
	for b.Loop() {
		m := match.New(code, func(chat.Event) { events++ })
		for from := 0; from < len(text); from += size {
			m.Feed(text[from:min(from+size, len(text))])
		}
		if r := m.Finish(false); r.Status != chat.Complete {
			b.Fatalf("%+v", r.Faults)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*chunks), "ns/chunk")
}

func BenchmarkCompile(b *testing.B) {
	p := taggedCalls().Bind("")
	for b.Loop() {
		compile(b, p)
	}
}

func BenchmarkCheck(b *testing.B) {
	p := taggedCalls().Bind("")
	for b.Loop() {
		findings(b, p)
	}
}

func BenchmarkValidate(b *testing.B) {
	p := taggedCalls().Bind("")
	for b.Loop() {
		if err := p.Validate(); err != nil {
			b.Fatal(err)
		}
	}
}
