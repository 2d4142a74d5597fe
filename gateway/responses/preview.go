package responses

import (
	"github.com/dragoman-project/dragoman/gateway/responses/request"
	"github.com/dragoman-project/dragoman/sdk/chat"
)

// Preview writes the events about the items of an output, for people who look at one that no client has asked for.
type Preview struct {
	items  items
	events encoder
}

// NewPreview returns a Preview of an output that answers a plain request.
func NewPreview() *Preview {
	p := new(Preview)
	p.items = items{request: new(request.Request), response: "preview", out: &p.events}
	return p
}

// Add adds what was decided.
func (p *Preview) Add(pieces []chat.Piece) {
	for i := range pieces {
		p.items.add(&pieces[i])
	}
}

// End ends the output.
func (p *Preview) End(reason chat.FinishReason) { p.items.end(reason == chat.FinishLength) }

// Take returns the events since the last call, as an event stream. They are valid until the next call of a method.
func (p *Preview) Take() ([]byte, error) { return p.events.take() }
