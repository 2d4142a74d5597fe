// Frames is a plugin for outputs that no program can describe: frames of a kind, a length, a colon, so many bytes and a
// comma. The kinds are r (reasoning), c (content), n (a call begins, with its name), a (its arguments) and e (it ends).
package main

import (
	"context"
	"fmt"

	"github.com/dragoman-project/dragoman/sdk"
	"github.com/dragoman-project/dragoman/sdk/chat"
)

func main() { sdk.Serve(frames{}) }

type frames struct{}

var _ sdk.StreamHandler = frames{}

func (frames) Describe() sdk.Description {
	return sdk.Description{Name: "frames", Version: "1.0.0", Match: `source contains "{# frames #}"`}
}

func (frames) Plan(context.Context, sdk.Input) (*sdk.Plan, error) {
	return &sdk.Plan{Stream: &sdk.StreamPlan{Token: []byte("v1")}}, nil
}

func (frames) OpenStream(_ context.Context, _ sdk.StreamInput, sink chat.Sink) (sdk.Stream, error) {
	return &stream{sink: sink}, nil
}

// stream reads frames: first the kind, then digits up to the colon, then the bytes, then the comma.
type stream struct {
	sink   chat.Sink
	kind   byte
	length int
	inside bool // behind the colon
	name   []byte
}

func (s *stream) Feed(chunk []byte) error {
	for len(chunk) > 0 {
		if s.inside && s.length > 0 {
			n := min(s.length, len(chunk))
			s.tell(chunk[:n])
			s.length -= n
			chunk = chunk[n:]
			continue
		}
		if err := s.frame(chunk[0]); err != nil {
			return err
		}
		chunk = chunk[1:]
	}
	return nil
}

// frame reads a byte that belongs to no text.
func (s *stream) frame(b byte) error {
	switch {
	case s.kind == 0:
		s.kind = b
	case s.inside && b == ',':
		s.end()
	case !s.inside && b == ':':
		s.inside = true
	case !s.inside && b >= '0' && b <= '9':
		s.length = 10*s.length + int(b-'0')
	default:
		return fmt.Errorf("a frame has %q where a length, a colon or a comma is expected", b)
	}
	return nil
}

func (s *stream) tell(text []byte) {
	kinds := map[byte]chat.EventKind{'r': chat.ReasoningText, 'c': chat.ContentText, 'a': chat.CallArguments}
	if kind, ok := kinds[s.kind]; ok {
		s.sink(chat.Event{Kind: kind, Text: text})
		return
	}
	s.name = append(s.name, text...)
}

func (s *stream) end() {
	switch s.kind {
	case 'n':
		s.sink(chat.Event{Kind: chat.CallBegin})
		s.sink(chat.Event{Kind: chat.CallName, Text: s.name})
	case 'e':
		s.sink(chat.Event{Kind: chat.CallEnd})
	}
	*s = stream{sink: s.sink}
}

func (s *stream) Finish() (sdk.StreamResult, error) {
	return sdk.StreamResult{Status: chat.Complete}, nil
}
