package chat_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/dragoman-project/dragoman/internal/shared"
	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/google/go-cmp/cmp"
)

const someTools = `[ {"type": "function", "function": {"name": "f", "description": "\"]}\\", "parameters": {"type": "object", "properties": {"a": {}}}}},
	{"name": "g", "parameters": {"type": "object"}, "strict": true} ]`

// expectSame compares what a cache reads with what is read without one: cold, and then warm.
func expectSame(t *testing.T, tools *chat.ToolCache, text []byte) {
	t.Helper()
	want, wantErr := chat.ParseRequest(text)
	for range 2 {
		got, err := tools.ParseRequest(text, chat.Policies{})
		if fmt.Sprint(err) != fmt.Sprint(wantErr) {
			t.Fatalf("%.200s: error %v, expected %v", text, err, wantErr)
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Fatalf("%.200s: -without a cache +with one\n%s", text, d)
		}
	}
}

func TestKnownToolsAreReadAsUnknownOnes(t *testing.T) {
	const messages = `"messages": [{"role": "user", "content": "\"tools\": [{}]"}]`
	var tools chat.ToolCache
	for _, text := range []string{
		`{` + messages + `, "tools": ` + someTools + `}`,
		` { "tools" : ` + someTools + ` , ` + messages + ` } `,
		`{"tools": ` + someTools + `, "tool_choice": {"type": "function", "function": {"name": "g"}}, ` + messages + `}`,
		`{"tools": ` + someTools + `, "tool_choice": {"type": "function", "function": {"name": "h"}}, ` + messages + `}`,
		`{"tools": ` + someTools + `, "tools": [], ` + messages + `}`,
		`{"tools": ` + someTools + `, "to\u006fls": [], ` + messages + `}`,
		`{"to\u006fls": ` + someTools + `, ` + messages + `}`,
		`{"metadata": {"tools": ` + someTools + `}, ` + messages + `}`,
		`{"tools": ` + someTools + ` "x": 1, ` + messages + `}`,
		`{"tools": ` + someTools + `, ` + messages,
		`{"tools": ` + someTools,
		`{"tools": [], ` + messages + `}`,
		`{"tools": [], "tool_choice": "required", ` + messages + `}`,
		`{"tools": null, ` + messages + `}`,
		`{"tools": {}, ` + messages + `}`,
		`{"tools": [{"name": 7}], ` + messages + `}`,
		`{"tools": [{"name": "f"}`,
		`{"tools"`, `{"tools":`, `{"tools": [`, `{"`, `{`, `[`, ``, `"tools"`, `{"tools": ]}`, `{"a": ], "tools": []}`,
	} {
		expectSame(t, &tools, []byte(text))
	}
}

// What one client does to its request, no other sees.
func TestKnownToolsAreEachRequestsOwn(t *testing.T) {
	var tools chat.ToolCache
	text := []byte(`{"messages": [{"role": "user", "content": "a"}], "tools": ` + someTools + `}`)
	parse := func() *chat.Request {
		r, err := tools.ParseRequest(text, chat.Policies{})
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	parse().Tools[0].Name = "changed"
	clear(text[len(text)/2:])
	text = []byte(strings.Replace(`{"messages": [{"role": "user", "content": "b"}], "tools": `+someTools+`}`, "changed", "", 1))
	if r := parse(); r.Tools[0].Name != "f" || r.Tools[1].Name != "g" || !json.Valid(r.Tools[1].Raw) {
		t.Errorf("tools %q, %q", r.Tools[0].Name, r.Tools[1].Name)
	}
	if s := tools.Stats(); s.Misses != 1 || s.Hits != 1 {
		t.Errorf("%+v", s)
	}
}

func TestRecordedRequestsAreReadAlikeWithKnownTools(t *testing.T) {
	data, err := os.ReadFile(shared.Dir(t, "cases", "plan.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	var tools chat.ToolCache
	ran := 0
	for line := range bytes.Lines(data) {
		var row struct{ Request json.RawMessage }
		if err := json.Unmarshal(line, &row); err != nil {
			t.Fatal(err)
		}
		if ran++; ran%8 == 0 {
			expectSame(t, &tools, row.Request)
		}
	}
	if s := tools.Stats(); s.Hits < s.Misses {
		t.Errorf("of %d requests: %+v", ran, s)
	}
}

func FuzzKnownTools(f *testing.F) {
	f.Add(`{"messages": [{"role": "user", "content": "a"}], "tools": ` + someTools + `}`)
	f.Add(`{"tools": [{"name": "f"}], "x": "\"", "messages": []}`)
	f.Add(`{"tools": [], "tools": [}]}`)
	var tools chat.ToolCache
	f.Fuzz(func(t *testing.T, text string) { expectSame(t, &tools, []byte(text)) })
}

// BenchmarkKnownTools is BenchmarkParseRequest for requests whose tools were seen before.
func BenchmarkKnownTools(b *testing.B) {
	tool := `{"type": "function", "function": {"name": "tool", "parameters": {"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "integer"}}}}}`
	for _, n := range []int{20, 200} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			text := []byte(`{"messages": [{"role": "user", "content": "a"}], "tools": [` + strings.Repeat(tool+",", n-1) + tool + `]}`)
			var tools chat.ToolCache
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := tools.ParseRequest(text, chat.Policies{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
