package session_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/dragoman-project/dragoman/sdk/handler"
	"github.com/dragoman-project/dragoman/sdk/peg"
	"github.com/dragoman-project/dragoman/sdk/session"
)

// talking returns a draft whose program reads reasoning, content, and calls in JSON or in tags: <json>{…}</json> and <f a="…">.
func talking() *session.Draft {
	var b peg.Builder
	object := b.Tag(peg.Arguments, b.Value(peg.AnyPython|peg.ObjectValue))
	written := b.Tag(peg.Call, b.Atomic(b.Lit("<json>"), b.Tag(peg.CallName, b.Chars(1, 9, peg.Range{Lo: 'a', Hi: 'z'})), b.Lit(" ")), object, b.Lit("</json>"))
	argument := b.Seq(b.Atomic(b.Lit(" "), b.Tag(peg.Key, b.Chars(1, 9, peg.Range{Lo: 'a', Hi: 'z'})), b.Lit(`="`)), b.Tag(peg.String, b.Until(`"`)), b.Lit(`"`))
	tagged := b.Tag(peg.Call, b.Atomic(b.Lit("<"), b.Tag(peg.CallName, b.Lit("f"))), b.Star(argument), b.Lit(">"))
	text := b.Tag(peg.Content, b.Until("<json>", "<f"))
	thought := b.Seq(b.Tag(peg.Reasoning, b.Until("</think>")), b.Lit("</think>"))
	program := b.Build(b.Seq(b.Lit("Hi>"), thought, text, b.Star(b.Choice(written, tagged), text), b.End()))
	return &session.Draft{Plan: handler.Plan{Program: program}, Handler: "h", Prompt: "Hi>", GenerationPrompt: "Hi>"}
}

const spoken = "\nHm, 雨\n</think>\nIt is \xff 5 < 7.\n" + `<json>g {"a": [1, "x\ny"], "b": True}</json> and <f a="1
2" b="<>"> done `

// TestPiecesAreDeltas checks that pieces and deltas are two forms of the same, and that pieces are read from the output in order.
func TestPiecesAreDeltas(t *testing.T) {
	p := newPlan(t, talking())
	options := session.Options{IDSeed: "s"}
	for size := 1; size <= len(spoken); size++ {
		one, other := p.Session(t.Context(), options), p.Session(t.Context(), options)
		at, fed := 0, 0
		compare := func(pieces []chat.Piece, deltas []chat.Delta) {
			t.Helper()
			for _, x := range pieces {
				if x.From < at || x.To < x.From || x.To > fed {
					t.Errorf("chunks of %d: %q is read from %d to %d of %d, after %d", size, x.Text, x.From, x.To, fed, at)
				}
				at = x.To
			}
			if diff := cmp.Diff(deltas, chat.Deltas(pieces)); diff != "" {
				t.Fatalf("chunks of %d (-deltas +pieces):\n%s", size, diff)
			}
		}
		for chunk := range slices.Chunk([]byte(spoken), size) {
			fed += len(chunk)
			pieces, err := one.Append(nil, chunk, nil)
			if err != nil {
				t.Fatal(err)
			}
			deltas, _ := other.Feed(chunk)
			compare(pieces, deltas)
		}
		pieces, _, _ := one.AppendLast(nil, false)
		result, _ := other.Finish(false)
		compare(pieces, result.Deltas)
	}
}

func TestThePieceOfATextIsReadFromThatText(t *testing.T) {
	s := newPlan(t, talking()).Session(t.Context(), session.Options{})
	pieces, err := s.Append(nil, []byte(spoken), nil)
	if err != nil {
		t.Fatal(err)
	}
	var read []string
	for _, x := range pieces {
		read = append(read, spoken[x.From:x.To])
	}
	want := []string{"", "\nHm, 雨", "\nIt is \xff 5 < 7.", `<json>g {"a": [1, "x\ny"], "b": True}`, " and", `<f a="1
2" b="<>">`, " done"}
	if diff := cmp.Diff(want, read); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestASessionMayKeepNothing(t *testing.T) {
	p := newPlan(t, talking())
	keeping, _ := p.Parse(t.Context(), []byte(spoken), false, session.Options{IDSeed: "s"})
	got, err := p.Parse(t.Context(), []byte(spoken), false, session.Options{IDSeed: "s", NoMessage: true, NoSpans: true})
	if err != nil || got.Report.Spans != nil || !cmp.Equal(got.Message, chat.Message{Role: chat.RoleAssistant}) {
		t.Errorf("%+v, %v", got, err)
	}
	got.Message, got.Report.Spans = keeping.Message, keeping.Report.Spans
	if diff := cmp.Diff(keeping, got); diff != "" {
		t.Errorf("(-keeping +not):\n%s", diff)
	}
}

// TestChunksAllocateNothing feeds text of each kind in chunks as an engine does, and writes the pieces as events.
func TestChunksAllocateNothing(t *testing.T) {
	p := newPlan(t, talking())
	events := chat.Response{ID: "chatcmpl-1", Created: time.Unix(1, 0), Model: "m"}.Encoder()
	for _, c := range []struct{ name, before, text string }{
		{"reasoning", "", "some 雨 words,\nand < more\n\n"},
		{"content", "</think>", "some 雨 words,\nand < more\n\n"},
		{"arguments in JSON", `</think><json>f {"a": [`, `"some 雨 \n text", 1.5, {"b": [true, null]}, `},
		{"arguments in another notation", `</think><json>f {"a": [`, `'it''s', True, None, "a\x41", `},
		{"arguments in tags", `</think><f a="`, "some 雨 \"words\",\nand < more\n"},
	} {
		for _, size := range []int{1, 4, 7} {
			s := p.Session(t.Context(), session.Options{NoMessage: true, NoSpans: true})
			pieces := make([]chat.Piece, 0, 8)
			out := make([]byte, 0, 4096)
			feed := func(chunk []byte) {
				var err error
				if pieces, err = s.Append(pieces[:0], chunk, nil); err != nil {
					t.Fatal(err)
				}
				out = out[:0]
				for i := range pieces {
					out = events.AppendEvent(out, &pieces[i])
				}
			}
			feed([]byte(c.before))
			chunks := slices.Collect(slices.Chunk([]byte(strings.Repeat(c.text, size)), size))
			all := func() {
				for _, chunk := range chunks {
					feed(chunk)
				}
			}
			all() // buffers grow to what they need
			if n := testing.AllocsPerRun(10, all); n > 0 {
				t.Errorf("%s in chunks of %d bytes: %v allocations in %d chunks", c.name, size, n, len(chunks))
			}
		}
	}
}

func TestAChunkIsTheSameFromAPiece(t *testing.T) {
	response := chat.Response{ID: "chatcmpl-\"1\"", Created: time.Unix(9, 0), Model: "m"}
	encoder := response.Encoder()
	text := func(v any) string {
		out, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		return string(out)
	}
	for _, x := range []chat.Piece{
		{}, {Kind: chat.ContentText, Text: []byte("a\n")}, {Kind: chat.ReasoningText, Text: []byte("b")},
		{Kind: chat.CallArguments, ID: "x", Name: "f", Text: []byte("{}")}, {Kind: chat.CallArguments, Call: 2, ID: "x"},
	} {
		want := text(response.Chunk(x.Delta(), ""))
		if got := string(encoder.AppendChunk(nil, &x)); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
		if got := string(encoder.AppendEvent(nil, &x)); got != "data: "+want+"\n\n" {
			t.Errorf("the event is %q", got)
		}
	}
	want := text(response.Chunk(chat.Delta{}, chat.FinishStop))
	if got := string(encoder.AppendLastChunk(nil, chat.FinishStop)); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if got := string(encoder.AppendLastEvent(nil, chat.FinishStop)); got != "data: "+want+"\n\n" {
		t.Errorf("the last event is %q", got)
	}
}

// TestTheMemoryOfASessionDoesNotGrow feeds a session that keeps nothing a thousand calls and the texts between them, and checks what
// it allocates: the id and the name of each call.
func TestTheMemoryOfASessionDoesNotGrow(t *testing.T) {
	s := newPlan(t, talking()).Session(t.Context(), session.Options{NoMessage: true, NoSpans: true, NoIDs: true})
	var pieces []chat.Piece
	round := func() {
		for chunk := range slices.Chunk([]byte("Some words.\n<json>g {\"a\": [1, \"x\\ny\"], \"b\": True}</json> and\n<f a=\"1\n2\" b=\"<>\">\n"), 4) {
			var err error
			if pieces, err = s.Append(pieces[:0], chunk, nil); err != nil {
				t.Fatal(err)
			}
		}
	}
	if _, err := s.Feed([]byte("</think>")); err != nil {
		t.Fatal(err)
	}
	round()
	if n := testing.AllocsPerRun(1000, round); n > 2 {
		t.Errorf("two calls and the text around them take %v allocations", n)
	}
}
