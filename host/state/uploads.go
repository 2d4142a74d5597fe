package state

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// uploads is the folder of the templates that operators have put, a file for each, so that a restart serves them again. The zero value
// keeps none.
type uploads struct {
	dir     string
	written map[string]string // the hash of each template that has a file, by name
}

// upload is the content of a file.
type upload struct {
	Name          string   `json:"name"`
	Source        string   `json:"source"`
	BOSToken      string   `json:"bos_token,omitempty"`
	EOSToken      string   `json:"eos_token,omitempty"`
	SpecialTokens []string `json:"special_tokens,omitempty"`
}

const uploadExt = ".json"

// path returns the file of a template. No name contains "~".
func (u *uploads) path(name string) string {
	return filepath.Join(u.dir, strings.ReplaceAll(name, "/", "~")+uploadExt)
}

// open reads the templates in a folder. Files that cannot be read are set aside, and the error has the reasons.
func (u *uploads) open(dir string) (entries map[string]*Entry, err error) {
	u.dir, u.written = dir, map[string]string{}
	files, _ := filepath.Glob(filepath.Join(dir, "*"+uploadExt)) // fails only for patterns
	entries = map[string]*Entry{}
	for _, file := range files {
		src, fault := u.read(file)
		if fault != nil {
			err = errors.Join(err, fmt.Errorf("%s: %w", file, fault), os.Rename(file, file+".damaged"))
			continue
		}
		e := NewEntry(src, nil)
		entries[e.Name], u.written[e.Name] = e, e.Hash
	}
	return entries, err
}

func (u *uploads) read(file string) (TemplateSource, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return TemplateSource{}, err
	}
	var one upload
	if err := json.Unmarshal(data, &one); err != nil {
		return TemplateSource{}, err
	}
	if err := checkName(one.Name); err != nil {
		return TemplateSource{}, err
	}
	if u.path(one.Name) != file {
		return TemplateSource{}, fmt.Errorf("it is the file of another template than %q", one.Name)
	}
	return TemplateSource{Name: one.Name, Source: one.Source, BOSToken: one.BOSToken, EOSToken: one.EOSToken, SpecialTokens: one.SpecialTokens, Origin: SourceUpload}, nil
}

// save makes the folder hold these templates. Each file is replaced at once: a crash leaves the earlier or the later template.
func (u *uploads) save(entries map[string]*Entry) (err error) {
	for name, e := range entries {
		if u.written[name] != e.Hash {
			err = errors.Join(err, u.write(e))
		}
	}
	for name := range u.written {
		if entries[name] != nil {
			continue
		}
		if gone := os.Remove(u.path(name)); gone != nil && !errors.Is(gone, fs.ErrNotExist) {
			err = errors.Join(err, gone)
			continue
		}
		delete(u.written, name)
	}
	return err
}

func (u *uploads) write(e *Entry) error {
	data, err := json.Marshal(upload{e.Name, e.Source, e.BOSToken, e.EOSToken, e.SpecialTokens})
	if err != nil {
		return err
	}
	if err := os.MkdirAll(u.dir, 0o700); err != nil {
		return err
	}
	if err := replaceFile(u.path(e.Name), data); err != nil {
		return err
	}
	u.written[e.Name] = e.Hash
	return nil
}

// replaceFile writes a file anew: a crash leaves the earlier or the later one.
func replaceFile(path string, data []byte) error {
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+"-")
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err = errors.Join(err, f.Sync(), f.Close()); err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return nil
}

// restoreUploads puts the templates in force that operators had put before the restart.
func (s *State) restoreUploads() {
	if s.memory.dir == "" {
		return
	}
	entries, err := s.uploads.open(filepath.Join(s.memory.dir, "templates"))
	if err != nil {
		s.Logger.Error("templates that were put before the restart cannot be read: put them again", "error", err)
	}
	first := *s.Current()
	first.layers[uploaded] = under(entries, first.Rules)
	s.current.Store(&first)
}
