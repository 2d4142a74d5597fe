package tokenizer

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
)

func TestTokensAreCountedWithWhatThePreviousPromptShares(t *testing.T) {
	small(t, func(t *testing.T, tk *Tokenizer, all []encoded) {
		for _, e := range all {
			text := string(e.Text)
			for cut := 0; cut <= len(text); cut += 1 + len(text)/8 {
				previous := text[:cut] + "<other>"
				n, shared, err := tk.CountShared(t.Context(), text, previous, Options{})
				before := tk.Encode(previous, Options{})
				if err != nil || n != len(e.IDs) || shared > n || !slices.Equal(before[:shared], e.IDs[:shared]) ||
					shared < min(n, len(before)) && before[shared] == e.IDs[shared] {
					t.Errorf("%q after %q: %d tokens, %d of them shared, %v", text, previous, n, shared, err)
				}
			}
			n, shared, err := tk.CountShared(t.Context(), text, "", Options{})
			if count, err := tk.Count(t.Context(), text, Options{}); n != count || shared != 0 || err != nil {
				t.Errorf("%q: %d tokens, then %d, of which %d shared: %v", text, count, n, shared, err)
			}
			if err != nil {
				t.Error(err)
			}
		}
	})
}

// looked is a context that ends when it was looked at so many times.
type looked struct {
	context.Context
	left, looks int
}

func (c *looked) Err() error {
	c.looks++
	if c.left--; c.left < 0 {
		return context.Canceled
	}
	return nil
}

// TestEncodingEndsWithItsContext encodes long texts of all kinds: the context is looked at often, and the first look that finds it
// ended ends the work.
func TestEncodingEndsWithItsContext(t *testing.T) {
	const size = 1 << 15
	for _, name := range []string{"bytelevel", "fallback", "splits"} {
		tk := open(t, name)
		tk.segments.MaxBytes = 1 // keep nothing
		for _, word := range []string{"a", " ", "\n", "the ", "=-'", "你好", "e\u0301", "<|im_end|>", "0"} {
			text := strings.Repeat(word, size/len(word))
			for kind, encode := range map[string]func(context.Context) error{
				"ids":    func(ctx context.Context) error { _, err := tk.EncodeWithin(ctx, text, Options{}); return err },
				"ranges": func(ctx context.Context) error { _, err := tk.TokensWithin(ctx, text, Options{}); return err },
				"count":  func(ctx context.Context) error { _, err := tk.Count(ctx, text, Options{}); return err },
			} {
				ctx := &looked{Context: t.Context(), left: 1 << 30}
				if err := encode(ctx); err != nil || ctx.looks < len(text)>>14 {
					t.Errorf("%s: %s of %q: %d looks at the context for %d bytes, %v", name, kind, word, ctx.looks, len(text), err)
				}
				half := ctx.looks / 2
				ended := &looked{Context: t.Context(), left: half}
				if err := encode(ended); !errors.Is(err, context.Canceled) || ended.looks > half+3 {
					t.Errorf("%s: %s of %q: %v after %d looks", name, kind, word, err, ended.looks)
				}
			}
		}
	}
}
