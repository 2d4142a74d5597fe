package chat

import "time"

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
	Role             string      `json:"role,omitempty"` // in the first delta only
	Content          string      `json:"content,omitempty"`
	ReasoningContent string      `json:"reasoning_content,omitempty"`
	ToolCalls        []CallDelta `json:"tool_calls,omitempty"`
}

// CallDelta adds to one tool call. ID and Name are whole, and come once, before any arguments; see StreamOptions for ids.
type CallDelta struct {
	Index     int // position of the call in the message
	ID        string
	Name      string
	Arguments string
}

// MarshalJSON writes the member "type" where the call is named, and "arguments" wherever there is a function.
func (d CallDelta) MarshalJSON() ([]byte, error) { return marshal(d.write) }

func (d CallDelta) write(w *writer) {
	w.open('{')
	w.member("index").integer(d.Index)
	w.optional("id", d.ID)
	if d.Name != "" {
		w.member("type").text("function")
	}
	if d.Name != "" || d.Arguments != "" {
		w.member("function").open('{')
		w.optional("name", d.Name)
		w.member("arguments").text(d.Arguments)
		w.close('}')
	}
	w.close('}')
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
