package seal

import (
	"errors"
	"testing"
)

func sealer(t *testing.T, secrets ...string) *Sealer {
	t.Helper()
	s, err := New(secrets...)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestWhatWasSealedOpens(t *testing.T) {
	t.Parallel()
	for _, s := range []*Sealer{sealer(t), sealer(t, "a"), sealer(t, "new", "old")} {
		for _, text := range []string{"", "a thought", "日本語 \x00\xff"} {
			if got, err := s.Open("reasoning", s.Seal("reasoning", text)); got != text || err != nil {
				t.Errorf("%q: %q, %v", text, got, err)
			}
		}
	}
	old := sealer(t, "old").Seal("reasoning", "kept")
	if got, err := sealer(t, "new", "old").Open("reasoning", old); got != "kept" || err != nil {
		t.Errorf("after the key was replaced: %q, %v", got, err)
	}
}

func TestNothingElseOpens(t *testing.T) {
	t.Parallel()
	s := sealer(t, "a")
	sealed := s.Seal("reasoning", "a thought")
	altered := []byte(sealed)
	altered[3] ^= 1
	for name, open := range map[string]func() (string, error){
		"altered":         func() (string, error) { return s.Open("reasoning", string(altered)) },
		"another purpose": func() (string, error) { return s.Open("response", sealed) },
		"another key":     func() (string, error) { return sealer(t, "b").Open("reasoning", sealed) },
		"no base64":       func() (string, error) { return s.Open("reasoning", "!") },
		"empty":           func() (string, error) { return s.Open("reasoning", "") },
		"too short":       func() (string, error) { return s.Open("reasoning", "AAAA") },
	} {
		if text, err := open(); text != "" || !errors.Is(err, ErrUnknown) {
			t.Errorf("%s: %q, %v", name, text, err)
		}
	}
}
