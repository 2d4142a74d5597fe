package responses

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/dragoman-project/dragoman/gateway/responses/request"
	"github.com/dragoman-project/dragoman/sdk/chat"
)

// kind is a kind of item of an output, and its words.
type kind struct {
	prefix      string // of ids
	delta, done string // the events of its text
	more        string // members of every delta
	part        string // the type of its only part; empty: it has none
}

var (
	reasoning = &kind{"rs_", "response.reasoning_text.delta", "response.reasoning_text.done", "", "reasoning_text"}
	message   = &kind{"msg_", "response.output_text.delta", "response.output_text.done", `,"logprobs":[]`, "output_text"}
	function  = &kind{"fc_", "response.function_call_arguments.delta", "response.function_call_arguments.done", "", ""}
	custom    = &kind{"ctc_", "response.custom_tool_call_input.delta", "response.custom_tool_call_input.done", "", ""}
)

// The statuses of items and responses.
const (
	inProgress = "in_progress"
	completed  = "completed"
	incomplete = "incomplete"
	failed     = "failed"
)

// items makes the items of an output from its pieces, and the events about them: an item is written once, and is the same in the
// events as in the response.
//
//	piece ─add→ the open item … ─end→ done      one item is open at a time; another kind of piece, or the next call, ends it
type items struct {
	request  *request.Request
	seal     func(text string) string // nil: sealed reasoning is not asked for
	response string                   // its id without the prefix
	out      *encoder                 // nil: not a stream
	done     []any
	open     *open
	blank    []byte // white space before a message that may not come
}

// open is the item that is being written.
type open struct {
	*kind
	id        string
	where     []byte // the members of events that say which item it is
	text      []byte
	callID    string
	tool      request.Tool
	arguments []byte   // of a custom tool's function
	free      freeText // reads them
}

// The items and their parts on the wire.
type (
	reasoningItem struct {
		ID        string `json:"id"`
		Type      string `json:"type"`
		Status    string `json:"status"`
		Summary   []part `json:"summary"`
		Content   []part `json:"content"`
		Encrypted string `json:"encrypted_content,omitempty"`
	}
	messageItem struct {
		ID      string `json:"id"`
		Type    string `json:"type"`
		Status  string `json:"status"`
		Role    string `json:"role"`
		Content []part `json:"content"`
	}
	callItem struct {
		ID        string  `json:"id"`
		Type      string  `json:"type"`
		Status    string  `json:"status"`
		CallID    string  `json:"call_id"`
		Namespace string  `json:"namespace,omitempty"`
		Name      string  `json:"name"`
		Arguments *string `json:"arguments,omitempty"`
		Input     *string `json:"input,omitempty"`
	}
	part struct {
		Type        string `json:"type"`
		Text        string `json:"text"`
		Annotations *[]any `json:"annotations,omitempty"`
		Logprobs    *[]any `json:"logprobs,omitempty"`
	}
)

// The members of events.
type (
	itemEvent struct {
		Index int `json:"output_index"`
		Item  any `json:"item"`
	}
	textEvent struct {
		ID        string  `json:"item_id"`
		Index     int     `json:"output_index"`
		Part      *int    `json:"content_index,omitempty"`
		Name      string  `json:"name,omitempty"`
		Text      *string `json:"text,omitempty"`
		Arguments *string `json:"arguments,omitempty"`
		Input     *string `json:"input,omitempty"`
		Logprobs  *[]any  `json:"logprobs,omitempty"`
		Content   *part   `json:"part,omitempty"`
	}
)

// add adds what a piece of the engine decided.
func (s *items) add(p *chat.Piece) {
	switch p.Kind {
	case chat.ReasoningText:
		s.prose(reasoning, p.Text)
	case chat.ContentText:
		if !s.isOpen(message) && len(bytes.TrimSpace(p.Text)) == 0 {
			s.blank = append(s.blank, p.Text...)
			return
		}
		if !s.isOpen(message) && len(s.blank) > 0 {
			s.prose(message, s.blank)
		}
		s.prose(message, p.Text)
	case chat.CallArguments:
		if p.Name != "" {
			s.call(p.ID, p.Name)
		}
		s.argue(p.Text)
	}
}

func (s *items) isOpen(k *kind) bool { return s.open != nil && s.open.kind == k }

// prose adds a text to the open item of a kind, or begins one.
func (s *items) prose(k *kind, text []byte) {
	if !s.isOpen(k) {
		s.begin(&open{kind: k})
		s.out.add("response.content_part.added", s.partEvent(""))
	}
	s.say(text)
}

// call begins a call.
func (s *items) call(id, name string) {
	o := &open{kind: function, callID: id, tool: s.request.Tool(name)}
	if o.tool.Custom {
		o.kind = custom
	}
	s.begin(o)
}

// argue adds to the arguments of the open call.
func (s *items) argue(text []byte) {
	if o := s.open; o.kind == custom {
		o.arguments = append(o.arguments, text...)
		s.say(o.free.read(text))
		return
	}
	s.say(text)
}

// say adds to the text of the open item.
func (s *items) say(text []byte) {
	s.open.text = append(s.open.text, text...)
	s.out.delta(s.open.delta, s.open.where, text, s.open.more)
}

// begin begins an item.
func (s *items) begin(o *open) {
	s.end(false)
	s.blank = s.blank[:0:0]
	s.open = o
	o.id = itemID(o.prefix, s.response, len(s.done))
	o.where = fmt.Appendf(nil, `,"item_id":%q,"output_index":%d`, o.id, len(s.done))
	if o.part != "" {
		o.where = append(o.where, `,"content_index":0`...)
	}
	s.out.add("response.output_item.added", itemEvent{len(s.done), s.item(inProgress)})
}

// itemID returns the id of the nth item of a response.
func itemID(prefix, response string, n int) string {
	return fmt.Sprintf("%s%s_%d", prefix, response, n)
}

// end ends the open item, if any. With cut, the output ends within it. A broken-off input of a custom tool looks like a whole
// one, so that its end is never announced: the response alone has it, as incomplete.
func (s *items) end(cut bool) {
	o := s.open
	if o == nil {
		return
	}
	if o.kind == custom {
		s.say(o.free.rest())
	}
	status := s.status(cut)
	text := string(o.text)
	whole := s.item(status)
	e := textEvent{ID: o.id, Index: len(s.done)}
	switch {
	case o.part != "":
		e.Part, e.Text = new(int), &text
		if o.kind == message {
			e.Logprobs = &[]any{}
		}
	case o.kind == function:
		e.Name, e.Arguments = o.tool.Name, &text
	default:
		e.Input = &text
	}
	if o.kind != custom || status == completed {
		s.out.add(o.kind.done, e)
		if o.part != "" {
			s.out.add("response.content_part.done", s.partEvent(text))
		}
		s.out.add("response.output_item.done", itemEvent{len(s.done), whole})
	}
	s.done, s.open = append(s.done, whole), nil
}

// status returns how the open item ends. A call is whole if its arguments are.
func (s *items) status(cut bool) string {
	o := s.open
	whole := !cut
	switch o.kind {
	case function:
		whole = json.Valid(o.text)
	case custom:
		whole = json.Valid(o.arguments)
	}
	if whole {
		return completed
	}
	return incomplete
}

func (s *items) partEvent(text string) textEvent {
	p := s.open.content(text)
	return textEvent{ID: s.open.id, Index: len(s.done), Part: new(int), Content: &p}
}

// content returns the part of an item with a text.
func (o *open) content(text string) part {
	p := part{Type: o.part, Text: text}
	if o.kind == message {
		p.Annotations, p.Logprobs = &[]any{}, &[]any{}
	}
	return p
}

// item returns the open item; it has no text while it is in progress.
func (s *items) item(status string) any {
	o := s.open
	text, parts := string(o.text), []part{}
	if status != inProgress && o.part != "" {
		parts = append(parts, o.content(text))
	}
	switch o.kind {
	case reasoning:
		item := reasoningItem{ID: o.id, Type: "reasoning", Status: status, Summary: []part{}, Content: parts}
		if s.seal != nil && status != inProgress {
			item.Encrypted = s.seal(text)
		}
		return item
	case message:
		return messageItem{ID: o.id, Type: "message", Status: status, Role: chat.RoleAssistant, Content: parts}
	}
	call := callItem{ID: o.id, Type: "function_call", Status: status, CallID: o.callID, Namespace: o.tool.Namespace, Name: o.tool.Name}
	if o.kind == custom {
		call.Type, call.Input = "custom_tool_call", &text
	} else {
		call.Arguments = &text
	}
	return call
}
