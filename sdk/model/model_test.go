package model_test

import (
	"bytes"
	"encoding/binary"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/dragoman-project/dragoman/sdk/model"
)

// files writes a directory.
func files(t testing.TB, contents map[string]string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "small-model")
	for name, content := range contents {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

const named = `{"bos_token": {"content": "<s>", "lstrip": false}, "eos_token": "</s>", "additional_special_tokens": ["<|x|>"],
	"added_tokens_decoder": {"1": {"content": "<y>", "special": true}, "2": {"content": "plain", "special": false}},
	"chat_template": [{"name": "tool_use", "template": "T"}, {"name": "default", "template": "D"}]}`

func TestEveryFormOfAModelIsRead(t *testing.T) {
	both := []model.Variant{{Source: "D"}, {Name: "tool_use", Source: "T"}}
	tests := []struct {
		name     string
		files    map[string]string
		path     string
		variants []model.Variant
		bos, eos string
	}{
		{"a bare template", map[string]string{"a.jinja": "D"}, "a.jinja", []model.Variant{{Source: "D"}}, "", ""},
		{"a bare template beside a configuration", map[string]string{"chat_template.jinja": "D", "tokenizer_config.json": `{"eos_token": "</s>"}`},
			"chat_template.jinja", []model.Variant{{Source: "D"}}, "", "</s>"},
		{"a configuration with one template", map[string]string{"tokenizer_config.json": `{"chat_template": "D", "bos_token": null}`},
			"tokenizer_config.json", []model.Variant{{Source: "D"}}, "", ""},
		{"a configuration with a byte order mark", map[string]string{"tokenizer_config.json": "\uFEFF{\r\n\"chat_template\": \"D\"}"},
			"tokenizer_config.json", []model.Variant{{Source: "D"}}, "", ""},
		{"a configuration with named templates", map[string]string{"tokenizer_config.json": named}, "tokenizer_config.json", both, "<s>", "</s>"},
		{"chat_template.json", map[string]string{"chat_template.json": `{"chat_template": "D"}`}, "chat_template.json", []model.Variant{{Source: "D"}}, "", ""},
		{"a directory", map[string]string{"tokenizer_config.json": named}, "", both, "<s>", "</s>"},
		{"a directory whose .jinja wins", map[string]string{"tokenizer_config.json": named, "chat_template.jinja": "J"}, "",
			[]model.Variant{{Source: "J"}, {Name: "tool_use", Source: "T"}}, "<s>", "</s>"},
		{"a directory with additional templates", map[string]string{"chat_template.jinja": "D", "additional_chat_templates/tool_use.jinja": "T"}, "", both, "", ""},
		{"a GGUF file", map[string]string{"m.gguf": header(
			entry{"general.architecture", "x"}, entry{"tokenizer.chat_template", "D"}, entry{"tokenizer.chat_template.tool_use", "T"},
			entry{"tokenizer.ggml.tokens", []string{"a", "<s>", "</s>"}}, entry{"tokenizer.ggml.token_type", []int32{1, 3, 3}},
			entry{"tokenizer.ggml.bos_token_id", uint32(1)}, entry{"tokenizer.ggml.eos_token_id", uint32(2)},
		)}, "m.gguf", both, "<s>", "</s>"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m, err := model.Load(filepath.Join(files(t, tt.files), tt.path))
			if err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(m.Variants, tt.variants) || m.BOSToken != tt.bos || m.EOSToken != tt.eos {
				t.Errorf("got %+v, want variants %+v, bos %q, eos %q", m, tt.variants, tt.bos, tt.eos)
			}
		})
	}
}

func TestSpecialTokensAreListedOnce(t *testing.T) {
	m, err := model.Load(files(t, map[string]string{"tokenizer_config.json": named}))
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"</s>", "<s>", "<y>", "<|x|>"}; !reflect.DeepEqual(m.SpecialTokens, want) {
		t.Errorf("special tokens %q, want %q", m.SpecialTokens, want)
	}
}

func TestAModelIsNamedAfterItsFileOrFolder(t *testing.T) {
	dir := files(t, map[string]string{"tokenizer_config.json": named, "other.jinja": "D"})
	for path, want := range map[string]string{dir: "small-model", filepath.Join(dir, "tokenizer_config.json"): "small-model", filepath.Join(dir, "other.jinja"): "other"} {
		m, err := model.Load(path)
		if err != nil {
			t.Fatal(err)
		}
		if m.Name != want {
			t.Errorf("%s is named %q, want %q", path, m.Name, want)
		}
	}
}

func TestFaultsAreReportedWithTheirPlaces(t *testing.T) {
	tests := []struct{ name, file, content, want string }{
		{"broken JSON", "tokenizer_config.json", "{\n \"eos_token\": }", "tokenizer_config.json:2:15"},
		{"a template of the wrong kind", "tokenizer_config.json", `{"chat_template": 3}`, "chat_template: expected a string"},
		{"a named template without a name", "tokenizer_config.json", `{"chat_template": [{"template": "x"}]}`, "chat_template: [0]: expected"},
		{"a token of the wrong kind", "tokenizer_config.json", `{"eos_token": 3}`, "special token: expected a string, or an object with the string as its content, found 3"},
		{"an empty template", "tokenizer_config.json", `{"chat_template": " \n"}`, "tokenizer_config.json: the template is empty"},
		{"an empty named template", "tokenizer_config.json", `{"chat_template": [{"name": "rag", "template": ""}]}`, "the template rag is empty"},
		{"an empty file", "a.jinja", "", "a.jinja: the template is empty"},
		{"a file that is not text", "a.jinja", "\xff\x00", "a.jinja: the template is not valid UTF-8"},
		{"a GGUF file whose template is not text", "m.gguf", header(entry{"tokenizer.chat_template", "\xff"}), "m.gguf: the template is not valid UTF-8"},
		{"no template at all", "tokenizer_config.json", `{}`, "no chat template found"},
		{"not a GGUF file", "m.gguf", "GGUX0000", `m.gguf: byte 4: not a GGUF file: expected it to begin with "GGUF", found "GGUX"`},
		{"a GGUF file of a later version", "m.gguf", "GGUF\x09\x00\x00\x00", "m.gguf: byte 8: GGUF version 9: expected 1 to 3"},
		{"a GGUF file cut off", "m.gguf", header(entry{"tokenizer.chat_template", "D"})[:60],
			"m.gguf: byte 59: tokenizer.chat_template: expected 8 bytes, found 1 before the end of the file; is it complete?"},
		{"a GGUF file whose text is longer than the file", "m.gguf", header()[:16] + "\x01\x00\x00\x00\x00\x00\x00\x00\xff\xff\xff\xff\xff\xff\xff\xff",
			"m.gguf: byte 32: a key: expected 18446744073709551615 bytes, found 0 before the end"},
		{"a GGUF file whose template is a number", "m.gguf", header(entry{"tokenizer.chat_template", uint32(1)}),
			"m.gguf: byte 59: tokenizer.chat_template: expected a string, found uint32"},
		{"a GGUF file whose tokens are numbers", "m.gguf", header(entry{"tokenizer.ggml.tokens", []int32{1}}),
			"tokenizer.ggml.tokens: expected an array of strings, found int32"},
		{"a GGUF file whose id is a text", "m.gguf", header(entry{"tokenizer.ggml.bos_token_id", "1"}),
			"tokenizer.ggml.bos_token_id: expected an integer, found string"},
		{"a GGUF file with an unknown type", "m.gguf", header(entry{"x", raw("\x0d\x00\x00\x00")}), "type 13 of a value: expected 0 to 12"},
		{"a GGUF file with nested arrays", "m.gguf", header(entry{"x", raw("\x09\x00\x00\x00" + strings.Repeat("\x09\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00\x00", 6))}), "x: arrays nested deeper than 4"},
		{"a GGUF file without a template", "m.gguf", header(entry{"general.architecture", "x"}), "no chat template found"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := model.Load(filepath.Join(files(t, map[string]string{tt.file: tt.content}), tt.file))
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want one with %q", err, tt.want)
			}
		})
	}
}

func FuzzLoad(f *testing.F) {
	f.Add("tokenizer_config.json", []byte(named))
	f.Add("m.gguf", []byte(header(entry{"tokenizer.chat_template", "D"}, entry{"tokenizer.ggml.tokens", []string{"a"}})))
	f.Fuzz(func(t *testing.T, name string, content []byte) {
		if name != "m.gguf" {
			name = "tokenizer_config.json"
		}
		m, err := model.Load(filepath.Join(files(t, map[string]string{name: string(content)}), name))
		if err == nil && len(m.Variants) == 0 {
			t.Error("no template and no error")
		}
	})
}

// entry is a key and a value of a GGUF header.
type entry struct {
	key   string
	value any
}

// raw is the bytes of a value, with its type.
type raw string

// header writes the header of a GGUF file without tensors.
func header(entries ...entry) string {
	var b bytes.Buffer
	put := func(values ...any) {
		for _, v := range values {
			if s, ok := v.(string); ok {
				_ = binary.Write(&b, binary.LittleEndian, uint64(len(s)))
				b.WriteString(s)
				continue
			}
			_ = binary.Write(&b, binary.LittleEndian, v)
		}
	}
	b.WriteString("GGUF")
	put(uint32(3), uint64(0), uint64(len(entries)))
	for _, e := range entries {
		put(e.key)
		switch v := e.value.(type) {
		case raw:
			b.WriteString(string(v))
		case string:
			put(uint32(8), v)
		case uint32:
			put(uint32(4), v)
		case []string:
			put(uint32(9), uint32(8), uint64(len(v)))
			for _, s := range v {
				put(s)
			}
		case []int32:
			put(uint32(9), uint32(5), uint64(len(v)))
			for _, n := range v {
				put(n)
			}
		}
	}
	return b.String()
}
