package anthropic

import (
	"github.com/dragoman-project/dragoman/gateway/seal"
	"github.com/dragoman-project/dragoman/sdk/chat"
)

// Preview writes the events about the blocks of an output, for people who look at one that no client has asked for.
type Preview struct {
	blocks blocks
	events encoder
}

// NewPreview returns a Preview of an output. Signatures in it are worth nothing.
func NewPreview() (*Preview, error) {
	sealer, err := seal.New()
	if err != nil {
		return nil, err
	}
	p := new(Preview)
	p.blocks = blocks{to: &p.events, sealer: sealer}
	return p, nil
}

// Add adds what was decided.
func (p *Preview) Add(pieces []chat.Piece) {
	for i := range pieces {
		p.blocks.add(&pieces[i])
	}
}

// End ends the output.
func (p *Preview) End(reason chat.FinishReason) { p.blocks.last(reason) }

// Take returns the events since the last call, as an event stream. They are valid until the next call of a method.
func (p *Preview) Take() ([]byte, error) {
	text := p.events.text
	p.events.text = text[:0]
	return text, p.events.err
}
