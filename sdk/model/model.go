// Package model reads chat templates from where models keep them: a bare .jinja file, a tokenizer_config.json or
// chat_template.json, a directory as published on model hubs, or the header of a GGUF file. It finds models by their names on the
// hub, "org/name", in the cache that Hugging Face's tools share; it reads files only, and downloads nothing.
//
// A model can have several templates. One has no name and is the default; the others are named, and by convention the one
// called "tool_use" replaces the default in requests with tools. The package also reads the special tokens that templates
// use, bos_token and eos_token, and the list of all special tokens, if the form has one.
//
// In a directory, files override each other as in tokenizers: chat_template.jinja overrides chat_template.json, and both
// override tokenizer_config.json.
//
// Words that must not be confused: a *model* here is a place with templates in it; a *variant* is one of its templates.
package model

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"
)

// ToolUse is the name of the variant for requests with tools.
const ToolUse = "tool_use"

// Model holds a model's templates and special tokens.
type Model struct {
	// Name is the name of the directory, of the file without its extension, or "org/name" of a model in the cache.
	Name string
	// Path is the path that it was read from: in the cache, the folder of the revision.
	Path string
	// Variants are the templates; the default has an empty name and comes first.
	Variants []Variant
	BOSToken string
	EOSToken string
	// SpecialTokens are all tokens that the model's files call special; empty if the form does not list them.
	SpecialTokens []string

	// Tokenizer is the path of the model's vocabulary, a tokenizer.json or the .gguf file itself; empty if there is none.
	Tokenizer string
	// ContextLength is how many tokens the model can see; 0 if unknown.
	ContextLength int
	// Sampling is recommended by the model's authors.
	Sampling Sampling
}

// Variant is one template of a model.
type Variant struct {
	Name   string
	Source string
}

// The names of files and of the folder of named templates in a model's directory.
const (
	configFile = "tokenizer_config.json"
	bareFile   = "chat_template.jinja"
	namedDir   = "additional_chat_templates"
)

// maxFile limits the size of files, and of GGUF headers; real ones are far smaller.
const maxFile = 64 << 20

// Load reads the model at path, or, if there is no such path, the model of that name in Hugging Face's cache: "org/name" or
// "org/name@revision". Errors have the file and the place at fault; a path without a template is an error.
func Load(path string) (*Model, error) {
	path, name, err := resolve(path)
	if err != nil {
		return nil, err
	}
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	m := &Model{Path: path, Name: name}
	switch ext := strings.ToLower(filepath.Ext(path)); {
	case info.IsDir():
		err = m.readDir(path)
	case ext == ".gguf":
		err = m.readGGUF(path)
	case ext == ".json":
		err = m.readConfig(path)
	default:
		err = m.readBare(path)
	}
	if err != nil {
		return nil, err
	}
	if folder := m.folder(info); folder != "" {
		m.Tokenizer = tokenizerIn(folder)
		if err := m.readGeneration(folder); err != nil {
			return nil, err
		}
	}
	if len(m.Variants) == 0 {
		return nil, fmt.Errorf("%s: no chat template found; expected a .jinja file, a tokenizer_config.json or chat_template.json with the member chat_template, a directory with one of them, or a .gguf file", path)
	}
	for _, v := range m.Variants {
		switch {
		case strings.TrimSpace(v.Source) == "":
			return nil, fmt.Errorf("%s: the template %sis empty", path, called(v.Name))
		case !utf8.ValidString(v.Source):
			return nil, fmt.Errorf("%s: the template %sis not valid UTF-8", path, called(v.Name))
		}
	}
	slices.SortStableFunc(m.Variants, func(a, b Variant) int { return strings.Compare(a.Name, b.Name) })
	return m, nil
}

// folder returns the folder with the model's other files; "" if there is none. A bare template may belong to no model.
func (m *Model) folder(info fs.FileInfo) string {
	switch name := filepath.Base(m.Path); {
	case info.IsDir():
		return m.Path
	case name == configFile, name == bareFile, name == "chat_template.json":
		return filepath.Dir(m.Path)
	}
	return ""
}

// called returns the name of a variant for errors, after the word template.
func called(variant string) string {
	if variant == "" {
		return ""
	}
	return variant + " "
}

// modelName returns the model's name: that of its file, or of its folder if the file has the same name in every model.
func modelName(path string) string {
	abs, err := filepath.Abs(path)
	if err != nil {
		abs = path
	}
	base := filepath.Base(abs)
	switch name := strings.TrimSuffix(base, filepath.Ext(base)); {
	case name == "chat_template", name == "tokenizer_config":
		return filepath.Base(filepath.Dir(abs))
	case slices.Contains([]string{".jinja", ".json", ".gguf"}, strings.ToLower(filepath.Ext(base))):
		return name
	}
	return base
}

// readBare reads a .jinja file, and the tokens of a tokenizer_config.json beside it.
func (m *Model) readBare(path string) error {
	source, err := readFile(path)
	if err != nil {
		return err
	}
	config := filepath.Join(filepath.Dir(path), configFile)
	if err := m.readConfig(config); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	m.Variants = []Variant{{Source: string(source)}}
	return nil
}

// readDir reads a model's directory. Later files override earlier ones, variant by variant.
func (m *Model) readDir(dir string) error {
	for _, name := range []string{configFile, "chat_template.json"} {
		if err := m.readConfig(filepath.Join(dir, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	if source, err := readFile(filepath.Join(dir, bareFile)); err == nil {
		m.set("", string(source))
	} else if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	named, err := filepath.Glob(filepath.Join(dir, namedDir, "*.jinja"))
	if err != nil {
		return err
	}
	for _, path := range named {
		source, err := readFile(path)
		if err != nil {
			return err
		}
		m.set(strings.TrimSuffix(filepath.Base(path), ".jinja"), string(source))
	}
	return nil
}

// set adds a variant, or replaces the one of that name.
func (m *Model) set(name, source string) {
	if name == "default" {
		name = ""
	}
	for i := range m.Variants {
		if m.Variants[i].Name == name {
			m.Variants[i].Source = source
			return
		}
	}
	m.Variants = append(m.Variants, Variant{Name: name, Source: source})
}

// statFile is os.Stat for files.
func statFile(path string) (fs.FileInfo, error) {
	info, err := os.Stat(path)
	if err == nil && info.IsDir() {
		err = fmt.Errorf("%s: expected a file, found a folder", path)
	}
	return info, err
}

func readFile(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if info.Size() > maxFile {
		return nil, fmt.Errorf("%s: %d bytes; expected at most %d", path, info.Size(), maxFile)
	}
	return os.ReadFile(path)
}
