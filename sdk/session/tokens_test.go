package session_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/dragoman-project/dragoman/sdk/session"
	"github.com/dragoman-project/dragoman/sdk/tokenizer"
)

func small(t *testing.T) *tokenizer.Tokenizer {
	t.Helper()
	tk, err := tokenizer.Open("../tokenizer/testdata/bytelevel")
	if err != nil {
		t.Fatal(err)
	}
	return tk
}

// spelt returns ids in which the parts of a text that stand apart do not form added tokens.
func spelt(tk *tokenizer.Tokenizer, parts ...string) (ids []tokenizer.ID) {
	for _, p := range parts {
		ids = tk.Append(ids, p, tokenizer.Options{})
	}
	return ids
}

// TestATokenIsNotItsSpelling feeds a marker as a token and, before it, in parts, however the ids are cut.
func TestATokenIsNotItsSpelling(t *testing.T) {
	draft := talking()
	draft.PreservedTokens = []string{"</think>", "<json>", "</json>"}
	p, tk := newPlan(t, draft), small(t)
	ids := spelt(tk, "I write </thi", "nk> 🪿 here.</think>Yes, ", `<json>g {"a": 1}</json>`)
	for size := 1; size <= len(ids); size++ {
		s, err := p.TokenSession(t.Context(), tk, session.Options{NoIDs: true})
		if err != nil {
			t.Fatal(err)
		}
		texts, next := map[chat.EventKind]string{}, 0
		check := func(pieces []chat.Piece) {
			for _, piece := range pieces {
				from, to := piece.FirstID, piece.EndID
				if piece.Kind == 0 {
					continue
				}
				texts[piece.Kind] += string(piece.Text)
				text := tk.Decode(ids[from:to], false)
				if from < next-1 || to > len(ids) || to == from || len(piece.Text) > len(text) {
					t.Errorf("chunks of %d: %q is said to come from ids %d to %d, %q, after %d", size, piece.Text, from, to, text, next)
				}
				next = to
			}
		}
		for chunk := range slices.Chunk(ids, size) {
			pieces, err := s.Append(nil, chunk...)
			if err != nil {
				t.Fatal(err)
			}
			check(pieces)
		}
		pieces, result, err := s.AppendLast(nil, false)
		if err != nil {
			t.Fatal(err)
		}
		check(pieces)
		want := map[chat.EventKind]string{chat.ReasoningText: "I write </think> 🪿 here.", chat.ContentText: "Yes,", chat.CallArguments: `{"a": 1}`}
		if diff := cmp.Diff(want, texts); diff != "" {
			t.Errorf("chunks of %d (-want +got):\n%s", size, diff)
		}
		c := result.Report.Tokens
		if c.Output != len(ids) || c.Reasoning < 8 || c.Content < 2 || c.Calls < 4 || c.Reasoning+c.Content+c.Calls > c.Output {
			t.Errorf("chunks of %d: %+v of %d", size, c, len(ids))
		}
		if got := s.Tokens(); got != *c {
			t.Errorf("chunks of %d: %+v, reported %+v", size, got, c)
		}
	}
}

// TestTokensAreCountedAlikeHoweverTheyAreCut compares counts over all ways to cut into two.
func TestTokensAreCountedAlikeHoweverTheyAreCut(t *testing.T) {
	p, tk := newPlan(t, talking()), small(t)
	ids := spelt(tk, spoken)
	var want *chat.TokenCounts
	for cut := range len(ids) + 1 {
		s, err := p.TokenSession(t.Context(), tk, session.Options{NoIDs: true})
		if err != nil {
			t.Fatal(err)
		}
		for _, part := range [][]tokenizer.ID{ids[:cut], ids[cut:]} {
			if _, err := s.Feed(part...); err != nil {
				t.Fatal(err)
			}
		}
		result, err := s.Finish(false)
		if err != nil {
			t.Fatal(err)
		}
		if want == nil {
			want = result.Report.Tokens
		}
		if diff := cmp.Diff(want, result.Report.Tokens); diff != "" {
			t.Errorf("cut at %d (-want +got):\n%s", cut, diff)
		}
	}
}

// TestSpecialTokensWithoutMeaningAreDropped feeds special tokens that the plan does not know, however the ids are cut.
func TestSpecialTokensWithoutMeaningAreDropped(t *testing.T) {
	draft := talking()
	draft.PreservedTokens = []string{"</think>", "<json>", "</json>"}
	p, tk := newPlan(t, draft), small(t)
	ids := spelt(tk, "No<pad>w.</think>Yes<|im_end|>.<pad>")
	for keep, want := range map[bool][2]string{false: {"Now.", "Yes."}, true: {"No<pad>w.", "Yes<|im_end|>.<pad>"}} {
		for cut := range len(ids) + 1 {
			s, err := p.TokenSession(t.Context(), tk, session.Options{KeepSpecial: keep})
			if err != nil {
				t.Fatal(err)
			}
			for _, part := range [][]tokenizer.ID{ids[:cut], ids[cut:]} {
				if _, err := s.Feed(part...); err != nil {
					t.Fatal(err)
				}
			}
			result, err := s.Finish(false)
			if err != nil {
				t.Fatal(err)
			}
			if got := [2]string{result.Message.ReasoningContent, result.Message.Content.Join("")}; got != want || result.Report.Tokens.Output != len(ids) {
				t.Errorf("kept %v, cut at %d: %q, want %q; %+v", keep, cut, got, want, result.Report.Tokens)
			}
		}
	}
}
