package model

import (
	"io"
	"strings"

	"github.com/dragoman-project/dragoman/internal/gguf"
)

// The keys of a GGUF header that matter here. A variant's key has its name appended: tokenizer.chat_template.tool_use.
const (
	keyTemplate = "tokenizer.chat_template"
	keyTokens   = "tokenizer.ggml.tokens"
	keyTypes    = "tokenizer.ggml.token_type"
	keyBOS      = "tokenizer.ggml.bos_token_id"
	keyEOS      = "tokenizer.ggml.eos_token_id"
	keyContext  = ".context_length" // after the name of the architecture
)

// maxContext bounds what is believed of a context's length.
const maxContext = 1 << 30

// controlToken is the token type that GGUF gives special tokens.
const controlToken = 3

// readGGUF reads the header of a GGUF file, and nothing of its tensors.
func (m *Model) readGGUF(path string) error {
	meta := &ggufMetadata{bos: -1, eos: -1}
	if err := gguf.Read(path, meta.read); err != nil {
		return err
	}
	for _, v := range meta.templates {
		m.set(v.Name, v.Source)
	}
	m.BOSToken, m.EOSToken = meta.token(meta.bos), meta.token(meta.eos)
	m.ContextLength = int(min(max(meta.context, 0), maxContext))
	if len(meta.tokens) > 0 {
		m.Tokenizer = path
	}
	for id, kind := range meta.types {
		if kind == controlToken && id < len(meta.tokens) {
			m.SpecialTokens = append(m.SpecialTokens, meta.tokens[id])
		}
	}
	return nil
}

// ggufMetadata is what a GGUF header says about templates and tokens. The ids are negative where it does not give them.
type ggufMetadata struct {
	templates []Variant
	tokens    []string
	types     []int64
	bos, eos  int64
	context   int64
}

// token returns the text of the token with an id, or "" if there is no such token.
func (g *ggufMetadata) token(id int64) string {
	if id < 0 || id >= int64(len(g.tokens)) {
		return ""
	}
	return g.tokens[id]
}

// parseGGUF reads the header of a file of so many bytes.
func parseGGUF(file io.Reader, size int64) (*ggufMetadata, error) {
	meta := &ggufMetadata{bos: -1, eos: -1}
	return meta, gguf.Parse(file, size, meta.read)
}

// read reads a value.
func (g *ggufMetadata) read(r *gguf.Reader, key string, kind gguf.Kind) {
	switch {
	case key == keyTemplate || strings.HasPrefix(key, keyTemplate+"."):
		if r.Expect(key, kind, gguf.String, "a string") {
			g.templates = append(g.templates, Variant{Name: strings.TrimPrefix(key[len(keyTemplate):], "."), Source: r.Text(key)})
		}
	case key == keyTokens:
		r.Each(key, kind, func(kind gguf.Kind) bool {
			ok := r.Expect(key, kind, gguf.String, "an array of strings")
			g.tokens = append(g.tokens, r.Text(key))
			return ok
		})
	case key == keyTypes:
		r.Each(key, kind, func(kind gguf.Kind) bool {
			g.types = append(g.types, r.Integer(key, kind))
			return true
		})
	case key == keyBOS:
		g.bos = r.Integer(key, kind)
	case key == keyEOS:
		g.eos = r.Integer(key, kind)
	case strings.HasSuffix(key, keyContext):
		g.context = r.Integer(key, kind)
	default:
		r.Skip(key, kind)
	}
}
