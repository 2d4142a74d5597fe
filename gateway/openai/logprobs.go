package openai

import (
	"encoding/json"
	"strings"

	"github.com/dragoman-project/dragoman/gateway/engine"
	"github.com/dragoman-project/dragoman/sdk/chat"
)

// logprobs are the log probabilities of a choice.
type logprobs struct {
	Content []token `json:"content"`
}

// token is a token of the content.
type token struct {
	Token   string   `json:"token"`
	Logprob float64  `json:"logprob"`
	Bytes   []int    `json:"bytes"`
	Top     *[]token `json:"top_logprobs,omitempty"`
}

// likely returns the log probabilities of tokens.
func likely(all []engine.Token) *logprobs {
	out := &logprobs{Content: []token{}}
	for _, t := range all {
		one, top := tokenOf(t), []token{}
		for _, other := range t.Top {
			top = append(top, tokenOf(other))
		}
		one.Top = &top
		out.Content = append(out.Content, one)
	}
	return out
}

func tokenOf(t engine.Token) token {
	out := token{Token: strings.ToValidUTF8(string(t.Text), "\uFFFD"), Logprob: t.Logprob, Bytes: []int{}}
	for _, b := range t.Text {
		out.Bytes = append(out.Bytes, int(b))
	}
	return out
}

// appendLogprobs appends the event with the log probabilities of the content that was sent last, if there are any.
func (c *completion) appendLogprobs(b []byte, i int) ([]byte, error) {
	all := c.Outputs[i].Logprobs()
	if len(all) == 0 {
		return b, nil
	}
	event := chat.Envelope[likelyChoice]{ID: c.ID, Object: "chat.completion.chunk", Created: c.Created.Unix(), Model: c.Model,
		Choices: []likelyChoice{{Index: i, Logprobs: likely(all)}}}
	text, err := json.Marshal(event)
	return append(append(append(b, "data: "...), text...), "\n\n"...), err
}

// likelyChoice is a choice in an event with log probabilities alone.
type likelyChoice struct {
	Index        int       `json:"index"`
	Delta        struct{}  `json:"delta"`
	Logprobs     *logprobs `json:"logprobs"`
	FinishReason *string   `json:"finish_reason"`
}
