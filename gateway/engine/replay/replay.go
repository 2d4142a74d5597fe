// Package replay is an engine that plays recordings, so that a first call, and tests of clients, need no model.
//
// It sees what every engine sees, a raw prompt, and chooses by its last message. The recordings are in recordings.yaml: thinking,
// calls, several calls at once, structured output, and an answer to the result of a tool, so that tool loops end. It takes every constraint
// and parameter, and heeds none but max_tokens and stops; a piece counts as a token.
package replay

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"io"
	"regexp"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/dragoman-project/dragoman/gateway/engine"
	"github.com/dragoman-project/dragoman/sdk/grammar"
)

// Model is the name of the model that is played.
const Model = "replay"

// template is the embedded template in whose dialect the recordings are, and the marks that it writes.
const (
	template    = "chatml-reasoning"
	turnStart   = "<|im_start|>"
	turnEnd     = "<|im_end|>"
	thinkingEnd = "\n</think>\n\n"
)

//go:embed recordings.yaml
var embedded []byte

// recording is an output and the prompts that it answers.
type recording struct {
	After    string   `yaml:"after"`
	Asked    string   `yaml:"asked"`
	Tools    []string `yaml:"tools"`
	Thinking string   `yaml:"thinking"`
	Answer   string   `yaml:"answer"`

	asked *regexp.Regexp
}

// Options are the choices of New. The zero value plays at once, in pieces of a few bytes.
type Options struct {
	// Pace is the time between two pieces.
	Pace time.Duration
	// Piece is the number of bytes of a piece, whatever characters they are of; 0: 4.
	Piece int
}

// Engine plays recordings.
type Engine struct {
	Options
	recordings []recording
}

var (
	_ engine.Engine  = (*Engine)(nil)
	_ engine.Counter = (*Engine)(nil)
)

// New returns an engine that plays the embedded recordings.
func New(o Options) (*Engine, error) {
	const fewBytes = 4
	if o.Piece <= 0 {
		o.Piece = fewBytes
	}
	e := &Engine{Options: o}
	if err := yaml.Unmarshal(embedded, &e.recordings); err != nil {
		return nil, err
	}
	for i := range e.recordings {
		r := &e.recordings[i]
		var err error
		if r.asked, err = regexp.Compile(r.Asked); err != nil {
			return nil, err
		}
	}
	return e, nil
}

// Describe implements engine.Engine.
func (e *Engine) Describe() engine.Description {
	return engine.Description{Kind: "replay", Target: grammar.TargetGBNF, TellsStops: true, Parameters: map[string]string{
		engine.MaxTokens: "max_tokens", engine.Temperature: "", engine.TopP: "", engine.TopK: "", engine.MinP: "", engine.Seed: "",
		engine.FrequencyPenalty: "", engine.PresencePenalty: "", engine.RepetitionPenalty: "",
	}}
}

// Models implements engine.Engine.
func (e *Engine) Models(context.Context) ([]engine.Model, error) {
	return []engine.Model{{Name: Model, Known: template}}, nil
}

// Complete implements engine.Engine.
func (e *Engine) Complete(ctx context.Context, r *engine.Request) (engine.Stream, error) {
	thinking, answer := e.answer(r.Prompt)
	out := []byte(thinking + answer)
	s := &stream{ctx: ctx, engine: e, limit: -1, thinking: e.pieces(thinking)}
	for _, stop := range r.Stops {
		if before, _, found := bytes.Cut(out, []byte(stop)); found {
			out, s.stop = before, stop
		}
	}
	s.left = out
	s.usage.Prompt = e.pieces(r.Prompt)
	for _, p := range r.Parameters {
		if p.Name == engine.MaxTokens {
			if err := json.Unmarshal(p.Value, &s.limit); err != nil {
				return nil, err
			}
		}
	}
	return s, nil
}

// Count implements engine.Counter.
func (e *Engine) Count(_ context.Context, _, text string) (int, error) { return e.pieces(text), nil }

// pieces returns in how many pieces a text is played.
func (e *Engine) pieces(text string) int { return (len(text) + e.Piece - 1) / e.Piece }

// answer returns the output for a prompt: its thinking with the end of it, if the prompt leaves room for any, and the rest.
func (e *Engine) answer(prompt string) (thinking, answer string) {
	turns := strings.Split(prompt, turnStart)
	role, said, result := "", "", ""
	for _, turn := range turns[:len(turns)-1] { // the last begins the answer
		text, _, _ := strings.Cut(turn, turnEnd)
		role, text, _ = strings.Cut(text, "\n")
		if role == "tool" {
			result = text
		} else {
			said = text
		}
	}
	for _, r := range e.recordings {
		if r.fits(role, said, prompt) {
			answer = strings.ReplaceAll(r.Answer, "$RESULT", result) + turnEnd
			if strings.HasSuffix(prompt, thinkingEnd) {
				return "", answer
			}
			return r.Thinking + thinkingEnd, answer
		}
	}
	return "", turnEnd
}

// fits reports whether the recording answers a prompt whose last message is of this role, and whose last text that is no result is said.
func (r *recording) fits(role, said, prompt string) bool {
	if (role == "tool") != (r.After == "tool") {
		return false
	}
	for _, tool := range r.Tools {
		if !strings.Contains(prompt, `"name": "`+tool+`"`) {
			return false
		}
	}
	return role == "tool" || r.asked.MatchString(said)
}

// stream is a recording being played.
type stream struct {
	ctx    context.Context
	engine *Engine
	left   []byte
	limit  int // pieces; negative: none
	usage  engine.Usage
	ended  bool
	stop   string // what ended it

	thinking int // pieces of thinking
}

// Next implements engine.Stream.
func (s *stream) Next() (engine.Piece, error) {
	if s.ended {
		return engine.Piece{}, io.EOF
	}
	if err := s.wait(); err != nil {
		return engine.Piece{}, err
	}
	var p engine.Piece
	n := min(s.engine.Piece, len(s.left))
	if s.limit != 0 {
		p.Text, s.left = s.left[:n], s.left[n:]
		s.limit--
		s.usage.Completion++
	}
	switch {
	case len(s.left) == 0:
		p.Finish, p.Stop = engine.Stopped, s.stop
	case s.limit == 0:
		p.Finish = engine.Limited
	}
	s.ended = p.Finish != engine.Running
	p.Usage = &engine.Usage{Prompt: s.usage.Prompt, Completion: s.usage.Completion, Cached: new(int), Reasoning: new(int)}
	*p.Usage.Reasoning = min(s.usage.Completion, s.thinking)
	return p, nil
}

// wait waits until the next piece is due.
func (s *stream) wait() error {
	if s.engine.Pace > 0 {
		select {
		case <-time.After(s.engine.Pace):
		case <-s.ctx.Done():
		}
	}
	return s.ctx.Err()
}

// Close implements engine.Stream.
func (s *stream) Close() error {
	s.ended = true
	return nil
}
