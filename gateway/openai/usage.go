package openai

import "github.com/dragoman-project/dragoman/gateway/engine"

// usage counts the tokens of an answer. Details that are not known are left out.
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

// usageOf returns the usage in the words of OpenAI; nil if nothing was counted.
func usageOf(u *engine.Usage) *usage {
	if u == nil {
		return nil
	}
	all := &usage{PromptTokens: u.Prompt, CompletionTokens: u.Completion, TotalTokens: u.Prompt + u.Completion}
	if u.Cached != nil {
		all.PromptDetails = &promptDetails{*u.Cached}
	}
	if u.Reasoning != nil {
		all.CompletionDetails = &completionDetails{*u.Reasoning}
	}
	return all
}
