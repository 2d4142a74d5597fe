package wire

import (
	"cmp"
	"encoding/json"
	"slices"

	"github.com/dragoman-project/dragoman/gateway/engine"
)

// toldToken is a token with its log probability, as llama-server and Ollama tell it.
type toldToken struct {
	Token   string      `json:"token"`
	Bytes   []int       `json:"bytes"`
	Logprob float64     `json:"logprob"`
	Top     []toldToken `json:"top_logprobs"`
}

// toldTokens returns tokens with the top most likely ones; nil: none were asked for.
func toldTokens(all []toldToken, top *int) (out []engine.Token) {
	if top == nil {
		return nil
	}
	for _, t := range all {
		one := engine.Token{Text: []byte(t.Token), Logprob: t.Logprob}
		if t.Bytes != nil { // the text may be half a character
			one.Text = one.Text[:0]
			for _, b := range t.Bytes {
				one.Text = append(one.Text, byte(b))
			}
		}
		one.Top = toldTokens(t.Top[:min(*top, len(t.Top))], new(int))
		out = append(out, one)
	}
	return out
}

// completionProbs are the log probabilities of OpenAI's completions.
type completionProbs struct {
	Tokens   []string             `json:"tokens"`
	Logprobs []*float64           `json:"token_logprobs"`
	Top      []map[string]float64 `json:"top_logprobs"`
}

// tokens returns the tokens with the top most likely ones. The server adds the one that it chose.
func (c *completionProbs) tokens(top *int) (out []engine.Token) {
	if c == nil || top == nil || len(c.Tokens) != len(c.Logprobs) {
		return nil
	}
	for i, text := range c.Tokens {
		if c.Logprobs[i] == nil {
			return nil
		}
		t := engine.Token{Text: []byte(text), Logprob: *c.Logprobs[i]}
		if i < len(c.Top) {
			for text, p := range c.Top[i] {
				t.Top = append(t.Top, engine.Token{Text: []byte(text), Logprob: p})
			}
			slices.SortFunc(t.Top, func(a, b engine.Token) int {
				return cmp.Or(cmp.Compare(b.Logprob, a.Logprob), cmp.Compare(string(a.Text), string(b.Text)))
			})
			t.Top = t.Top[:min(*top, len(t.Top))]
		}
		out = append(out, t)
	}
	return out
}

// sglangProbs are SGLang's log probabilities, as [log probability, id, text]: of all tokens so far, or of new ones, as the text is.
type sglangProbs struct {
	Tokens []sglangToken   `json:"output_token_logprobs"`
	Top    [][]sglangToken `json:"output_top_logprobs"`
}

type sglangToken struct{ engine.Token }

// UnmarshalJSON implements json.Unmarshaler.
func (t *sglangToken) UnmarshalJSON(b []byte) error {
	var text string
	err := json.Unmarshal(b, &[3]any{&t.Logprob, new(json.Number), &text})
	t.Text = []byte(text)
	return err
}

// tokens returns the tokens that are new.
func (s *sglangReader) tokens(in sglangProbs) (out []engine.Token) {
	from := 0
	if !s.delta {
		from, s.told = min(s.told, len(in.Tokens)), len(in.Tokens)
	}
	for i, t := range in.Tokens[from:] {
		if from+i < len(in.Top) {
			for _, other := range in.Top[from+i] {
				t.Top = append(t.Top, other.Token)
			}
		}
		out = append(out, t.Token)
	}
	return out
}
