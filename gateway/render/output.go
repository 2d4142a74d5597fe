package render

import (
	"context"

	gojson "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/dragoman-project/dragoman/host"
	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/dragoman-project/dragoman/sdk/session"
	"github.com/dragoman-project/dragoman/sdk/tokenizer"
)

// output is what one model has written, on its way from ids to an answer. It belongs to one goroutine.
type output struct {
	tokens  *tokenizer.Tokenizer
	session *host.Session      // that parses it; nil: all of it is content
	decoder *tokenizer.Decoder // without a session
	count   int                // ids

	text   []byte // without a session
	pieces []chat.Piece
}

// newOutput returns an output of a plan; without a plan, its text is the answer. skipSpecial is whether special tokens that say nothing to
// the plan are dropped, as engines drop them; nil: they are.
func newOutput(ctx context.Context, t *tokenizer.Tokenizer, plan *host.Planned, skipSpecial *bool) (_ *output, err error) {
	out, keep := &output{tokens: t}, skipSpecial != nil && !*skipSpecial
	if plan != nil {
		out.session, err = plan.TokenSession(ctx, t, session.Options{NoMessage: true, NoSpans: true, KeepSpecial: keep})
		return out, err
	}
	if out.decoder = t.ContinueDecoder(); !keep {
		out.decoder.SkipSpecial(nil)
	}
	return out, nil
}

// take takes the next ids and returns what they decided, which is valid until the next call.
func (o *output) take(ids []tokenizer.ID) (_ []chat.Piece, err error) {
	o.count += len(ids)
	o.pieces = o.pieces[:0]
	if o.session != nil {
		o.pieces, err = o.session.AppendIDs(o.pieces, ids...)
		return o.pieces, err
	}
	o.text = o.text[:0]
	for _, id := range ids {
		o.text, _ = o.decoder.Append(o.text, id)
	}
	return o.plain(), nil
}

// plain returns a text as content.
func (o *output) plain() []chat.Piece {
	if len(o.text) > 0 {
		o.pieces = append(o.pieces, chat.Piece{Kind: chat.ContentText, Text: o.text})
	}
	return o.pieces
}

// finish ends the output. It returns what the end decided, and the reason, which is the engine's unless there are calls.
func (o *output) finish(reason string) (pieces []chat.Piece, _ string, err error) {
	o.pieces = o.pieces[:0]
	if o.session == nil {
		o.text = o.decoder.Finish(o.text[:0])
		return o.plain(), reason, nil
	}
	pieces, result, err := o.session.AppendLast(o.pieces, reason != string(chat.FinishStop))
	if reason == string(chat.FinishStop) || reason == string(chat.FinishLength) {
		reason = string(result.FinishReason)
	}
	return pieces, reason, err
}

// reasoning returns how many ids were read as reasoning; nil if nothing parses the output.
func (o *output) reasoning() *int {
	if o.session == nil {
		return nil
	}
	n := o.session.Tokens().Reasoning
	return &n
}

func (o *output) close() {
	if o.session != nil {
		o.session.Close()
	}
}

// delta is what pieces add to a message.
type delta struct {
	Role      string      `json:"role,omitempty"`
	Content   *growing    `json:"content,omitzero"`
	Reasoning *growing    `json:"reasoning,omitzero"`
	Calls     []callDelta `json:"tool_calls,omitempty"`
}

type callDelta struct {
	ID       string   `json:"id,omitempty"`
	Type     string   `json:"type,omitempty"`
	Index    int      `json:"index"`
	Function function `json:"function"`
}

type function struct {
	Name      string  `json:"name,omitempty"`
	Arguments growing `json:"arguments"`
}

// growing is a text that pieces are appended to.
type growing []byte

// MarshalJSONTo writes the text.
func (g growing) MarshalJSONTo(e *jsontext.Encoder) error {
	return e.WriteToken(jsontext.String(string(g)))
}

// add adds pieces to a delta.
func (d *delta) add(pieces []chat.Piece) {
	for i := range pieces {
		switch p := &pieces[i]; p.Kind {
		case chat.ContentText:
			join(&d.Content, p.Text)
		case chat.ReasoningText:
			join(&d.Reasoning, p.Text)
		case chat.CallArguments:
			d.call(p)
		}
	}
}

func join(to **growing, text []byte) {
	if *to == nil {
		*to = new(growing)
	}
	**to = append(**to, text...)
}

// call adds a piece of a call.
func (d *delta) call(p *chat.Piece) {
	if n := len(d.Calls); n == 0 || d.Calls[n-1].Index != p.Call {
		d.Calls = append(d.Calls, callDelta{Index: p.Call})
	}
	c := &d.Calls[len(d.Calls)-1]
	if p.ID != "" {
		c.ID = p.ID
	}
	if p.Name != "" {
		c.Type, c.Function.Name = "function", p.Name
	}
	c.Function.Arguments = append(c.Function.Arguments, p.Text...)
}

// logprob is a token with its probability, in either of the shapes that engines send, and in that of an answer.
type logprob struct {
	ID      *tokenizer.ID `json:"token_id,omitzero"`
	Token   string        `json:"token"`
	Logprob float64       `json:"logprob"`
	Bytes   []int         `json:"bytes"`
	Top     []logprob     `json:"top_logprobs,omitzero"`
}

// tokenPrefix begins a token's name where an engine without texts sends probabilities.
const tokenPrefix = "token_id:"

// probabilities returns what an engine says of the ids of a choice, with the texts of the tokens; nil if it says nothing.
func probabilities(t *tokenizer.Tokenizer, place string, raw jsontext.Value) ([]logprob, error) {
	var in struct {
		Content []logprob `json:"content"`
	}
	if len(set(raw)) == 0 {
		return nil, nil
	}
	if err := read(place, raw, &in); err != nil {
		return nil, err
	}
	for i := range in.Content {
		if in.Content[i].Top == nil {
			in.Content[i].Top = []logprob{}
		}
		spell(t, &in.Content[i])
		for j := range in.Content[i].Top {
			spell(t, &in.Content[i].Top[j])
		}
	}
	return in.Content, nil
}

// spell gives a token its text.
func spell(t *tokenizer.Tokenizer, p *logprob) {
	var id tokenizer.ID
	switch {
	case p.ID != nil:
		id = *p.ID
	case len(p.Token) <= len(tokenPrefix) || p.Token[:len(tokenPrefix)] != tokenPrefix || gojson.Unmarshal([]byte(p.Token[len(tokenPrefix):]), &id) != nil:
		return // it has a text
	}
	info, _ := t.Token(id)
	p.ID, p.Token, p.Bytes = nil, string([]rune(string(info.Text))), make([]int, len(info.Text))
	for i, b := range info.Text {
		p.Bytes[i] = int(b)
	}
}
