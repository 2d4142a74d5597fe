package shared

import (
	"encoding/json"
	"strings"
)

// ByteVocabulary returns a tokenizer.json in which each byte is a token with the byte as its id, and these texts are added tokens from 256
// on: special ones, if they have a bar or are bos, which begins every text.
func ByteVocabulary(bos string, added ...string) string {
	const bytes = 256
	vocab := map[string]int{}
	next := rune(bytes)
	for b := range bytes { // as GPT-2 spells them
		r := rune(b)
		if (b < '!' || b > '~') && (b < 0xA1 || b > 0xAC) && b < 0xAE {
			r = next
			next++
		}
		vocab[string(r)] = b
	}
	var tokens []map[string]any
	first := 0
	for i, text := range added {
		tokens = append(tokens, map[string]any{"id": bytes + i, "content": text, "special": text == bos || strings.Contains(text, "|")})
		if text == bos {
			first = bytes + i
		}
	}
	data, _ := json.Marshal(map[string]any{ // of plain values
		"model":         map[string]any{"type": "BPE", "vocab": vocab, "merges": []string{}},
		"pre_tokenizer": map[string]any{"type": "ByteLevel", "add_prefix_space": false, "use_regex": true},
		"decoder":       map[string]any{"type": "ByteLevel"},
		"added_tokens":  tokens,
		"post_processor": map[string]any{"type": "TemplateProcessing",
			"single":         []any{map[string]any{"SpecialToken": map[string]any{"id": bos, "type_id": 0}}, map[string]any{"Sequence": map[string]any{"id": "A", "type_id": 0}}},
			"special_tokens": map[string]any{bos: map[string]any{"id": bos, "ids": []int{first}, "tokens": []string{bos}}}},
	})
	return string(data)
}
