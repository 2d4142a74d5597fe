package replay

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/dragoman-project/dragoman/gateway/engine"
)

const thinks = "<|im_start|>assistant\n<think>\n"

// play returns the output for a prompt, the last piece, and the number of pieces.
func play(t *testing.T, o Options, r *engine.Request) (text string, last engine.Piece, n int) {
	t.Helper()
	e, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	s, err := e.Complete(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for {
		p, err := s.Next()
		if errors.Is(err, io.EOF) {
			return text, last, n
		} else if err != nil {
			t.Fatal(err)
		}
		text, last, n = text+string(p.Text), p, n+1
	}
}

func TestARecordingFitsTheLastMessage(t *testing.T) {
	const tool = "<|im_start|>system\n{\"name\": \"get_weather\"}<|im_end|>\n"
	for _, test := range []struct{ name, prompt, part string }{
		{"a greeting", "<|im_start|>user\nHi<|im_end|>\n" + thinks, "Hello!"},
		{"a call", tool + "<|im_start|>user\nWeather in Oslo?<|im_end|>\n" + thinks, `{"city": "Oslo"}`},
		{"two calls", tool + "<|im_start|>user\nWeather in Oslo and Bergen?<|im_end|>\n" + thinks, `{"city": "Bergen"}`},
		{"a question without its tool", "<|im_start|>user\nWeather in Oslo?<|im_end|>\n" + thinks, "Hello!"},
		{"a tool's result", tool + "<|im_start|>user\nWeather?<|im_end|>\n<|im_start|>tool\n7 degrees<|im_end|>\n" + thinks, "The answer is: 7 degrees"},
		{"structured output", "<|im_start|>user\nExtract the event.<|im_end|>\n" + thinks, `{"name": "Science Fair"`},
	} {
		t.Run(test.name, func(t *testing.T) {
			text, last, _ := play(t, Options{}, &engine.Request{Prompt: test.prompt})
			if !strings.Contains(text, test.part) || !strings.Contains(text, thinkingEnd) || !strings.HasSuffix(text, turnEnd) || last.Finish != engine.Stopped {
				t.Errorf("%q, %v", text, last)
			}
			for size := 1; size < 9; size++ {
				if other, _, _ := play(t, Options{Piece: size}, &engine.Request{Prompt: test.prompt}); other != text {
					t.Errorf("in pieces of %d: %q", size, other)
				}
			}
			if quiet, _, _ := play(t, Options{}, &engine.Request{Prompt: test.prompt + thinkingEnd}); strings.Contains(quiet, thinkingEnd) {
				t.Errorf("without thinking: %q", quiet)
			}
		})
	}
}

func TestARecordingHonoursLimitsAndStops(t *testing.T) {
	prompt := "<|im_start|>user\ncount<|im_end|>\n" + thinks
	text, last, n := play(t, Options{}, &engine.Request{Prompt: prompt, Parameters: []engine.Parameter{{Name: engine.MaxTokens, Value: json.RawMessage("3")}}})
	if n != 3 || last.Finish != engine.Limited || len(text) != 12 || last.Usage.Completion != 3 || *last.Usage.Reasoning != 3 {
		t.Errorf("%q in %d pieces, %+v", text, n, last)
	}
	if text, last, _ = play(t, Options{}, &engine.Request{Prompt: prompt, Stops: []string{"four"}}); !strings.HasSuffix(text, "three, ") || last.Finish != engine.Stopped {
		t.Errorf("%q, %+v", text, last)
	}
}

func TestARecordingEndsWithItsContext(t *testing.T) {
	e, err := New(Options{Pace: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	s, err := e.Complete(ctx, &engine.Request{Prompt: thinks})
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	if _, err := s.Next(); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
