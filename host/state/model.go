package state

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"

	"github.com/dragoman-project/dragoman/internal/spelling"
	"github.com/dragoman-project/dragoman/sdk/fault"
	"github.com/dragoman-project/dragoman/sdk/model"
	"github.com/dragoman-project/dragoman/sdk/tokenizer"
)

// Model is what the files of a model have beside its templates. Its tokenizer is read on first use, by the first that asks; others
// wait for it no longer than they want.
type Model struct {
	*model.Model
	file      string // identifies the content of the vocabulary
	tokenizer *learning[*tokenizer.Tokenizer]
}

// readers bounds how many vocabularies are read at once.
var readers = make(places, max(1, runtime.GOMAXPROCS(0)-1))

func newModel(m *model.Model) *Model {
	out := &Model{Model: m}
	if info, err := os.Stat(m.Tokenizer); err == nil {
		real, _ := filepath.EvalSymlinks(m.Tokenizer) // in a cache, a link to the content
		out.file = fmt.Sprint(cmp.Or(real, m.Tokenizer), info.Size(), info.ModTime().UnixNano())
	}
	out.tokenizer = newLearning(func(ctx context.Context) (*tokenizer.Tokenizer, error) {
		if err := readers.enter(ctx); err != nil {
			return nil, err
		}
		defer readers.Unlock()
		return tokenizer.Open(m.Tokenizer)
	})
	return out
}

// Tokenize returns the model's tokenizer.
func (m *Model) Tokenize(ctx context.Context) (*tokenizer.Tokenizer, error) {
	return m.tokenizer.get(ctx)
}

// same reports whether both have the same vocabulary; nil has none.
func (m *Model) same(other *Model) bool {
	if m == nil || other == nil {
		return m == other
	}
	return m.file == other.file
}

// ModelOf returns the model that a template belongs to, if its tokenizer is known.
func (s *Snapshot) ModelOf(e *Entry) (*Model, error) {
	if e.model != nil && e.model.Tokenizer != "" {
		return e.model, nil
	}
	m, err := s.Model(e.Name)
	if err != nil {
		return nil, &fault.Error{Code: fault.NotFound, Place: "template", Message: fmt.Sprintf("the tokenizer of %q is not known", e.Name),
			Remedy: "put its model, with a tokenizer.json, or a .gguf file, into templates.models, or send the output as text", Err: err}
	}
	return m, nil
}

// Model returns the model of that name, if its tokenizer is known. Its templates have the same name, but may come from another place.
func (s *Snapshot) Model(name string) (*Model, error) {
	if e := s.layers[models][name]; e != nil && e.model.Tokenizer != "" && e.model.Name == name {
		return e.model, nil
	}
	names := s.Models()
	remedy := "name a model with a tokenizer.json in templates.models"
	switch near := spelling.Nearest(name, names); {
	case len(near) > 0:
		remedy = "did you mean " + quoted(near, " or ") + "?"
	case len(names) > 0:
		remedy = "the models are " + quoted(names[:min(len(names), maxListed)], ", ")
	}
	return nil, &fault.Error{Code: fault.NotFound, Place: "model", Message: fmt.Sprintf("the model %q does not exist, or its tokenizer is not known", name), Remedy: remedy}
}

// Models returns the names of the models whose tokenizers are known, sorted.
func (s *Snapshot) Models() (names []string) {
	for _, name := range sortedNames(s.layers[models]) {
		if m := s.layers[models][name].model; m.Tokenizer != "" && m.Name == name {
			names = append(names, name)
		}
	}
	return names
}

// readTokenizers reads the tokenizers of all models, so that requests need not wait for them.
func (s *State) readTokenizers(ctx context.Context) {
	snap := s.Current()
	for _, name := range snap.Models() {
		m, err := snap.Model(name)
		if err != nil {
			continue
		}
		if _, err := m.Tokenize(ctx); err != nil && ctx.Err() == nil {
			s.Logger.Error("the model's tokenizer cannot be used", "model", name, "error", err)
		}
	}
}
