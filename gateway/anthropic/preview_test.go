package anthropic

import (
	"regexp"
	"strings"
	"testing"

	"github.com/dragoman-project/dragoman/sdk/chat"
)

func TestAPreviewHasTheEventsOfBlocks(t *testing.T) {
	p, err := NewPreview()
	if err != nil {
		t.Fatal(err)
	}
	p.Add([]chat.Piece{{}, {Kind: chat.ReasoningText, Text: []byte("Hm.")}})
	p.Add([]chat.Piece{{Kind: chat.CallArguments, ID: "c", Name: "f"}, {Kind: chat.CallArguments, Text: []byte("{}")}})
	p.End(chat.FinishToolCalls)
	text, err := p.Take()
	if err != nil {
		t.Fatal(err)
	}
	var kinds []string
	for _, m := range regexp.MustCompile(`"type":"(content_block_[a-z]*|[a-z_]*_delta)"`).FindAllStringSubmatch(string(text), -1) {
		kinds = append(kinds, strings.TrimPrefix(m[1], "content_block_"))
	}
	if got, want := strings.Join(kinds, " "), "start delta thinking_delta delta signature_delta stop start delta input_json_delta stop"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if text, _ := p.Take(); len(text) != 0 {
		t.Errorf("%s", text)
	}
}
