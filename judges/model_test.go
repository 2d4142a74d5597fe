package judges

import (
	"bytes"
	"encoding/binary"
	"math"
	"math/rand/v2"
)

// A model of random weights, as a GGUF file of the llama architecture: small enough that an engine spends its time on the
// grammar. What it samples is noise, but for the weights of its tokens.

// The shape of the model.
const (
	width  = 32
	layers = 1
	heads  = 2
	hidden = 64
)

// The types of values in GGUF, and of tokens.
const (
	typeUint32  = 4
	typeInt32   = 5
	typeFloat32 = 6
	typeBool    = 7
	typeString  = 8
	typeArray   = 9

	tokenNormal  = 1
	tokenControl = 3
	tokenUser    = 4
)

// alignment is that of tensors in the file.
const alignment = 32

// randomModel returns a model with a vocabulary, whose last token ends the turn.
func randomModel(tokens []token, seed uint64) []byte {
	f := &gguf{random: rand.New(rand.NewPCG(seed, 2))}
	f.metadata(tokens)
	f.weights(tokens)
	return f.file()
}

// gguf is a file in the making.
type gguf struct {
	random  *rand.Rand
	pairs   bytes.Buffer
	count   int
	tensors []tensor
}

type tensor struct {
	name    string
	shape   []uint64 // the innermost dimension first
	weights []float32
}

func (f *gguf) metadata(tokens []token) {
	var texts []any
	var types []any
	for i, t := range tokens {
		text, kind := t.Spelling, int32(tokenNormal)
		switch {
		case i == len(tokens)-1:
			text, kind = string(t.Bytes), tokenControl
		case t.special:
			text, kind = string(t.Bytes), tokenUser
		}
		texts, types = append(texts, text), append(types, kind)
	}
	end := uint32(len(tokens) - 1)
	f.set("general.architecture", typeString, "llama")
	f.set("general.alignment", typeUint32, uint32(alignment))
	for key, n := range map[string]int{
		"context_length": 4096, "embedding_length": width, "block_count": layers, "feed_forward_length": hidden,
		"attention.head_count": heads, "attention.head_count_kv": heads, "rope.dimension_count": width / heads, "vocab_size": len(tokens),
	} {
		f.set("llama."+key, typeUint32, uint32(n))
	}
	f.set("llama.attention.layer_norm_rms_epsilon", typeFloat32, float32(1e-6))
	f.set("tokenizer.ggml.model", typeString, "gpt2")
	f.set("tokenizer.ggml.pre", typeString, "qwen2")
	f.set("tokenizer.ggml.tokens", typeArray, uint32(typeString), texts)
	f.set("tokenizer.ggml.token_type", typeArray, uint32(typeInt32), types)
	zero := spelling("\x00") // readers want a merge; its result is no token, so it never applies
	f.set("tokenizer.ggml.merges", typeArray, uint32(typeString), []any{zero + " " + zero})
	f.set("tokenizer.ggml.bos_token_id", typeUint32, end)
	f.set("tokenizer.ggml.eos_token_id", typeUint32, end)
	f.set("tokenizer.ggml.add_bos_token", typeBool, uint8(0))
}

// weights adds the tensors. Dimension 0 of an embedding is the same for all tokens, and no layer writes to it: what the last
// matrix reads there is the weight of a token.
func (f *gguf) weights(tokens []token) {
	n, constant := len(tokens), 4.0
	embedding, output := f.noise(n*width, 1), f.noise(n*width, 1/math.Sqrt(width))
	for i, t := range tokens {
		embedding[i*width] = float32(constant)
		output[i*width] = float32(math.Log(t.Weight) / 2)
	}
	f.add("token_embd", embedding, width, n)
	for _, part := range []string{"attn_q", "attn_k", "attn_v"} {
		f.add("blk.0."+part, f.noise(width*width, 1/math.Sqrt(width)), width, width)
	}
	f.add("blk.0.attn_norm", ones(width), width)
	f.add("blk.0.attn_output", silent(f.noise(width*width, 1/math.Sqrt(width)), width), width, width)
	f.add("blk.0.ffn_norm", ones(width), width)
	f.add("blk.0.ffn_gate", f.noise(width*hidden, 1/math.Sqrt(width)), width, hidden)
	f.add("blk.0.ffn_up", f.noise(width*hidden, 1/math.Sqrt(width)), width, hidden)
	f.add("blk.0.ffn_down", silent(f.noise(width*hidden, 1/math.Sqrt(hidden)), hidden), hidden, width)
	f.add("output_norm", ones(width), width)
	f.add("output", output, width, n)
}

// noise returns n random weights.
func (f *gguf) noise(n int, deviation float64) []float32 {
	out := make([]float32, n)
	for i := range out {
		out[i] = float32(f.random.NormFloat64() * deviation)
	}
	return out
}

// silent returns a matrix with its first row, of n weights, set to zero, so that it writes nothing to dimension 0.
func silent(matrix []float32, n int) []float32 {
	clear(matrix[:n])
	return matrix
}

func ones(n int) []float32 {
	out := make([]float32, n)
	for i := range out {
		out[i] = 1
	}
	return out
}

// set adds a key and its value, of a type with this number.
func (f *gguf) set(key string, kind uint32, value ...any) {
	f.count++
	put(&f.pairs, key, kind)
	put(&f.pairs, value...)
}

func (f *gguf) add(name string, weights []float32, shape ...int) {
	t := tensor{name: name + ".weight", weights: weights}
	for _, n := range shape {
		t.shape = append(t.shape, uint64(n))
	}
	f.tensors = append(f.tensors, t)
}

func (f *gguf) file() []byte {
	var b bytes.Buffer
	b.WriteString("GGUF")
	put(&b, uint32(3), uint64(len(f.tensors)), uint64(f.count))
	b.Write(f.pairs.Bytes())
	at := 0
	for _, t := range f.tensors {
		put(&b, t.name, uint32(len(t.shape)), t.shape, uint32(0), uint64(at))
		at += aligned(4 * len(t.weights))
	}
	for _, t := range f.tensors {
		b.Write(make([]byte, aligned(b.Len())-b.Len()))
		put(&b, t.weights)
	}
	b.Write(make([]byte, aligned(b.Len())-b.Len()))
	return b.Bytes()
}

func aligned(n int) int { return (n + alignment - 1) / alignment * alignment }

// put writes values: numbers as they are, texts and lists behind their lengths.
func put(b *bytes.Buffer, values ...any) {
	for _, v := range values {
		switch v := v.(type) {
		case string:
			put(b, uint64(len(v)))
			b.WriteString(v)
		case []any:
			put(b, uint64(len(v)))
			put(b, v...)
		default:
			_ = binary.Write(b, binary.LittleEndian, v)
		}
	}
}
