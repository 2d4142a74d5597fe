// Command plugin is the plugin of the soak test, soakplugin. One of its handlers plans programs, which the host runs; another
// parses outputs itself, so that killing the process interrupts running streams. A third plans hostile programs (make attack).
package main

import (
	"context"

	"github.com/dragoman-project/dragoman/sdk"
	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/dragoman-project/dragoman/sdk/peg"
)

func main() { sdk.Serve(brackets{}, tildes{}, hostile{}) }

// brackets reads reasoning in double parentheses and calls in double brackets: ((Hm.))Look. [[get_weather {"city": "Oslo"}]]
type brackets struct{}

var _ sdk.Handler = brackets{}

func (brackets) Describe() sdk.Description {
	return sdk.Description{Name: "soak-brackets", Version: "1.0.0", Match: `source contains "[["`, Priority: 100}
}

func (brackets) Plan(_ context.Context, in sdk.Input) (*sdk.Plan, error) {
	var b peg.Builder
	reasoning := b.Optional(b.Lit("(("), b.Tag(peg.Reasoning, b.Until("))")), b.Lit("))"))
	content := b.Tag(peg.Content, b.Until("[["))
	var calls []peg.ID
	for _, tool := range in.Request.Tools {
		calls = append(calls, b.Seq(
			b.Atomic(b.Lit("[["), b.Tag(peg.CallName, b.Lit(tool.Name)), b.Lit(" ")),
			b.Tag(peg.Arguments, b.Schema(tool.Parameters, b.Value(peg.ObjectValue))),
			b.Lit("]]"),
		))
	}
	call := b.Trigger("call", b.Tag(peg.Call, b.Choice(calls...)))
	return &sdk.Plan{Program: b.Build(b.Seq(b.Prompt(), reasoning, content, b.Star(call, content), b.End()))}, nil
}

// tildes reads reasoning between tildes: ~Hm.~Hello! It parses outputs itself.
type tildes struct{}

var _ sdk.StreamHandler = tildes{}

func (tildes) Describe() sdk.Description {
	return sdk.Description{Name: "soak-tildes", Version: "1.0.0", Match: `source contains "~~"`, Priority: 100}
}

func (tildes) Plan(context.Context, sdk.Input) (*sdk.Plan, error) {
	return &sdk.Plan{Stream: &sdk.StreamPlan{}}, nil
}

func (tildes) OpenStream(_ context.Context, _ sdk.StreamInput, sink chat.Sink) (sdk.Stream, error) {
	return &tilde{kind: chat.ContentText, sink: sink}, nil
}

type tilde struct {
	kind chat.EventKind
	sink chat.Sink
}

func (t *tilde) Feed(chunk []byte) error {
	from := 0
	for i, c := range chunk {
		if c != '~' {
			continue
		}
		t.emit(chunk[from:i])
		from = i + 1
		if t.kind == chat.ContentText {
			t.kind = chat.ReasoningText
		} else {
			t.kind = chat.ContentText
		}
	}
	t.emit(chunk[from:])
	return nil
}

func (t *tilde) emit(text []byte) {
	if len(text) > 0 {
		t.sink(chat.Event{Kind: t.kind, Text: text})
	}
}

func (t *tilde) Finish() (sdk.StreamResult, error) {
	return sdk.StreamResult{Status: chat.Complete}, nil
}
