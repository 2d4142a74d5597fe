package render

import (
	"bytes"
	"context"
	"slices"

	gojson "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/dragoman-project/dragoman/host"
	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/dragoman-project/dragoman/sdk/peg/match"
	"github.com/dragoman-project/dragoman/sdk/session"
	"github.com/dragoman-project/dragoman/sdk/tokenizer"
)

// output is what one model has written, on its way from ids to an answer. It belongs to one goroutine.
type output struct {
	tokens  *tokenizer.Tokenizer
	decoder *tokenizer.Decoder
	session *host.Session // that parses it; nil: all of it is content
	keep    map[tokenizer.ID]bool
	keepAll bool // also special tokens that the plan does not know
	count   int  // ids

	text    []byte
	special []match.Range
	pieces  []chat.Piece
}

// newOutput returns an output of a plan; without a plan, its text is the answer.
func newOutput(ctx context.Context, t *tokenizer.Tokenizer, plan *host.Planned, skipSpecial *bool, o session.Options) *output {
	out := &output{tokens: t, decoder: t.ContinueDecoder(), keepAll: skipSpecial != nil && !*skipSpecial}
	if plan == nil {
		return out
	}
	out.session = plan.Session(ctx, o)
	out.keep = map[tokenizer.ID]bool{}
	for _, known := range slices.Concat(plan.PreservedTokens, plan.Stops) {
		if id, ok := t.ID(known); ok {
			out.keep[id] = true
		}
	}
	return out
}

// decode turns ids into text, which is valid until the next call. Special tokens that say nothing to the plan are dropped, as engines
// drop them; the places of the others are kept.
func (o *output) decode(ids []tokenizer.ID) []byte {
	o.text, o.special = o.text[:0], o.special[:0]
	o.count += len(ids)
	for _, id := range ids {
		text, added := o.decoder.Append(o.text, id)
		o.text = text
		if added == 0 {
			continue
		}
		from := len(text) - added
		if info, _ := o.tokens.Token(id); info.Special && !o.keepAll && !o.keep[id] {
			o.text = text[:from]
			continue
		}
		o.special = append(o.special, match.Range{Start: from, End: len(text)})
	}
	return o.text
}

// take takes the next ids and returns what they decided, which is valid until the next call.
func (o *output) take(ids []tokenizer.ID) ([]chat.Piece, error) {
	return o.parse(o.decode(ids))
}

// parse returns what a text decided.
func (o *output) parse(text []byte) (pieces []chat.Piece, err error) {
	o.pieces = o.pieces[:0]
	switch {
	case o.session == nil && len(text) > 0:
		o.pieces = append(o.pieces, chat.Piece{Kind: chat.ContentText, Text: text})
	case o.session != nil && len(text) > 0:
		if o.special == nil {
			o.special = []match.Range{} // known to be none
		}
		o.pieces, err = o.session.Append(o.pieces, text, o.special)
	}
	return o.pieces, err
}

// finish ends the output. It returns what the end decided, and the reason, which is the engine's unless there are calls.
func (o *output) finish(reason string) (pieces []chat.Piece, _ string, err error) {
	o.text, o.special = o.decoder.Finish(o.text[:0]), o.special[:0]
	pieces, err = o.parse(o.text)
	if err != nil || o.session == nil {
		return pieces, reason, err
	}
	for i := range pieces {
		pieces[i].Text = bytes.Clone(pieces[i].Text) // what follows may overwrite it
	}
	pieces, result, err := o.session.AppendLast(pieces, reason != string(chat.FinishStop))
	if reason == string(chat.FinishStop) || reason == string(chat.FinishLength) {
		reason = string(result.FinishReason)
	}
	return pieces, reason, err
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
