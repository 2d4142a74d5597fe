package responses

import (
	"regexp"
	"strings"
	"testing"

	"github.com/dragoman-project/dragoman/sdk/chat"
)

func TestAPreviewHasTheEventsOfItems(t *testing.T) {
	p := NewPreview()
	p.Add([]chat.Piece{{}, {Kind: chat.ReasoningText, Text: []byte("Hm.")}})
	p.Add([]chat.Piece{{Kind: chat.CallArguments, ID: "c", Name: "f"}, {Kind: chat.CallArguments, Text: []byte("{}")}})
	p.End(chat.FinishToolCalls)
	text, err := p.Take()
	if err != nil {
		t.Fatal(err)
	}
	var kinds []string
	for _, m := range regexp.MustCompile(`event: response\.(.*)\n`).FindAllStringSubmatch(string(text), -1) {
		kinds = append(kinds, m[1])
	}
	const want = "output_item.added content_part.added reasoning_text.delta reasoning_text.done content_part.done output_item.done " +
		"output_item.added function_call_arguments.delta function_call_arguments.done output_item.done"
	if got := strings.Join(kinds, " "); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if text, _ := p.Take(); len(text) != 0 {
		t.Errorf("%s", text)
	}
}
