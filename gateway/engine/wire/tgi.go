package wire

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"

	"github.com/dragoman-project/dragoman/gateway/engine"
	"github.com/dragoman-project/dragoman/sdk/grammar"
	"github.com/dragoman-project/dragoman/sdk/peg/match"
)

// tgi is Hugging Face's Text Generation Inference, by /generate_stream. It adds the token that begins a text, and says of each token
// whether it is special. Of constraints it takes JSON Schema alone.
type tgi struct {
	*server
	model string
}

// findTGI recognises a TGI.
func findTGI(ctx context.Context, s *server) (engine.Engine, error) {
	var info struct {
		Model string `json:"model_id"`
	}
	if err := s.get(ctx, "/info", &info); err != nil {
		return nil, err
	}
	if info.Model == "" {
		return nil, errors.New("its /info is not TGI's")
	}
	return &tgi{s, info.Model}, nil
}

var tgiParameters = named([]string{engine.Temperature, engine.TopP, engine.TopK, engine.FrequencyPenalty, engine.RepetitionPenalty, engine.Seed},
	engine.MaxTokens, "max_new_tokens")

// Describe implements engine.Engine.
func (e *tgi) Describe() engine.Description {
	return engine.Description{Kind: "tgi", Target: grammar.TargetJSONSchema, Parameters: tgiParameters, TellsStops: true}
}

// Models implements engine.Engine.
func (e *tgi) Models(ctx context.Context) ([]engine.Model, error) {
	res, err := e.send(ctx, http.MethodGet, "/health", nil)
	if err != nil {
		return nil, err
	}
	return []engine.Model{{Name: e.model}}, res.Body.Close()
}

// Complete implements engine.Engine.
func (e *tgi) Complete(ctx context.Context, r *engine.Request) (engine.Stream, error) {
	sampling := body{"details": true, "return_full_text": false}.parameters(r, tgiParameters).stops(r)
	for name, limit := range map[string]float64{engine.Temperature: 0, engine.TopP: 1} { // which TGI refuses: they mean greedy, and all tokens
		raw, given := sampling[name].(json.RawMessage)
		if n, err := strconv.ParseFloat(string(raw), 64); given && err == nil && n == limit {
			delete(sampling, name)
			sampling["do_sample"] = name != engine.Temperature
		}
	}
	if _, sampled := sampling[engine.Temperature]; sampled {
		sampling["do_sample"] = true
	}
	if r.Constraint != nil {
		sampling["grammar"] = body{"type": "json", "value": content(r)}
	}
	return e.complete(ctx, "/generate_stream", body{"inputs": withoutBOS(r), "parameters": sampling}, tgiReader{})
}

// tgiReader reads the events of /generate_stream.
type tgiReader struct{}

func (tgiReader) read(event []byte) (p engine.Piece, ok bool, err error) {
	var in struct {
		failure
		Token struct {
			Text    string `json:"text"`
			Special bool   `json:"special"`
		} `json:"token"`
		Details *struct {
			Finish string `json:"finish_reason"`
		} `json:"details"`
	}
	text, err := decode(event, &in)
	if err == nil {
		err = in.fault(event)
	}
	if err != nil {
		return p, false, err
	}
	p.Text, p.Special = text(in.Token.Text), []match.Range{}
	if in.Token.Special {
		p.Special = append(p.Special, match.Range{Start: 0, End: len(p.Text)})
	}
	if in.Details != nil {
		p.Finish = engine.Stopped
		if in.Details.Finish == "length" {
			p.Finish = engine.Limited
		}
	}
	return p, true, nil
}

func (tgiReader) end() (engine.Piece, bool) { return engine.Piece{}, false }
