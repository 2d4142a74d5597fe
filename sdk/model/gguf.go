package model

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"strings"
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
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return err
	}
	meta, err := parseGGUF(file, info.Size())
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
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
	r := &ggufReader{in: bufio.NewReaderSize(file, 1<<16), end: min(size, maxFile), larger: size > maxFile, order: binary.LittleEndian, width: 8}
	pairs := r.start()
	meta := &ggufMetadata{bos: -1, eos: -1}
	for range pairs {
		if r.err != nil {
			break
		}
		switch key, kind := r.text("a key"), r.kind(); {
		case key == keyTemplate || strings.HasPrefix(key, keyTemplate+"."):
			if r.expect(key, kind, ggufString, "a string") {
				meta.templates = append(meta.templates, Variant{Name: strings.TrimPrefix(key[len(keyTemplate):], "."), Source: r.text(key)})
			}
		case key == keyTokens:
			r.each(key, kind, func(kind ggufKind) bool {
				ok := r.expect(key, kind, ggufString, "an array of strings")
				meta.tokens = append(meta.tokens, r.text(key))
				return ok
			})
		case key == keyTypes:
			r.each(key, kind, func(kind ggufKind) bool {
				meta.types = append(meta.types, r.integer(key, kind))
				return true
			})
		case key == keyBOS:
			meta.bos = r.integer(key, kind)
		case key == keyEOS:
			meta.eos = r.integer(key, kind)
		case strings.HasSuffix(key, keyContext):
			meta.context = r.integer(key, kind)
		default:
			r.skip(key, kind, 0)
		}
	}
	return meta, r.err
}

// ggufKind is the type of a value, as the file numbers it.
type ggufKind uint32

const (
	ggufString ggufKind = 8
	ggufArray  ggufKind = 9
)

// ggufKinds describes the types; a size of 0 stands for strings and arrays, which begin with their length.
var ggufKinds = [...]struct {
	name            string
	size            uint64
	integer, signed bool
}{
	{"uint8", 1, true, false}, {"int8", 1, true, true}, {"uint16", 2, true, false}, {"int16", 2, true, true},
	{"uint32", 4, true, false}, {"int32", 4, true, true}, {"float32", 4, false, false}, {"bool", 1, false, false},
	{"string", 0, false, false}, {"array", 0, false, false},
	{"uint64", 8, true, false}, {"int64", 8, true, true}, {"float64", 8, false, false},
}

// maxGGUFNesting bounds arrays within arrays; writers make none.
const maxGGUFNesting = 4

// ggufReader reads a header value by value. After an error, which it keeps, everything reads as zero and empty.
type ggufReader struct {
	in     *bufio.Reader
	at     int64 // how many bytes are read
	end    int64 // where the file, or what is read of it, ends
	larger bool  // whether the file goes on there
	order  binary.ByteOrder
	width  uint64 // the bytes of a length
	err    error
}

// start reads everything before the first key, and returns the number of keys.
func (r *ggufReader) start() (pairs uint64) {
	var magic [4]byte
	if r.advance("the magic number", 4) {
		_, r.err = io.ReadFull(r.in, magic[:])
	}
	if r.err == nil && string(magic[:]) != "GGUF" {
		r.fail("not a GGUF file: expected it to begin with %q, found %q", "GGUF", magic[:])
	}
	version := r.number("the version", 4)
	if version&0xFFFF == 0 && version != 0 { // written by a big-endian machine
		r.order, version = binary.BigEndian, version>>24|version>>8&0xFF00
	}
	if version == 1 {
		r.width = 4
	}
	if r.err == nil && (version < 1 || version > 3) {
		r.fail("GGUF version %d: expected 1 to 3", version)
	}
	r.number("the number of tensors", r.width)
	return r.number("the number of keys", r.width)
}

// fail keeps the first error, with its place.
func (r *ggufReader) fail(format string, args ...any) {
	if r.err == nil {
		r.err = fmt.Errorf("byte %d: %s", r.at, fmt.Sprintf(format, args...))
	}
}

// advance counts n bytes as read, and reports whether they are there.
func (r *ggufReader) advance(what string, n uint64) bool {
	switch left := uint64(r.end - r.at); {
	case r.err != nil:
	case n <= left:
		r.at += int64(n)
	case r.larger:
		r.fail("%s: the header is longer than %d bytes", what, r.end)
	default:
		r.fail("%s: expected %d bytes, found %d before the end of the file; is it complete?", what, n, left)
	}
	return r.err == nil
}

// number reads an unsigned integer of 1, 2, 4 or 8 bytes.
func (r *ggufReader) number(what string, size uint64) uint64 {
	var b [8]byte
	if !r.advance(what, size) {
		return 0
	}
	_, r.err = io.ReadFull(r.in, b[:size])
	switch size {
	case 1:
		return uint64(b[0])
	case 2:
		return uint64(r.order.Uint16(b[:]))
	case 4:
		return uint64(r.order.Uint32(b[:]))
	}
	return r.order.Uint64(b[:])
}

// text reads a string.
func (r *ggufReader) text(what string) string {
	n := r.number(what, r.width)
	if !r.advance(what, n) {
		return ""
	}
	b := make([]byte, n)
	_, r.err = io.ReadFull(r.in, b)
	return string(b)
}

// kind reads the type of a value.
func (r *ggufReader) kind() ggufKind {
	kind := r.number("the type of a value", 4)
	if kind >= uint64(len(ggufKinds)) {
		r.fail("type %d of a value: expected 0 to %d", kind, len(ggufKinds)-1)
		return 0
	}
	return ggufKind(kind)
}

// expect reports whether a value has the type wanted, and fails otherwise.
func (r *ggufReader) expect(key string, kind, want ggufKind, name string) bool {
	if kind != want {
		r.fail("%s: expected %s, found %s", key, name, ggufKinds[kind].name)
	}
	return r.err == nil
}

// integer reads an integer of any size. One over the range of int64 becomes negative, which no id or type is.
func (r *ggufReader) integer(key string, kind ggufKind) int64 {
	k := ggufKinds[kind]
	if !k.integer {
		r.fail("%s: expected an integer, found %s", key, k.name)
		return -1
	}
	n := r.number(key, k.size)
	if k.signed {
		unused := 64 - 8*k.size
		return int64(n<<unused) >> unused
	}
	return int64(n)
}

// each calls read for the elements of an array, until it returns false.
func (r *ggufReader) each(key string, kind ggufKind, read func(ggufKind) bool) {
	if !r.expect(key, kind, ggufArray, "an array") {
		return
	}
	element := r.kind()
	for n := r.number(key, r.width); n > 0 && r.err == nil && read(element); n-- {
	}
}

// skip skips a value.
func (r *ggufReader) skip(key string, kind ggufKind, depth int) {
	n := ggufKinds[kind].size
	switch {
	case kind == ggufString:
		n = r.number(key, r.width)
	case kind == ggufArray && depth == maxGGUFNesting:
		r.fail("%s: arrays nested deeper than %d", key, maxGGUFNesting)
	case kind == ggufArray:
		r.each(key, kind, func(element ggufKind) bool {
			r.skip(key, element, depth+1)
			return true
		})
		return
	}
	if r.advance(key, n) {
		_, r.err = r.in.Discard(int(n))
	}
}
