package workbench

import (
	"bytes"
	"encoding/json"

	"github.com/dragoman-project/dragoman/gateway/anthropic"
	"github.com/dragoman-project/dragoman/gateway/responses"
	"github.com/dragoman-project/dragoman/sdk/chat"
)

// deltas writes what the clients' APIs say of an output, by API, as the gateway does. What an API says before and after the output,
// about the answer as a whole, is left out.
type deltas map[string]preview

// preview writes the events of an API, as an event stream.
type preview interface {
	Add(pieces []chat.Piece)
	End(reason chat.FinishReason)
	Take() ([]byte, error)
}

// chatAPI is the name of OpenAI's chat completions, whose deltas are the pieces.
const chatAPI = "chat"

func newDeltas() (deltas, error) {
	messages, err := anthropic.NewPreview()
	if err != nil {
		return nil, err
	}
	return deltas{"responses": responses.NewPreview(), "messages": messages}, nil
}

// add returns what the APIs say of pieces, by API; reason is empty unless the output has ended.
func (d deltas) add(pieces []chat.Piece, reason chat.FinishReason) (map[string][]json.RawMessage, error) {
	all := map[string][]json.RawMessage{}
	for i := range pieces {
		all[chatAPI] = append(all[chatAPI], pieces[i].AppendJSON(nil))
	}
	for name, p := range d {
		p.Add(pieces)
		if reason != "" {
			p.End(reason)
		}
		text, err := p.Take()
		if err != nil {
			return nil, err
		}
		if data := dataOf(text); len(data) > 0 {
			all[name] = data
		}
	}
	return all, nil
}

// dataOf returns the data of the events of a stream.
func dataOf(stream []byte) (all []json.RawMessage) {
	for line := range bytes.Lines(stream) {
		if data, ok := bytes.CutPrefix(line, []byte("data: ")); ok {
			all = append(all, bytes.Clone(bytes.TrimSpace(data)))
		}
	}
	return all
}
