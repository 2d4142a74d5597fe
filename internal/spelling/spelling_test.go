package spelling

import (
	"slices"
	"testing"
)

func TestNearestFindsWhatWasMeant(t *testing.T) {
	known := []string{"Qwen-Qwen3-0.6B", "Qwen-Qwen3-8B", "chatml-json", "chatml-tagged", "llama"}
	for name, want := range map[string][]string{
		"chatml-jsn":       {"chatml-json"},
		"chatml_json":      {"chatml-json"},
		"Chatml-Tagegd":    {"chatml-tagged"},
		"qwen3":            {"Qwen-Qwen3-0.6B", "Qwen-Qwen3-8B"},
		"chatml":           {"chatml-json", "chatml-tagged"},
		"meta/Llama-3-70b": {"llama"},
		"gemma":            nil,
		"":                 nil,
		"x":                nil,
	} {
		if got := Nearest(name, known); !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
}
