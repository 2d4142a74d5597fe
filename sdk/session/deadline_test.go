package session_test

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/dragoman-project/dragoman/sdk/handler"
	"github.com/dragoman-project/dragoman/sdk/peg"
	"github.com/dragoman-project/dragoman/sdk/peg/match"
	"github.com/dragoman-project/dragoman/sdk/session"
)

var errLeft = errors.New("the client has left")

// TestAnOutputIsParsedNoFurtherThanItsContext ends the context with the first text that is delivered: little more of a long output is.
func TestAnOutputIsParsedNoFurtherThanItsContext(t *testing.T) {
	output := []byte(strings.Repeat("It is 5 < 7. ", 100_000))
	for name, draft := range map[string]*session.Draft{
		"program": thinking(),
		"stream":  {Plan: handler.Plan{Stream: new(handler.StreamPlan)}, Handler: "echo", Streams: echo{}},
	} {
		ctx, leave := context.WithCancelCause(t.Context())
		delivered := 0
		count := func(e chat.Event) {
			delivered += len(e.Text)
			leave(errLeft)
		}
		_, err := newPlan(t, draft).Parse(ctx, output, false, session.Options{Events: count})
		if !errors.Is(err, errLeft) || delivered == 0 || delivered > len(output)/10 {
			t.Errorf("%s: error %v after %d of %d bytes", name, err, delivered, len(output))
		}
	}
}

// TestALongChunkIsTheSameAsShortOnes compares an output at once with the same in chunks of few bytes, with special tokens known and unknown.
// Markers fall on all kinds of offsets, and so on the edges of blocks.
func TestALongChunkIsTheSameAsShortOnes(t *testing.T) {
	const end = "<|end|>"
	var b peg.Builder
	program := b.Build(b.Seq(b.Star(b.Tag(peg.Content, b.Until(end)), b.Tag(peg.Reasoning, b.Lit(end))), b.Tag(peg.Content, b.Rest()), b.End()))
	draft := &session.Draft{Plan: handler.Plan{Program: program, PreservedTokens: []string{end}}, Handler: "h"}
	p := newPlan(t, draft)
	output := []byte(strings.Repeat("It is "+end+" 雨\xff", 20_000))
	var some []match.Range // every third one is the token, the others are text that spells it
	for i, n := 0, 0; i < len(output); i, n = i+1, n+1 {
		found := bytes.Index(output[i:], []byte(end))
		if found < 0 {
			break
		}
		i += found
		if n%3 == 0 {
			some = append(some, match.Range{Start: i, End: i + len(end)})
		}
	}
	for name, special := range map[string][]match.Range{"unknown": nil, "none": {}, "some": some} {
		parse := func(size int) session.Result {
			s := p.Session(t.Context(), session.Options{})
			for from := 0; from < len(output); from += size {
				to := min(from+size, len(output))
				var within []match.Range
				if special != nil {
					within = []match.Range{}
				}
				for _, r := range special {
					if r.Start < to && r.End > from {
						within = append(within, match.Range{Start: max(r.Start-from, 0), End: min(r.End, to) - from})
					}
				}
				if _, err := s.FeedSpecial(output[from:to], within); err != nil {
					t.Fatal(err)
				}
			}
			result, err := s.Finish(false)
			if err != nil {
				t.Fatal(err)
			}
			result.Deltas, result.Report.MaxHeld = nil, 0 // depend on the cut
			return result
		}
		if diff := cmp.Diff(parse(999), parse(len(output))); diff != "" {
			t.Errorf("special tokens %s (-short +long):\n%.2000s", name, diff)
		}
	}
}
