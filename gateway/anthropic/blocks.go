package anthropic

import (
	"bytes"

	"github.com/dragoman-project/dragoman/gateway/seal"
	"github.com/dragoman-project/dragoman/sdk/chat"
)

// listener is what blocks are said to: a stream of events, or a message.
type listener interface {
	// begin begins the block at index: of thinking (chat.ReasoningText), text (chat.ContentText) or a call (chat.CallArguments).
	begin(index int, kind chat.EventKind, id, name string)
	// delta adds text to the block at index, which is valid within the call.
	delta(index int, kind chat.EventKind, text []byte)
	// end ends the block at index; only thinking has a signature.
	end(index int, signature string)
}

// blocks divides an output into blocks, of which at most one is open.
type blocks struct {
	to      listener
	sealer  *seal.Sealer
	omitted bool // thinking is its signature alone
	// continued are the beginnings of texts that clients have, as far as they were not read again.
	continued map[chat.EventKind]string

	open     chat.EventKind // the kind of the open block; 0: none is
	index    int            // of the open block, or the next one
	silent   bool           // nothing was said in the open block
	thinking []byte         // of the open block
	// blank is white space that belongs to the next block if that is of its kind.
	blank     []byte
	blankKind chat.EventKind
}

// add adds what was decided.
func (b *blocks) add(p *chat.Piece) {
	text := b.fresh(p.Kind, p.Text)
	switch {
	case p.Kind == 0:
		return // the role
	case p.Kind == chat.CallArguments && p.Name != "":
		b.begin(p.Kind, p.ID, p.Name)
	case p.Kind != chat.CallArguments && p.Kind != b.open:
		if b.wait(p.Kind, text) {
			return
		}
		b.begin(p.Kind, "", "")
		b.say(b.blank)
	}
	b.say(text)
}

// fresh returns what of a text clients do not have.
func (b *blocks) fresh(kind chat.EventKind, text []byte) []byte {
	known := b.continued[kind]
	n := 0
	for n < len(known) && n < len(text) && known[n] == text[n] {
		n++
	}
	if known != "" {
		if b.continued[kind] = known[n:]; n < len(text) {
			b.continued[kind] = ""
		}
	}
	return text[n:]
}

// wait keeps white space alone, which opens no block, and reports whether the text is.
func (b *blocks) wait(kind chat.EventKind, text []byte) bool {
	if b.blankKind != kind {
		b.blank, b.blankKind = b.blank[:0], kind
	}
	if len(bytes.TrimSpace(text)) > 0 {
		return false
	}
	b.blank = append(b.blank, text...)
	return true
}

// begin ends the open block and begins another one.
func (b *blocks) begin(kind chat.EventKind, id, name string) {
	b.end()
	b.open, b.blankKind, b.silent = kind, 0, true
	b.to.begin(b.index, kind, id, name)
}

// say adds text to the open block.
func (b *blocks) say(text []byte) {
	if len(text) == 0 {
		return
	}
	b.silent = false
	if b.open == chat.ReasoningText {
		b.thinking = append(b.thinking, text...)
		if b.omitted {
			return
		}
	}
	b.to.delta(b.index, b.open, text)
}

// nothing are the arguments of a call that was broken off before they began: none would be those of a whole call.
const nothing = `""`

// last ends the last block of an output that has finished for a reason.
func (b *blocks) last(reason chat.FinishReason) {
	if b.open == chat.CallArguments && b.silent && reason == chat.FinishLength {
		b.say([]byte(nothing))
	}
	b.end()
}

// end ends the open block, if there is one.
func (b *blocks) end() {
	if b.open == 0 {
		return
	}
	signature := ""
	if b.open == chat.ReasoningText {
		signature = b.sealer.Seal(seal.Reasoning, string(b.thinking))
		b.thinking = b.thinking[:0]
	}
	b.to.end(b.index, signature)
	b.open = 0
	b.index++
}
