package model

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
)

// Sampling holds the parameters of sampling that the authors of a model recommend; nil and 0: they do not say.
type Sampling struct {
	Temperature       *float64 `json:"temperature"`
	TopP              *float64 `json:"top_p"`
	TopK              *int     `json:"top_k"`
	MinP              *float64 `json:"min_p"`
	RepetitionPenalty *float64 `json:"repetition_penalty"`
	MaxNewTokens      int      `json:"max_new_tokens"`
}

// The files beside a model's templates that describe its use.
const (
	tokenizerFile  = "tokenizer.json"
	generationFile = "generation_config.json"
	modelFile      = "config.json"
)

// readGeneration reads how the model in a folder is used. The files may be missing.
func (m *Model) readGeneration(dir string) error {
	if err := readJSON(filepath.Join(dir, generationFile), &m.Sampling); err != nil {
		return err
	}
	type lengths struct {
		Positions int `json:"max_position_embeddings"`
		Sequence  int `json:"max_sequence_length"`
		Context   int `json:"n_positions"`
	}
	var config struct {
		lengths
		Text lengths `json:"text_config"`
	}
	if err := readJSON(filepath.Join(dir, modelFile), &config); err != nil {
		return err
	}
	for _, l := range []lengths{config.lengths, config.Text} {
		m.ContextLength = max(m.ContextLength, l.Positions, l.Sequence, l.Context)
	}
	return nil
}

// readJSON reads a file; target stays as it is if there is none.
func readJSON(path string, target any) error {
	data, err := readFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil {
		data = bytes.TrimPrefix(data, []byte("\uFEFF")) // a byte order mark
		if err = json.Unmarshal(data, target); err != nil {
			err = fmt.Errorf("%s:%s: %w", path, position(data, err), err)
		}
	}
	return err
}

// tokenizerIn returns the path of the tokenizer in a folder; "" if there is none.
func tokenizerIn(dir string) string {
	path := filepath.Join(dir, tokenizerFile)
	if _, err := statFile(path); err != nil {
		return ""
	}
	return path
}
