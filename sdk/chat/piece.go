package chat

import (
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
)

// Piece is a Delta in a form that needs no allocations: what an engine's chunk adds to the message.
type Piece struct {
	// Kind is the part of the message: ContentText, ReasoningText or CallArguments; 0 for the first piece of an answer, which has
	// the role alone.
	Kind EventKind
	// Call is the position of the call in the message, of CallArguments.
	Call int
	// ID and Name are those of the call, in the piece that announces it. An ID without a Name completes an earlier piece.
	ID, Name string
	// Text is what is appended to the part. It is valid UTF-8, and belongs to the session: the next call may overwrite it.
	Text []byte
	// From and To delimit the bytes of the output that the piece was read from, To exclusive, so that the tokens can be found that
	// belong to it. White space and markers around a text may be within, so that pieces do not overlap. Both count from the
	// beginning of the output, and are 0 in what the prompt decided.
	From, To int
	// FirstID and EndID delimit the token ids that the piece came from, EndID exclusive, counted from the first of the output, so that
	// their probabilities can be put beside it. Both are 0 unless the output came as ids.
	FirstID, EndID int
}

// Delta returns the piece as a delta, with copies of its text.
func (p *Piece) Delta() Delta {
	switch p.Kind {
	case 0:
		return Delta{Role: RoleAssistant}
	case ContentText:
		return Delta{Content: string(p.Text)}
	case ReasoningText:
		return Delta{ReasoningContent: string(p.Text)}
	}
	return Delta{ToolCalls: []CallDelta{{Index: p.Call, ID: p.ID, Name: p.Name, Arguments: string(p.Text)}}}
}

// AppendJSON appends the JSON of the delta to b, as Delta.AppendJSON does, and returns the extended buffer. It allocates only if b
// is too small.
func (p *Piece) AppendJSON(b []byte) []byte {
	begin := len(b)
	switch p.Kind {
	case 0:
		b = appendMember(b, "role", RoleAssistant)
	case ContentText:
		b = appendMember(b, "content", p.Text)
	case ReasoningText:
		b = appendMember(b, "reasoning_content", p.Text)
	default:
		b = append(b, `,"tool_calls":[`...)
		b = append(appendCall(b, p.Call, p.ID, p.Name, p.Text), ']')
	}
	return closed(b, begin)
}

// appendCall appends the JSON of what a delta adds to one call.
func appendCall[T text](b []byte, index int, id, name string, arguments T) []byte {
	begin := len(b)
	b = strconv.AppendInt(append(b, `,"index":`...), int64(index), 10)
	b = appendMember(b, "id", id)
	if name == "" && len(arguments) == 0 {
		return closed(b, begin)
	}
	if name != "" {
		b = append(b, `,"type":"function"`...)
	}
	b = append(b, `,"function":`...)
	function := len(b)
	b = appendMember(b, "name", name)
	b = appendText(append(b, `,"arguments":`...), arguments)
	return closed(closed(b, function), begin)
}

type text interface{ ~string | ~[]byte }

// appendMember appends a comma and a member, unless its text is empty.
func appendMember[T text](b []byte, name string, value T) []byte {
	if len(value) == 0 {
		return b
	}
	b = append(append(append(b, `,"`...), name...), `":`...)
	return appendText(b, value)
}

func appendText[T text](b []byte, value T) []byte {
	b, _ = jsontext.AppendQuote(b, value) // an error reports replaced bytes
	return b
}

// closed turns the members from begin on, each with a comma before it, into an object.
func closed(b []byte, begin int) []byte {
	if begin == len(b) {
		b = append(b, ',')
	}
	b[begin] = '{'
	return append(b, '}')
}

// Deltas returns pieces as deltas; nil if there are none.
func Deltas(pieces []Piece) []Delta {
	if len(pieces) == 0 {
		return nil
	}
	deltas := make([]Delta, len(pieces))
	for i := range pieces {
		deltas[i] = pieces[i].Delta()
	}
	return deltas
}
