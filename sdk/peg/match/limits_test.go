package match_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/dragoman-project/dragoman/sdk/peg"
	"github.com/dragoman-project/dragoman/sdk/peg/match"
)

// some parses an output whole, in pieces of four bytes, and in large ones: for a long output every split would take too long.
func some(t *testing.T, code *match.Code, text string) (transcript, chat.Report) {
	t.Helper()
	whole, report := parse(t, code, output{text: text}, nil)
	for _, size := range []int{4, 1000, 70_000} {
		var cuts []int
		for i := size; i < len(text); i += size {
			cuts = append(cuts, i)
		}
		pieces, _ := parse(t, code, output{text: text}, cuts)
		if pieces.String() != whole.String() {
			t.Fatalf("in pieces of %d: %.500s\nwant %.500s", size, pieces, whole)
		}
	}
	return whole, report
}

// TestLimits parses outputs at a limit and just beyond it.
func TestLimits(t *testing.T) {
	const kib = 1 << 10
	name := func(n int) string {
		return `<tool_call>{"name": "` + strings.Repeat("f", n) + `", "arguments": {}}</tool_call>`
	}
	nested := func(n int) string {
		return `<tool_call>{"name": "f", "arguments": {"a": ` + strings.Repeat("[", n) + strings.Repeat("]", n) + `}}</tool_call>`
	}
	lists := func(n int) string {
		return "<call f><k>a</k>" + strings.Repeat("<l>", n) + strings.Repeat("</l>", n) + "</call>"
	}
	for _, test := range []struct {
		limit, program string
		within, beyond string
		want           string
	}{
		{"an atomic region", "json calls", name(64*kib - 40), name(64 * kib),
			`byte 65547, in tool-call: expected a string escape, found "f"`},
		{"the depth of a value", "json calls", nested(511), nested(512), `byte 555, in tool-call: expected a value or "]", found "["`},
		{"the depth of rules and choices", "nested calls", lists(1300), lists(1400), "byte 4108, in value: nested deeper than 4096"},
	} {
		t.Run(test.limit, func(t *testing.T) {
			code := compile(t, programs()[test.program].Bind(""))
			if _, r := some(t, code, test.within); r.Status != chat.Complete {
				t.Errorf("within: %s, %v", r.Status, r.Faults)
			}
			_, r := some(t, code, test.beyond)
			checkFaults(t, r, chat.Malformed, []string{test.want})
		})
	}
}

// TestLookaheadsAreLimited looks ahead for something too far away.
func TestLookaheadsAreLimited(t *testing.T) {
	var b peg.Builder
	code := compile(t, b.Build(b.Seq(
		b.Choice(b.Seq(b.Peek(b.Seq(b.Until("!"), b.Lit("!"))), b.Tag(peg.Content, b.Until())), b.Tag(peg.Reasoning, b.Until())), b.End())))
	for n, want := range map[int]string{1000: "content", 70_000: "reasoning"} {
		if got, _ := some(t, code, strings.Repeat("a", n)+"!"); !strings.HasPrefix(got.String(), want) {
			t.Errorf("%d bytes: %.50s, want %s", n, got, want)
		}
	}
}

// TestUndecidedTextIsLimited parses text without a role, which never speaks, while another alternative is live.
func TestUndecidedTextIsLimited(t *testing.T) {
	var b peg.Builder
	code := compile(t, b.Build(b.Seq(
		b.Choice(b.Seq(b.Until("!", "?"), b.Lit("!"), b.Tag(peg.Content, b.Until())), b.Tag(peg.Reasoning, b.Until())), b.End())))
	for n, want := range map[int]string{1000: "reasoning", 70_000: "recovered"} {
		got, r := some(t, code, strings.Repeat("a", n)+"?")
		if !strings.HasPrefix(got.String(), want) {
			t.Errorf("%d bytes: %.50s, want %s, %+v", n, got, want, r.Faults)
		}
	}
}

// TestProgramsThatSearchTooMuchLose runs programs that cost far more than they should.
func TestProgramsThatSearchTooMuchLose(t *testing.T) {
	letter := peg.Range{Lo: 'a', Hi: 'z'}
	for name, program := range map[string]func(*peg.Builder) peg.ID{
		"falling back without end": func(b *peg.Builder) peg.ID {
			twice := b.Lit("a")
			for i := range 40 {
				twice = b.Rule(fmt.Sprint(i), b.Choice(b.Seq(twice, b.Lit("x")), b.Seq(twice, b.Lit("y"))))
			}
			return b.Seq(twice, b.End())
		},
		"reading everything again at every byte": func(b *peg.Builder) peg.ID {
			return b.Seq(b.Star(b.Peek(b.Seq(b.Chars(0, -1, letter), b.Lit("!"))), b.Any()), b.End())
		},
		"a long way from byte to byte": func(b *peg.Builder) peg.ID {
			kids := []peg.ID{b.Any()}
			for range 20_000 {
				kids = append(kids, b.Optional(b.Lit("?")))
			}
			return b.Seq(b.Star(kids...), b.End())
		},
	} {
		t.Run(name, func(t *testing.T) {
			var b peg.Builder
			code := compile(t, b.Build(program(&b)))
			text := strings.Repeat("a", 30_000) + "!"
			_, r := some(t, code, text)
			if r.Status != chat.Malformed || !strings.HasSuffix(r.Faults[0].Message, "the program takes too long") {
				t.Errorf("%s: %+v", r.Status, r.Faults)
			}
		})
	}
}

// TestProgramsThatUnrollTooFarAreRefused compiles a program that is small only until it is unrolled.
func TestProgramsThatUnrollTooFarAreRefused(t *testing.T) {
	var b peg.Builder
	node := b.Lit("a")
	for range 100 {
		node = b.Seq(node, node)
	}
	_, err := match.Compile(b.Build(b.Seq(node, b.End())), match.Options{})
	want := "node 102: unrolls to more than 262144 instructions: name what is used often as a rule"
	if err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

// floods repeat near matches, and what nests or comes often.
var floods = []struct{ name, program, before, again string }{
	{"near delimiters", "json calls", "", "<tool_cal"},
	{"beginnings of calls", "json calls", "", "<tool_call>"},
	{"calls that break off", "json calls", "", `<tool_call>{"name": "f", "arguments": {"a": }`},
	{"calls without an end of their name", "tagged calls", "", "<tool_call><function="},
	{"blanks", "json calls", "<tool_call>", " "},
	{"blanks before the content", "json calls", "", "\n"},
	{"backslashes", "json calls", `<tool_call>{"name": "f", "arguments": {"a": "`, `\\`},
	{"brackets", "json calls", `<tool_call>{"name": "f", "arguments": {"a": `, "["},
	{"lists", "nested calls", "<call f><k>a</k>", "<l>"},
	{"values that are texts", "tagged calls", "<tool_call><function=f>", "<parameter=a>1 a</parameter>"},
	{"good calls", "json calls", "", goodCall},
	{"one long argument", "json calls", `<tool_call>{"name": "f", "arguments": {"a": "`, `some text\n`},
	{"one long argument in tags", "tagged calls", "<tool_call><function=f>\n<parameter=a>\n", "some text\n"},
	{"braces", "json calls", "", "{"},
	{"braces in a call", "json calls", "<tool_call>", "{"},
}

// TestFloodsAreLinear compares the cost of floods of near matches with the cost of four times as many.
func TestFloodsAreLinear(t *testing.T) {
	for _, flood := range floods {
		t.Run(flood.name, func(t *testing.T) {
			code := compile(t, programs()[flood.program].Bind(""))
			work := func(n int) (int, int) {
				m := match.New(code, func(chat.Event) {})
				text := flood.before + fill(flood.again, n)
				for i := 0; i < len(text); i += 4 {
					m.Feed([]byte(text[i:min(i+4, len(text))]))
				}
				return m.Work(), m.Finish(false).MaxHeld
			}
			once, held := work(100_000)
			more, heldMore := work(400_000)
			if more > 5*once+100_000 {
				t.Errorf("%d steps for 100,000 bytes, %d for 400,000", once, more)
			}
			if max(held, heldMore) > 64<<10+64 {
				t.Errorf("held %d, %d bytes", held, heldMore)
			}
		})
	}
}

// TestHeldBytes checks how many bytes are held, at most, while typical outputs arrive in pieces of four bytes.
func TestHeldBytes(t *testing.T) {
	for _, o := range benchmarkOutputs {
		code := compile(t, o.program().Bind(""))
		m := match.New(code, func(chat.Event) {})
		text := []byte(o.text(100_000))
		most := 0
		for i := 0; i < len(text); i += 4 {
			m.Feed(text[i:min(i+4, len(text))])
			most = max(most, m.Held())
		}
		if r := m.Finish(false); r.MaxHeld != most || most > 64 || m.Held() != 0 {
			t.Errorf("%s: held at most %d bytes, the report says %d; in the end %d", o.name, most, r.MaxHeld, m.Held())
		}
	}
}

// TestChunksDoNotChangeWhatIsCounted runs floods whole, where frames are saved most often, and byte by byte.
func TestChunksDoNotChangeWhatIsCounted(t *testing.T) {
	for _, flood := range floods {
		code := compile(t, programs()[flood.program].Bind(""))
		text := []byte(flood.before + fill(flood.again, 2000))
		work := func(size int) int {
			m := match.New(code, func(chat.Event) {})
			for from := 0; from < len(text); from += size {
				m.Feed(text[from:min(from+size, len(text))])
			}
			m.Finish(false)
			return m.Work()
		}
		if whole, bytes := work(len(text)), work(1); whole != bytes {
			t.Errorf("%s: counted %d whole, %d byte by byte", flood.name, whole, bytes)
		}
	}
}

// BenchmarkFlood feeds a megabyte of each flood at once and in chunks of four bytes.
func BenchmarkFlood(b *testing.B) {
	for _, flood := range floods {
		code := compile(b, programs()[flood.program].Bind(""))
		text := []byte(flood.before + fill(flood.again, 1<<20))
		for _, size := range []int{4, len(text)} {
			b.Run(fmt.Sprintf("%s/chunks of %d", flood.name, size), func(b *testing.B) {
				b.SetBytes(int64(len(text)))
				for b.Loop() {
					m := match.New(code, func(chat.Event) {})
					for from := 0; from < len(text); from += size {
						m.Feed(text[from:min(from+size, len(text))])
					}
					m.Finish(false)
				}
			})
		}
	}
}
