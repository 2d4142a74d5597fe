package tokenizer

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/dragoman-project/dragoman/sdk/fault"
)

// The files of a tokenizer in a model's folder.
const (
	fileName   = "tokenizer.json"
	configName = "tokenizer_config.json"
)

// Open reads the tokenizer at path: a tokenizer.json with the tokenizer_config.json beside it, if there is one, the folder of
// a model with them, or a .gguf file. Errors name the file and
// the place at fault.
func Open(path string) (*Tokenizer, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if info.IsDir() {
		path = filepath.Join(path, fileName)
	}
	if strings.EqualFold(filepath.Ext(path), ".gguf") {
		return readGGUF(path)
	}
	in, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, &fault.Error{Code: fault.NotFound, Place: path, Message: "the model has no tokenizer.json", Remedy: "add the model's file, or name a .gguf file", Err: err}
	}
	if err != nil {
		return nil, err
	}
	defer in.Close()
	c, err := readConfig(filepath.Join(filepath.Dir(path), configName))
	if err != nil {
		return nil, err
	}
	t, err := read(in, c)
	if err != nil {
		return nil, within(path, err)
	}
	return t, nil
}

// within puts the path of a file before the place of an error.
func within(path string, err error) error {
	var known *fault.Error
	if !errors.As(err, &known) {
		return &fault.Error{Code: fault.InvalidArgument, Place: path, Message: err.Error(), Err: err}
	}
	out := *known
	out.Place = strings.TrimSuffix(path+": "+known.Place, ": ")
	return &out
}
