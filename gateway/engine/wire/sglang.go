package wire

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"

	"github.com/dragoman-project/dragoman/gateway/engine"
	"github.com/dragoman-project/dragoman/sdk/fault"
	"github.com/dragoman-project/dragoman/sdk/grammar"
)

// sglang is SGLang, by /generate. Its events repeat the whole text so far, unless the server has --incremental-streaming-output. It
// keeps special tokens and stops in the text if asked, and adds what its tokenizer adds to texts, which it is asked.
type sglang struct {
	*server
	adds  bool // the token that begins a text
	delta bool // events have what is new alone
	ends  bool // reasoning, at a budget

	images bool // the model takes them
}

// findSGLang recognises an SGLang.
func findSGLang(ctx context.Context, s *server) (engine.Engine, error) {
	var info struct {
		States      json.RawMessage `json:"internal_states"`
		Incremental bool            `json:"incremental_streaming_output"`
		Strict      bool            `json:"enable_strict_thinking"`
	}
	var model struct {
		Images bool `json:"has_image_understanding"`
	}
	if err := s.get(ctx, "/server_info", &info); err != nil {
		return nil, err
	}
	if info.States == nil {
		return nil, errors.New("its /server_info is not SGLang's")
	}
	for _, path := range []string{"/model_info", "/get_model_info"} { // its new name and its old one, if it has any
		if err := s.get(ctx, path, &model); err == nil {
			break
		} else if fault.CodeOf(err) == fault.Unavailable {
			return nil, err
		}
	}
	e := &sglang{server: s, images: model.Images, delta: info.Incremental, ends: info.Strict}
	var with, without struct {
		Count int `json:"count"`
	}
	for special, to := range map[bool]any{true: &with, false: &without} {
		if err := s.ask(ctx, http.MethodPost, "/v1/tokenize", body{"prompt": "a", "add_special_tokens": special}, to); err != nil {
			return nil, err
		}
	}
	e.adds = with.Count > without.Count
	return e, nil
}

var sglangParameters = named([]string{engine.Temperature, engine.TopP, engine.TopK, engine.MinP, engine.FrequencyPenalty, engine.PresencePenalty,
	engine.RepetitionPenalty, engine.IgnoreEOS}, engine.MaxTokens, "max_new_tokens", engine.MinTokens, "min_new_tokens", engine.Seed, "sampling_seed")

// Describe implements engine.Engine.
func (e *sglang) Describe() engine.Description {
	media := map[string]bool{}
	if e.images {
		media["image"] = false
	}
	return engine.Description{Kind: "sglang", Media: media, Target: grammar.TargetStructuralTag, Parameters: sglangParameters, TellsStops: true, Logprobs: true, Thinking: e.ends}
}

// Models implements engine.Engine.
func (e *sglang) Models(ctx context.Context) ([]engine.Model, error) { return e.listed(ctx) }

// Complete implements engine.Engine. The default of max_new_tokens is 128, so it is sent as null.
func (e *sglang) Complete(ctx context.Context, r *engine.Request) (engine.Stream, error) {
	sampling := body{"max_new_tokens": nil, "stop": list(r.Stops), "no_stop_trim": true, "skip_special_tokens": false, "spaces_between_special_tokens": false}.
		parameters(r, sglangParameters)
	if r.Constraint != nil {
		sampling["structural_tag"] = r.Constraint.Content
	}
	b := body{"text": r.Prompt, "sampling_params": sampling, "stream": true}
	var images []string
	for _, m := range r.Media {
		images = append(images, "data:"+m.Type+";base64,"+m.Data)
	}
	if images != nil {
		b["image_data"] = images
	}
	if r.Logprobs != nil {
		b["return_logprob"], b["return_text_in_logprobs"], b["top_logprobs_num"] = true, true, *r.Logprobs
	}
	if r.Thinking != nil {
		b["max_thinking_tokens"] = r.Thinking.Budget
	}
	if e.adds {
		b["text"] = withoutBOS(r)
	}
	return e.complete(ctx, "/generate", b, &sglangReader{delta: e.delta})
}

// sglangReader reads the events of /generate.
type sglangReader struct {
	delta bool
	sent  string // the text of earlier events
	told  int    // their tokens with log probabilities
}

func (s *sglangReader) read(event []byte) (p engine.Piece, ok bool, err error) {
	var in struct {
		failure
		Text string `json:"text"`
		Meta struct {
			Finish *struct {
				Type    string `json:"type"`
				Message string `json:"message"`
				Status  int    `json:"status_code"`
			} `json:"finish_reason"`
			Prompt     int  `json:"prompt_tokens"`
			Completion int  `json:"completion_tokens"`
			Cached     *int `json:"cached_tokens"`
			Reasoning  *int `json:"reasoning_tokens"`
			sglangProbs
		} `json:"meta_info"`
	}
	text, err := decode(event, &in)
	if err == nil {
		err = in.fault(event)
	}
	if err != nil {
		return p, false, err
	}
	finish := in.Meta.Finish
	if finish != nil && finish.Type == "abort" {
		return p, false, refusal(max(finish.Status, http.StatusBadRequest), []byte(`{"message":`+quoted(finish.Message)+`}`))
	}
	more := in.Text
	if !s.delta {
		if finish == nil {
			in.Text = strings.TrimRight(in.Text, "\uFFFD") // the half of a character, which the next event completes
		}
		var extends bool
		if more, extends = strings.CutPrefix(in.Text, s.sent); !extends {
			return p, false, &fault.Error{Code: fault.Unavailable, Message: "the engine changed text that it had sent", Remedy: "try again"}
		}
		s.sent = in.Text
	}
	p = engine.Piece{Text: text(more), Tokens: s.tokens(in.Meta.sglangProbs), Usage: &engine.Usage{Prompt: in.Meta.Prompt, Completion: in.Meta.Completion, Cached: in.Meta.Cached, Reasoning: in.Meta.Reasoning}}
	if finish != nil {
		p.Finish = engine.Stopped
		if finish.Type == "length" {
			p.Finish = engine.Limited
		}
	}
	return p, true, nil
}

func (s *sglangReader) end() (engine.Piece, bool) { return engine.Piece{}, false }

// quoted returns a text as JSON.
func quoted(s string) string {
	b, _ := json.Marshal(s) // a string always can be
	return string(b)
}
