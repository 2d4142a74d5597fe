package chat

import "time"

// FinishReason is why an answer ended, as OpenAI spells it.
type FinishReason string

// The reasons to finish. An answer with calls finishes with FinishToolCalls unless it is cut off, and no other does.
const (
	FinishStop      FinishReason = "stop"
	FinishLength    FinishReason = "length"
	FinishToolCalls FinishReason = "tool_calls"
)

// Delta is what a piece of an answer adds to the message: the "delta" of a chat.completion.chunk. Clients append its texts to
// those received before.
type Delta struct {
	Role             string      `json:"role"` // in the first delta only
	Content          string      `json:"content"`
	ReasoningContent string      `json:"reasoning_content"`
	ToolCalls        []CallDelta `json:"tool_calls"`
}

// CallDelta is what a delta adds to one tool call. ID and Name are complete, and sent once, before any arguments; see
// StreamOptions for ids.
type CallDelta struct {
	Index     int // position of the call in the message
	ID        string
	Name      string
	Arguments string
}

// MarshalJSON returns what AppendJSON appends.
func (d Delta) MarshalJSON() ([]byte, error) { return d.AppendJSON(nil), nil }

// AppendJSON appends the JSON of the delta to b and returns the extended buffer. It omits empty members, and replaces invalid
// UTF-8 by U+FFFD. It is called for every piece of an answer, and allocates only if b is too small.
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

// MarshalJSON returns what AppendJSON appends.
func (d CallDelta) MarshalJSON() ([]byte, error) { return d.AppendJSON(nil), nil }

// AppendJSON appends the JSON of the delta to b and returns the extended buffer. "type" is written with the name of the
// function, "arguments" with every "function".
func (d CallDelta) AppendJSON(b []byte) []byte {
	return appendCall(b, d.Index, d.ID, d.Name, d.Arguments)
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

// ChunkChoice is the choice of a chunk. FinishReason is null in all chunks but the last.
type ChunkChoice struct {
	Index        int           `json:"index"`
	Delta        Delta         `json:"delta"`
	FinishReason *FinishReason `json:"finish_reason"`
}

// Choice is the choice of a complete answer.
type Choice struct {
	Index        int          `json:"index"`
	Message      Message      `json:"message"`
	FinishReason FinishReason `json:"finish_reason"`
}

// Chunk wraps a delta. The last chunk of an answer has an empty delta and a reason, all others have no reason.
func (r Response) Chunk(delta Delta, reason FinishReason) Envelope[ChunkChoice] {
	choice := ChunkChoice{Delta: delta}
	if reason != "" {
		choice.FinishReason = &reason
	}
	return envelope(r, "chat.completion.chunk", choice)
}

// Completion wraps a complete answer.
func (r Response) Completion(message Message, reason FinishReason) Envelope[Choice] {
	return envelope(r, "chat.completion", Choice{Message: message, FinishReason: reason})
}

func envelope[C any](r Response, object string, choice C) Envelope[C] {
	return Envelope[C]{ID: r.ID, Object: object, Created: r.Created.Unix(), Model: r.Model, Choices: []C{choice}}
}
