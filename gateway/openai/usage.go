package openai

import "github.com/dragoman-project/dragoman/gateway"

// usage counts the tokens of an answer, as the engine has. Details that it does not count are left out.
type usage struct {
	PromptTokens      int                `json:"prompt_tokens"`
	CompletionTokens  int                `json:"completion_tokens"`
	TotalTokens       int                `json:"total_tokens"`
	PromptDetails     *promptDetails     `json:"prompt_tokens_details,omitempty"`
	CompletionDetails *completionDetails `json:"completion_tokens_details,omitempty"`
}

type promptDetails struct {
	CachedTokens int `json:"cached_tokens"`
}

type completionDetails struct {
	ReasoningTokens int `json:"reasoning_tokens"`
}

// count adds up the usage of all choices, whose prompt counts once; nil if an engine did not count.
func count(outputs []*gateway.Output) *usage {
	total := new(usage)
	for i, o := range outputs {
		u := o.Usage()
		if u == nil {
			return nil
		}
		if i == 0 {
			total.PromptTokens = u.Prompt
			if u.Cached != nil {
				total.PromptDetails = &promptDetails{*u.Cached}
			}
		}
		total.CompletionTokens += u.Completion
		if u.Reasoning != nil {
			if total.CompletionDetails == nil {
				total.CompletionDetails = new(completionDetails)
			}
			total.CompletionDetails.ReasoningTokens += *u.Reasoning
		}
	}
	total.TotalTokens = total.PromptTokens + total.CompletionTokens
	return total
}
