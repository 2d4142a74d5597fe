package wire

import (
	"context"
	"encoding/json"
	"net/http"

	"github.com/dragoman-project/dragoman/gateway/engine"
)

var (
	_ engine.Counter = (*llamaServer)(nil)
	_ engine.Counter = (*vllm)(nil)
	_ engine.Counter = (*sglang)(nil)
)

// Count implements engine.Counter.
func (e *llamaServer) Count(ctx context.Context, _, text string) (int, error) {
	var out struct {
		Tokens []json.RawMessage `json:"tokens"`
	}
	err := e.ask(ctx, http.MethodPost, "/tokenize", body{"content": text, "add_special": false}, &out)
	return len(out.Tokens), err
}

// Count implements engine.Counter.
func (e *vllm) Count(ctx context.Context, model, text string) (int, error) {
	return e.count(ctx, "/tokenize", body{"model": model, "prompt": text, "add_special_tokens": false})
}

// Count implements engine.Counter.
func (e *sglang) Count(ctx context.Context, model, text string) (int, error) {
	return e.count(ctx, "/v1/tokenize", body{"model": model, "prompt": text, "add_special_tokens": false})
}

// count asks for the tokens of a text.
func (s *server) count(ctx context.Context, path string, b body) (int, error) {
	var out struct {
		Count int `json:"count"`
	}
	err := s.ask(ctx, http.MethodPost, path, b, &out)
	return out.Count, err
}
