package state

import (
	"encoding/hex"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/dragoman-project/dragoman/host/watch"
	"github.com/dragoman-project/dragoman/sdk/fault"
)

// File is content on disk that others use: keys, a certificate. It is watched like the configuration, and its state is in status and
// log.
type File struct {
	// Name is the name of the source in the status.
	Name string
	// Paths are the files, one or several that belong together, such as a certificate and its key.
	Paths []string
	// Apply puts settled content in force: that of the paths that have changed, at the start of all. After an error, what was in
	// force before stays.
	Apply func(changed map[string][]byte) error
}

// has reports whether one of the paths is path.
func (f File) has(path string) bool {
	return slices.ContainsFunc(f.Paths, func(p string) bool { return filepath.Clean(p) == path })
}

// applyFiles passes changes to the users of Options.Files.
func (s *State) applyFiles(changes []watch.Change) {
	for _, f := range s.Files {
		var own []watch.Change
		for _, c := range changes {
			if f.has(c.Path) {
				own = append(own, c)
			}
		}
		if own != nil {
			s.applyFile(f, own)
		}
	}
}

// applyFile passes settled content to its user, and records the outcome under the first of the paths.
func (s *State) applyFile(f File, changes []watch.Change) {
	content := map[string][]byte{}
	var faults []error
	sum := ""
	for _, c := range changes {
		switch {
		case c.Err != nil:
			faults = append(faults, c.Err)
		case c.Removed:
			faults = append(faults, gone(c.Path))
		default:
			content[c.Path] = c.Data
			sum = hex.EncodeToString(c.SHA256[:])
		}
	}
	if len(content) > 0 { // beside a fault, too: the change is reported once
		faults = append(faults, f.Apply(content))
	}
	s.note(f.Name, filepath.Clean(f.Paths[0]), sum, errors.Join(faults...))
}

// gone returns the error for a configured file that does not exist.
func gone(path string) error {
	return &fault.Error{Code: fault.InvalidArgument, Place: path, Message: "there is no such file", Remedy: "what was read last stays in force"}
}

// usable returns the changes of a folder of templates, with an error in place of what cannot be used: files that no request can
// name, and links to files outside the folder, since a writer of the folder must not make the daemon read and show other files.
// Links within the folder are how Kubernetes mounts files.
func usable(dir string, changes []watch.Change) []watch.Change {
	changes = slices.Clone(changes)
	for i, c := range changes {
		if c.Data == nil {
			continue
		}
		err := checkFileName(c.Path)
		if err == nil && outside(dir, c.Path) {
			err = &fault.Error{Code: fault.InvalidArgument, Place: c.Path, Message: "the file is a link out of its folder, or gone again",
				Remedy: "copy it into the folder, or name the folder that it is in"}
		}
		if err == nil && !utf8.Valid(c.Data) {
			err = &fault.Error{Code: fault.InvalidArgument, Place: c.Path, Message: "the template is not valid UTF-8", Remedy: "save it as UTF-8"}
		}
		if err != nil {
			changes[i] = watch.Change{Path: c.Path, Err: err}
		}
	}
	return changes
}

// checkFileName rejects files of templates whose names cannot be written in a request.
func checkFileName(path string) error {
	name := CanonicalName(filepath.Base(path))
	plain := utf8.ValidString(name) && strings.IndexFunc(name, unicode.IsControl) < 0
	if plain && name != "" && len(name) <= maxTemplateName && CanonicalName(name) == name {
		return nil
	}
	return &fault.Error{Code: fault.InvalidArgument, Place: fmt.Sprintf("%q", path), Message: "no request can name this template",
		Remedy: fmt.Sprintf("rename the file: at most %d bytes of plain UTF-8, with %s at the end once", maxTemplateName, templateExt)}
}

// outside reports whether a file of a folder is really elsewhere, or gone.
func outside(dir, path string) bool {
	folder, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return true
	}
	file, err := filepath.EvalSymlinks(path)
	return err != nil || !strings.HasPrefix(file, strings.TrimSuffix(folder, string(filepath.Separator))+string(filepath.Separator))
}
