package wire

import (
	"context"
	"io"
	"net/http"
	"time"

	"github.com/dragoman-project/dragoman/gateway/engine"
)

var (
	_ engine.Passer = (*llamaServer)(nil)
	_ engine.Passer = (*vllm)(nil)
	_ engine.Passer = (*sglang)(nil)
	_ engine.Passer = (*tgi)(nil)
	_ engine.Passer = (*completions)(nil)

	_ engine.Generator = (*vllm)(nil)
)

// Pass implements engine.Passer.
func (e *llamaServer) Pass(ctx context.Context, body []byte) (*engine.Passed, error) {
	return e.pass(ctx, "/v1/completions", body)
}

// Pass implements engine.Passer.
func (e *vllm) Pass(ctx context.Context, body []byte) (*engine.Passed, error) {
	return e.pass(ctx, "/v1/completions", body)
}

// Pass implements engine.Passer.
func (e *sglang) Pass(ctx context.Context, body []byte) (*engine.Passed, error) {
	return e.pass(ctx, "/v1/completions", body)
}

// Pass implements engine.Passer.
func (e *tgi) Pass(ctx context.Context, body []byte) (*engine.Passed, error) {
	return e.pass(ctx, "/v1/completions", body)
}

// Pass implements engine.Passer.
func (e *completions) Pass(ctx context.Context, body []byte) (*engine.Passed, error) {
	return e.pass(ctx, "/v1/completions", body)
}

// Generate implements engine.Generator.
func (e *vllm) Generate(ctx context.Context, body []byte) (*engine.Passed, error) {
	return e.pass(ctx, "/inference/v1/generate", body)
}

// pass posts a body to a path.
func (s *server) pass(ctx context.Context, path string, body []byte) (*engine.Passed, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	out := &passed{ctx: ctx, cancel: cancel, idle: s.Idle, timer: time.AfterFunc(s.Idle, func() { cancel(s.silent()) })}
	res, err := s.send(ctx, http.MethodPost, path, body) //nolint:bodyclose // passed closes it
	if err != nil {
		_ = out.Close() // there is nothing to close
		return nil, err
	}
	out.body = res.Body
	return &engine.Passed{ContentType: res.Header.Get("Content-Type"), Body: out}, nil
}

// passed is the body of an answer, which must not be silent for long.
type passed struct {
	ctx    context.Context
	cancel context.CancelCauseFunc
	idle   time.Duration
	timer  *time.Timer
	body   io.ReadCloser
}

// Read implements io.Reader.
func (p *passed) Read(b []byte) (int, error) {
	p.timer.Reset(p.idle)
	n, err := p.body.Read(b)
	if err != nil && err != io.EOF { //nolint:errorlint // readers return io.EOF itself
		err = broken(p.ctx, err)
	}
	return n, err
}

// Close implements io.Closer. The engine stops if it still generates.
func (p *passed) Close() error {
	p.timer.Stop()
	p.cancel(context.Canceled)
	if p.body == nil {
		return nil
	}
	return p.body.Close()
}
