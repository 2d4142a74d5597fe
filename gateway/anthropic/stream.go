package anthropic

import (
	"encoding/json"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/dragoman-project/dragoman/gateway/reply"
	"github.com/dragoman-project/dragoman/sdk/chat"
)

// stream sends the answer as events.
func (a *answer) stream() error {
	out, e := a.Events(), new(encoder)
	b := a.blocks(e)
	begun := false
	err := reply.Read(a.Outputs[0], func(pieces []chat.Piece) error {
		if !begun { // only now it may be known how long the prompt is
			begun = true
			m := a.message()
			e.add("message_start", event{Type: "message_start", Message: &m})
			e.add("ping", event{Type: "ping"})
		}
		for i := range pieces {
			b.add(&pieces[i])
		}
		return e.send(out)
	})
	if err != nil {
		failed, _ := describe(a.w, reply.Fault(err))
		e.add("error", failed)
		_ = e.send(out) // fails only when the client is gone
		return err
	}
	b.last(a.Outputs[0].Result().FinishReason)
	u := usageOf(reply.Count(a.Outputs))
	e.add("message_delta", event{Type: "message_delta", Delta: endOf(a.Outputs[0]), Usage: &u})
	e.add("message_stop", event{Type: "message_stop"})
	return e.send(out)
}

// event is the data of an event.
type event struct {
	Type    string         `json:"type"`
	Message *messageObject `json:"message,omitempty"`
	Index   *int           `json:"index,omitempty"`
	Block   any            `json:"content_block,omitempty"`
	Delta   any            `json:"delta,omitempty"`
	Usage   *usage         `json:"usage,omitempty"`
}

// signatureDelta ends the thinking of a block.
type signatureDelta struct {
	Type      string `json:"type"`
	Signature string `json:"signature"`
}

// encoder writes the events of blocks.
type encoder struct {
	text []byte // what was not sent yet
	err  error
}

var _ listener = (*encoder)(nil)

// send sends what was written since the last call.
func (e *encoder) send(out *reply.Events) error {
	if e.err != nil {
		return e.err
	}
	text := e.text
	e.text = e.text[:0]
	return out.Send(text)
}

// add writes an event.
func (e *encoder) add(kind string, data any) {
	text, err := json.Marshal(data)
	if err != nil {
		e.err = err
		return
	}
	e.text = append(append(append(e.text, "event: "...), kind...), "\ndata: "...)
	e.text = append(append(e.text, text...), "\n\n"...)
}

func (e *encoder) begin(index int, kind chat.EventKind, id, name string) {
	e.add("content_block_start", event{Type: "content_block_start", Index: &index, Block: begun(kind, id, name)})
}

// deltas are the types of deltas, and the members with their texts.
var deltas = map[chat.EventKind]string{
	chat.ContentText:   `,"delta":{"type":"text_delta","text":`,
	chat.ReasoningText: `,"delta":{"type":"thinking_delta","thinking":`,
	chat.CallArguments: `,"delta":{"type":"input_json_delta","partial_json":`,
}

// delta is called for every token, and allocates only for a longer buffer.
func (e *encoder) delta(index int, kind chat.EventKind, text []byte) {
	e.text = append(e.text, `event: content_block_delta`+"\n"+`data: {"type":"content_block_delta","index":`...)
	e.text = append(strconv.AppendInt(e.text, int64(index), 10), deltas[kind]...)
	e.text, _ = jsontext.AppendQuote(e.text, text) // valid UTF-8
	e.text = append(e.text, "}}\n\n"...)
}

func (e *encoder) end(index int, signature string) {
	if signature != "" {
		e.add("content_block_delta", event{Type: "content_block_delta", Index: &index, Delta: signatureDelta{"signature_delta", signature}})
	}
	e.add("content_block_stop", event{Type: "content_block_stop", Index: &index})
}
