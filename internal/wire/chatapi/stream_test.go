package chatapi_test

import (
	"bytes"
	"encoding/json"
	"math"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/dragoman-project/dragoman/internal/wire/chatapi"
	dragomanv1 "github.com/dragoman-project/dragoman/sdk/proto/dragoman/v1"
)

func piece(text string) *dragomanv1.ParseStreamRequest {
	return &dragomanv1.ParseStreamRequest{Chunk: &dragomanv1.ParseStreamRequest_Text{Text: text}}
}

func data(text string) *dragomanv1.ParseStreamRequest {
	return &dragomanv1.ParseStreamRequest{Chunk: &dragomanv1.ParseStreamRequest_Data{Data: []byte(text)}}
}

// requests are messages of clients, from the most frequent to the rare.
var requests = []*dragomanv1.ParseStreamsRequest{
	{},
	{Outputs: []*dragomanv1.OutputRequest{{Output: 1, Message: piece("word")}, {Output: 300, Message: data("w\xff")}}},
	{Outputs: []*dragomanv1.OutputRequest{{Output: math.MaxUint64, Message: piece(""), End: true}, {}, {Output: 2, End: true}}},
	{Outputs: []*dragomanv1.OutputRequest{{Output: 1, Message: &dragomanv1.ParseStreamRequest{}}, {Output: 2, Message: &dragomanv1.ParseStreamRequest{Ids: []uint32{0, 300, math.MaxUint32}}}}},
	{Outputs: []*dragomanv1.OutputRequest{{Output: 1, Message: piece("a")}, {Output: 1, Cancel: true}, {Output: 2, Traceparent: "00-1"}}},
	{Outputs: []*dragomanv1.OutputRequest{{Output: 1, Message: &dragomanv1.ParseStreamRequest{Start: &dragomanv1.ParseStart{Template: "t"}}}}},
	{Outputs: []*dragomanv1.OutputRequest{{Output: 1, Message: &dragomanv1.ParseStreamRequest{Truncated: true,
		Special: []*dragomanv1.ByteRange{{Start: 1, End: 2}}, Chunk: &dragomanv1.ParseStreamRequest_Text{Text: "雨"}}}}},
}

// asData changes pieces that were sent as text to data, which means the same.
func asData(m *dragomanv1.ParseStreamRequest) {
	if text, ok := m.GetChunk().(*dragomanv1.ParseStreamRequest_Text); ok {
		m.Chunk = &dragomanv1.ParseStreamRequest_Data{Data: []byte(text.Text)}
	}
}

// FuzzRequests compares the decoding of messages with protobuf's, in memory that is used again.
func FuzzRequests(f *testing.F) {
	for _, m := range requests {
		text, err := proto.Marshal(m)
		must(f, err)
		f.Add(text)
		for cut := range text {
			f.Add(text[:cut])
			f.Add(append(slices.Clone(text[:cut]), text[cut/2:]...)) // repeats fields, and breaks lengths
		}
	}
	used, single := new(chatapi.Requests), new(chatapi.Request)
	f.Fuzz(func(t *testing.T, text []byte) {
		want := new(dragomanv1.ParseStreamsRequest)
		err := proto.Unmarshal(text, want)
		if used.Decode(text) {
			must(t, err)
			for _, o := range want.Outputs {
				asData(o.GetMessage())
			}
			equal(t, want, &used.ParseStreamsRequest)
		}
		one := new(dragomanv1.ParseStreamRequest)
		err = proto.Unmarshal(text, one)
		if single.Decode(text) {
			must(t, err)
			asData(one)
			equal(t, one, &single.ParseStreamRequest)
		}
	})
}

func TestPiecesAndEndsAreDecodedWithoutProtobuf(t *testing.T) {
	used := new(chatapi.Requests)
	for i, m := range requests {
		text, err := proto.Marshal(m)
		must(t, err)
		if got, want := used.Decode(text), i < 4; got != want {
			t.Errorf("%v: decoded %v, want %v", m, got, want)
		}
	}
	text, err := proto.Marshal(requests[1])
	must(t, err)
	if n := testing.AllocsPerRun(100, func() { used.Decode(text) }); n > 0 {
		t.Errorf("a message takes %v allocations", n)
	}
}

// FuzzLine compares the reading of lines with that of JSON in general.
func FuzzLine(f *testing.F) {
	for _, line := range []string{`{"text":"word"}`, `{"text":"\n\"\\\/\b\f\r\t"}`, `{"text":"\u00e9"}`, `{"text":"雨"}`, "{\"text\":\"\xff\"}",
		`{"text":"a","truncated":true}`, `{"text":""}`, `{"text":"`, `{"text":"\"}`, "{\"text\":\"\x00\"}", `{"data":"AA=="}`, `{"text":"a" }`,
		`{"ids":[]}`, `{"ids":[0]}`, `{"ids":[12,345,999999999]}`, `{"ids":[4294967296]}`, `{"ids":[01]}`, `{"ids":[1,]}`, `{"ids":[,1]}`, `{"ids":[1 ,2]}`, `{"ids":[-1]}`} {
		f.Add([]byte(line))
	}
	used := new(chatapi.Request)
	f.Fuzz(func(t *testing.T, line []byte) {
		if !used.DecodeLine(line) {
			return
		}
		var want struct {
			Text *string
			IDs  []uint32
		}
		must(t, json.Unmarshal(line, &want))
		if want.Text == nil {
			equal(t, &dragomanv1.ParseStreamRequest{Ids: want.IDs}, &used.ParseStreamRequest)
		} else {
			equal(t, data(*want.Text), &used.ParseStreamRequest)
		}
	})
}

func TestAnswersAreWrittenAsByProtobuf(t *testing.T) {
	answers := chatapi.Answers{chatapi.ChunkAnswer(0, nil, chatapi.IDs{}), {Output: 7, Response: &dragomanv1.ParseStreamResponse{Error: &dragomanv1.Error{Code: "internal"}}}}
	for _, n := range []int{1, 100, 123, 124, 125, 126, 127, 128, 130, 16377, 16384, 1 << 20} {
		answers = append(answers, chatapi.ChunkAnswer(uint64(n), []byte(strings.Repeat("x", n)), chatapi.IDs{}),
			chatapi.ChunkAnswer(uint64(n), []byte(strings.Repeat("x", n)), chatapi.IDs{First: n - 1, End: n, Known: true}),
			chatapi.ChunkAnswer(0, []byte("{}"), chatapi.IDs{Known: true}))
	}
	got, err := answers.AppendBinary([]byte("before"))
	must(t, err)
	want, err := proto.Marshal(answers.Message())
	must(t, err)
	if !bytes.Equal(got, append([]byte("before"), want...)) {
		t.Error("a message of a shared stream differs")
	}
	for _, a := range answers {
		got, err := a.AppendBinary(nil)
		must(t, err)
		if want, err := proto.Marshal(a.Message()); err != nil || !bytes.Equal(got, want) {
			t.Errorf("the answer %.40v differs: %v", a.Message(), err)
		}
	}
}

func TestADecodedMessageSharesNoMemoryWithItsText(t *testing.T) {
	text, err := proto.Marshal(requests[1])
	must(t, err)
	used := new(chatapi.Requests)
	if !used.Decode(text) {
		t.Fatal("not decoded")
	}
	clear(text)
	if got := string(used.Outputs[0].Message.GetData()); got != "word" {
		t.Errorf("the piece became %q", got)
	}
}

func equal(t *testing.T, want, got proto.Message) {
	t.Helper()
	if !proto.Equal(want, got) {
		t.Errorf("decoded as %v, protobuf decodes %v", got, want)
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
