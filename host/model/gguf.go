package model

import (
	"fmt"
	"strings"

	gguf "github.com/gpustack/gguf-parser-go"
)

// The keys of a GGUF header that matter here. A variant's key has its name appended: tokenizer.chat_template.tool_use.
const (
	keyTemplate = "tokenizer.chat_template"
	keyTokens   = "tokenizer.ggml.tokens"
	keyTypes    = "tokenizer.ggml.token_type"
	keyBOS      = "tokenizer.ggml.bos_token_id"
	keyEOS      = "tokenizer.ggml.eos_token_id"
)

// controlToken is the token type that GGUF gives special tokens.
const controlToken = 3

// readGGUF reads the header; the tensors behind it are not touched.
func (m *Model) readGGUF(path string) error {
	file, err := gguf.ParseGGUFFile(path, gguf.UseMMap())
	if err != nil {
		return fmt.Errorf("%s: not a GGUF file that can be read: %w", path, err)
	}
	var tokens, types []any
	ids := map[string]uint64{}
	for _, kv := range file.Header.MetadataKV {
		switch {
		case strings.HasPrefix(kv.Key, keyTemplate) && kv.ValueType == gguf.GGUFMetadataValueTypeString:
			if variant := strings.TrimPrefix(kv.Key, keyTemplate); variant == "" || variant[0] == '.' {
				m.set(strings.TrimPrefix(variant, "."), kv.ValueString())
			}
		case kv.Key == keyTokens && kv.ValueType == gguf.GGUFMetadataValueTypeArray:
			tokens = kv.ValueArray().Array
		case kv.Key == keyTypes && kv.ValueType == gguf.GGUFMetadataValueTypeArray:
			types = kv.ValueArray().Array
		case kv.Key == keyBOS || kv.Key == keyEOS:
			if id, ok := number(kv.Value); ok {
				ids[kv.Key] = id
			}
		}
	}
	m.BOSToken, m.EOSToken = tokenAt(tokens, ids, keyBOS), tokenAt(tokens, ids, keyEOS)
	for i, t := range types {
		if kind, ok := number(t); ok && kind == controlToken && i < len(tokens) {
			if text, ok := tokens[i].(string); ok {
				m.SpecialTokens = append(m.SpecialTokens, text)
			}
		}
	}
	return nil
}

// tokenAt is the text of the token whose id stands under key; empty where the header does not say.
func tokenAt(tokens []any, ids map[string]uint64, key string) string {
	id, ok := ids[key]
	if !ok || id >= uint64(len(tokens)) {
		return ""
	}
	text, _ := tokens[id].(string)
	return text
}

// number is an integer of any of the kinds that writers of GGUF use.
func number(v any) (uint64, bool) {
	switch n := v.(type) {
	case uint32:
		return uint64(n), true
	case int32:
		return uint64(n), n >= 0
	case uint64:
		return n, true
	case int64:
		return uint64(n), n >= 0
	case uint16:
		return uint64(n), true
	case uint8:
		return uint64(n), true
	}
	return 0, false
}
