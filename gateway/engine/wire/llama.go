package wire

import (
	"cmp"
	"context"
	"errors"
	"net/http"

	"github.com/dragoman-project/dragoman/gateway/engine"
	"github.com/dragoman-project/dragoman/sdk/grammar"
)

// llamaServer is llama.cpp's llama-server, by /completion. It parses special tokens in prompts, and drops those from the text that are
// not preserved. It adds the token that begins a text if the model's file says so, which it is asked.
type llamaServer struct {
	*server
	adds  bool            // the token that begins a text
	media map[string]bool // that the model takes
}

// llamaProps is the answer of /props.
type llamaProps struct {
	Template string `json:"chat_template"`
	BOS      string `json:"bos_token"`
	EOS      string `json:"eos_token"`
	Build    string `json:"build_info"`
	// Marker stands for media in prompts. It is another one after each start.
	Marker     string `json:"media_marker"`
	Modalities struct {
		Vision bool `json:"vision"`
		Audio  bool `json:"audio"`
	} `json:"modalities"`
}

// findLlamaServer recognises a llama-server.
func findLlamaServer(ctx context.Context, s *server) (engine.Engine, error) {
	var props llamaProps
	if err := s.get(ctx, "/props", &props); err != nil {
		return nil, err
	}
	if props.Build == "" && props.Template == "" {
		return nil, errors.New("its /props are not llama-server's")
	}
	e := &llamaServer{server: s, media: map[string]bool{}}
	for kind, takes := range map[string]bool{"image": props.Modalities.Vision, "audio": props.Modalities.Audio} {
		if takes {
			e.media[kind] = true
		}
	}
	var with, without struct {
		Tokens []any `json:"tokens"`
	}
	if err := s.ask(ctx, http.MethodPost, "/tokenize", body{"content": "a", "add_special": true}, &with); err != nil {
		return nil, err
	}
	if err := s.ask(ctx, http.MethodPost, "/tokenize", body{"content": "a", "add_special": false}, &without); err != nil {
		return nil, err
	}
	e.adds = len(with.Tokens) > len(without.Tokens)
	return e, nil
}

var llamaParameters = named([]string{engine.Temperature, engine.TopP, engine.TopK, engine.MinP, engine.FrequencyPenalty, engine.PresencePenalty,
	engine.Seed, engine.LogitBias, engine.IgnoreEOS}, engine.MaxTokens, "n_predict", engine.RepetitionPenalty, "repeat_penalty")

// Describe implements engine.Engine.
func (e *llamaServer) Describe() engine.Description {
	return engine.Description{Kind: "llama-server", Target: grammar.TargetGBNF, Parameters: llamaParameters, TellsStops: true, Media: e.media, Thinking: true, Logprobs: true}
}

// Models implements engine.Engine.
func (e *llamaServer) Models(ctx context.Context) (out []engine.Model, err error) {
	var listed models
	if err = e.get(ctx, "/v1/models", &listed); err != nil {
		return nil, err
	}
	var props llamaProps
	if err = e.get(ctx, "/props", &props); err != nil {
		return nil, err
	}
	for _, m := range listed.Data {
		out = append(out, engine.Model{Name: m.ID, Template: props.Template, BOSToken: props.BOS, EOSToken: props.EOS})
	}
	return out, nil
}

// llamaTriggers are the numbers of the types of triggers.
var llamaTriggers = map[grammar.TriggerType]int{grammar.TriggerWord: 1, grammar.TriggerPattern: 2, grammar.TriggerFull: 3}

// Complete implements engine.Engine.
func (e *llamaServer) Complete(ctx context.Context, r *engine.Request) (engine.Stream, error) {
	b := body{"prompt": r.Prompt, "stream": true, "cache_prompt": true, "stop": list(r.Stops), "preserved_tokens": list(r.Preserved)}.
		parameters(r, llamaParameters)
	if e.adds {
		b["prompt"] = withoutBOS(r)
	}
	if len(r.Media) > 0 {
		var props llamaProps
		if err := e.get(ctx, "/props", &props); err != nil {
			return nil, err
		}
		text, data := marked(b["prompt"].(string), r.Media, func(int) string { return cmp.Or(props.Marker, "<__media__>") }) // as servers had it that do not tell
		b["prompt"] = body{"prompt_string": text, "multimodal_data": data}
	}
	if k := r.Constraint; k != nil {
		b["grammar"], b["grammar_lazy"] = k.Grammar, k.Lazy
		triggers := []body{}
		for _, t := range k.Triggers {
			triggers = append(triggers, body{"type": llamaTriggers[t.Type], "value": t.Value})
		}
		b["grammar_triggers"] = triggers
	}
	if r.Logprobs != nil {
		b["n_probs"] = max(*r.Logprobs, 1) // of none it tells nothing
	}
	if t := r.Thinking; t != nil {
		b["reasoning_budget_tokens"], b["reasoning_budget_start_tag"], b["reasoning_budget_end_tag"], b["reasoning_budget_end_tags"] = t.Budget, t.Start, t.Ends[0], t.Ends
		if t.Open {
			b["generation_prompt"] = t.Start
		}
	}
	return e.complete(ctx, "/completion", b, llamaReader{r.Logprobs})
}

// llamaReader reads the events of /completion.
type llamaReader struct{ top *int }

func (l llamaReader) read(event []byte) (p engine.Piece, ok bool, err error) {
	var in struct {
		failure
		Content    string      `json:"content"`
		Stop       bool        `json:"stop"`
		StopType   string      `json:"stop_type"`
		StopWord   string      `json:"stopping_word"`
		Truncated  bool        `json:"truncated"`
		Predicted  int         `json:"tokens_predicted"`
		Evaluated  int         `json:"tokens_evaluated"`
		Probs      []toldToken `json:"completion_probabilities"`
		CacheNotes struct {
			Cached *int `json:"cache_n"`
		} `json:"timings"`
	}
	text, err := decode(event, &in)
	if err == nil {
		err = in.fault(event)
	}
	if err != nil {
		return p, false, err
	}
	p.Text, p.Tokens = text(in.Content), toldTokens(in.Probs, l.top)
	if in.Evaluated > 0 {
		p.Usage = &engine.Usage{Prompt: in.Evaluated, Completion: in.Predicted, Cached: in.CacheNotes.Cached}
	}
	if in.Stop {
		p.Finish = engine.Stopped
		if in.StopType == "limit" {
			p.Finish, p.Full = engine.Limited, in.Truncated
		}
		p.Stop = in.StopWord
	}
	return p, true, nil
}

func (llamaReader) end() (engine.Piece, bool) { return engine.Piece{}, false }
