package chat

import (
	"strconv"
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

// FinishReason is why an answer ended, as OpenAI spells it.
type FinishReason string

// The reasons to finish. An answer with calls always finishes with FinishToolCalls, and no other does.
const (
	FinishStop      FinishReason = "stop"
	FinishLength    FinishReason = "length"
	FinishToolCalls FinishReason = "tool_calls"
)

// Delta is what a piece of an answer adds to the message: the "delta" of a chat.completion.chunk. Texts of the same place
// are to be joined in order.
type Delta struct {
	Role             string      `json:"role"` // in the first delta only
	Content          string      `json:"content"`
	ReasoningContent string      `json:"reasoning_content"`
	ToolCalls        []CallDelta `json:"tool_calls"`
}

// CallDelta adds to one tool call. ID and Name are whole, and come once, before any arguments; see StreamOptions for ids.
type CallDelta struct {
	Index     int // position of the call in the message
	ID        string
	Name      string
	Arguments string
}

// MarshalJSON writes what AppendJSON appends.
func (d Delta) MarshalJSON() ([]byte, error) { return d.AppendJSON(nil), nil }

// AppendJSON appends the JSON of the delta to b: members that are empty are left out. Bytes that are no UTF-8 become U+FFFD.
// It is what happens to every piece of an answer, and allocates only where b is too small.
func (d Delta) AppendJSON(b []byte) []byte {
	begin := len(b)
	b = appendMember(b, "role", d.Role)
	b = appendMember(b, "content", d.Content)
	b = appendMember(b, "reasoning_content", d.ReasoningContent)
	for i, call := range d.ToolCalls {
		if i == 0 {
			b = append(b, `,"tool_calls":[`...)
		} else {
			b = append(b, ',')
		}
		b = call.AppendJSON(b)
	}
	if len(d.ToolCalls) > 0 {
		b = append(b, ']')
	}
	return closed(b, begin)
}

// MarshalJSON writes what AppendJSON appends.
func (d CallDelta) MarshalJSON() ([]byte, error) { return d.AppendJSON(nil), nil }

// AppendJSON appends the JSON of the delta to b: the member "type" where the call is named, "arguments" wherever there is a
// function.
func (d CallDelta) AppendJSON(b []byte) []byte {
	begin := len(b)
	b = strconv.AppendInt(append(b, `,"index":`...), int64(d.Index), 10)
	b = appendMember(b, "id", d.ID)
	if d.Name == "" && d.Arguments == "" {
		return closed(b, begin)
	}
	if d.Name != "" {
		b = append(b, `,"type":"function"`...)
	}
	b = append(b, `,"function":`...)
	function := len(b)
	b = appendMember(b, "name", d.Name)
	b = appendText(append(b, `,"arguments":`...), d.Arguments)
	return closed(closed(b, function), begin)
}

// appendMember appends a comma and a member, unless its text is empty.
func appendMember(b []byte, name, text string) []byte {
	if text == "" {
		return b
	}
	b = append(append(append(b, `,"`...), name...), `":`...)
	return appendText(b, text)
}

func appendText(b []byte, text string) []byte {
	b, _ = jsontext.AppendQuote(b, text) // the error says that the text was no UTF-8, which was replaced
	return b
}

// closed makes an object of the members from begin on, before each of which there is a comma.
func closed(b []byte, begin int) []byte {
	if begin == len(b) {
		b = append(b, ',')
	}
	b[begin] = '{'
	return append(b, '}')
}

// Response is what all chunks of an answer have in common.
type Response struct {
	ID      string
	Created time.Time
	Model   string
}

// Usage counts the tokens of an answer.
type Usage struct {
	PromptTokens     int `json:"prompt_tokens"`
	CompletionTokens int `json:"completion_tokens"`
	TotalTokens      int `json:"total_tokens"`
}

// Envelope is a chat.completion or a chat.completion.chunk with one choice.
type Envelope[C any] struct {
	ID      string `json:"id"`
	Object  string `json:"object"`
	Created int64  `json:"created"` // Unix time in seconds
	Model   string `json:"model"`
	Choices []C    `json:"choices"`
	Usage   *Usage `json:"usage,omitempty"`
}

// ChunkChoice is the choice of a chunk. FinishReason is null until the last one.
type ChunkChoice struct {
	Index        int           `json:"index"`
	Delta        Delta         `json:"delta"`
	FinishReason *FinishReason `json:"finish_reason"`
}

// Choice is the choice of a whole answer.
type Choice struct {
	Index        int          `json:"index"`
	Message      Message      `json:"message"`
	FinishReason FinishReason `json:"finish_reason"`
}

// Chunk wraps a delta. The last chunk of an answer has an empty delta and the reason; all others an empty reason.
func (r Response) Chunk(delta Delta, reason FinishReason) Envelope[ChunkChoice] {
	choice := ChunkChoice{Delta: delta}
	if reason != "" {
		choice.FinishReason = &reason
	}
	return envelope(r, "chat.completion.chunk", choice)
}

// Completion wraps a whole answer.
func (r Response) Completion(message Message, reason FinishReason) Envelope[Choice] {
	return envelope(r, "chat.completion", Choice{Message: message, FinishReason: reason})
}

func envelope[C any](r Response, object string, choice C) Envelope[C] {
	return Envelope[C]{ID: r.ID, Object: object, Created: r.Created.Unix(), Model: r.Model, Choices: []C{choice}}
}
