package wire

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/dragoman-project/dragoman/gateway/engine"
	"github.com/dragoman-project/dragoman/sdk/grammar"
)

// ollama is Ollama, by /api/generate with raw prompts. It adds the token that begins a text, and drops special tokens from the text. Of
// constraints it takes JSON Schema alone.
type ollama struct{ *server }

// findOllama recognises an Ollama.
func findOllama(ctx context.Context, s *server) (engine.Engine, error) {
	var v struct {
		Version string `json:"version"`
	}
	if err := s.get(ctx, "/api/version", &v); err != nil {
		return nil, err
	}
	if v.Version == "" {
		return nil, errors.New("its /api/version is not Ollama's")
	}
	return &ollama{s}, nil
}

var ollamaParameters = named([]string{engine.Temperature, engine.TopP, engine.TopK, engine.MinP, engine.FrequencyPenalty, engine.PresencePenalty, engine.Seed},
	engine.MaxTokens, "num_predict", engine.RepetitionPenalty, "repeat_penalty")

// Describe implements engine.Engine.
func (e *ollama) Describe() engine.Description {
	return engine.Description{Kind: "ollama", Target: grammar.TargetJSONSchema, Parameters: ollamaParameters, Media: map[string]bool{"image": true}, Logprobs: true}
}

// Models implements engine.Engine. What Ollama calls a template is one of Go's, unless the model came with another.
func (e *ollama) Models(ctx context.Context) (out []engine.Model, err error) {
	var tags struct {
		Models []struct {
			Name string `json:"name"`
		} `json:"models"`
	}
	if err = e.get(ctx, "/api/tags", &tags); err != nil {
		return nil, err
	}
	for _, m := range tags.Models {
		out = append(out, engine.Model{Name: m.Name, Known: strings.TrimSuffix(m.Name, ":latest")})
	}
	return out, nil
}

// Complete implements engine.Engine. By default Ollama cuts long prompts and outputs silently: truncate and shift.
func (e *ollama) Complete(ctx context.Context, r *engine.Request) (engine.Stream, error) {
	options := body{}.parameters(r, ollamaParameters).stops(r)
	b := body{"model": r.Model, "prompt": withoutBOS(r), "raw": true, "stream": true, "truncate": false, "shift": false, "options": options}
	if len(r.Media) > 0 {
		b["prompt"], b["images"] = marked(withoutBOS(r), r.Media, func(i int) string { return fmt.Sprintf("[img-%d]", i) })
	}
	if r.Constraint != nil {
		b["format"] = content(r)
	}
	if r.Logprobs != nil {
		b["logprobs"], b["top_logprobs"] = true, *r.Logprobs
	}
	return e.complete(ctx, "/api/generate", b, ollamaReader{r.Logprobs})
}

// ollamaReader reads the lines of /api/generate.
type ollamaReader struct{ top *int }

func (o ollamaReader) read(event []byte) (p engine.Piece, ok bool, err error) {
	var in struct {
		failure
		Response   string      `json:"response"`
		Done       bool        `json:"done"`
		Probs      []toldToken `json:"logprobs"`
		Reason     string      `json:"done_reason"`
		Prompt     int         `json:"prompt_eval_count"`
		Completion int         `json:"eval_count"`
	}
	text, err := decode(event, &in)
	if err == nil {
		err = in.fault(event)
	}
	if err != nil {
		return p, false, err
	}
	p.Text, p.Tokens = text(in.Response), toldTokens(in.Probs, o.top)
	if in.Done {
		p.Finish = engine.Stopped
		if in.Reason == "length" {
			p.Finish = engine.Limited
		}
		p.Usage = &engine.Usage{Prompt: in.Prompt, Completion: in.Completion}
	}
	return p, true, nil
}

func (ollamaReader) end() (engine.Piece, bool) { return engine.Piece{}, false }
