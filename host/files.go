package host

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
)

// File is content that somebody beside the host reads from disk: keys, a certificate. The host watches it like its own
// sources, and says in status and log what became of it.
type File struct {
	// Name is what the source is called in the status.
	Name string
	// Paths are the files, one or several that belong together, such as a certificate and its key.
	Paths []string
	// Apply puts settled content in force: of the paths that have changed, at the start of all. Its error says why it cannot
	// be: then what was in force before stays.
	Apply func(changed map[string][]byte) error
}

// has says whether one of the paths is path.
func (f File) has(path string) bool {
	return slices.ContainsFunc(f.Paths, func(p string) bool { return filepath.Clean(p) == path })
}

// applyFiles hands what changed to those who read it.
func (h *Host) applyFiles(changes []watch.Change) {
	for _, f := range h.opts.Files {
		var own []watch.Change
		for _, c := range changes {
			if f.has(c.Path) {
				own = append(own, c)
			}
		}
		if own != nil {
			h.applyFile(f, own)
		}
	}
}

// applyFile hands settled content to the one who reads it, and notes the outcome under the first of the paths.
func (h *Host) applyFile(f File, changes []watch.Change) {
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
	if len(content) > 0 { // also beside a fault: it is not told again
		faults = append(faults, f.Apply(content))
	}
	h.note(f.Name, filepath.Clean(f.Paths[0]), sum, errors.Join(faults...))
}

// gone says that a file that was named is not there.
func gone(path string) error {
	return &Error{Code: InvalidArgument, Place: path, Message: "there is no such file", Remedy: "what was read last stays in force"}
}

// usable are the changes of a folder of templates, with an error in place of what cannot be used: files that nobody could ask
// for, and what a link brings in from outside of the folder, for whoever may write into it must not get the daemon to read, and
// show, what else it can. Links within the folder are how Kubernetes mounts files.
func usable(dir string, changes []watch.Change) []watch.Change {
	changes = slices.Clone(changes)
	for i, c := range changes {
		if c.Data == nil {
			continue
		}
		fault := checkFileName(c.Path)
		if fault == nil && outside(dir, c.Path) {
			fault = &Error{Code: InvalidArgument, Place: c.Path, Message: "the file is a link out of its folder, or gone again",
				Remedy: "copy it into the folder, or name the folder that it is in"}
		}
		if fault == nil && !utf8.Valid(c.Data) {
			fault = &Error{Code: InvalidArgument, Place: c.Path, Message: "the template is not text in UTF-8", Remedy: "save it as UTF-8"}
		}
		if fault != nil {
			changes[i] = watch.Change{Path: c.Path, Err: fault}
		}
	}
	return changes
}

// checkFileName refuses files of templates whose names cannot stand in a request.
func checkFileName(path string) error {
	name := canonicalName(filepath.Base(path))
	plain := utf8.ValidString(name) && strings.IndexFunc(name, unicode.IsControl) < 0
	if plain && name != "" && len(name) <= maxTemplateName && canonicalName(name) == name {
		return nil
	}
	return &Error{Code: InvalidArgument, Place: fmt.Sprintf("%q", path), Message: "no request can name this template",
		Remedy: fmt.Sprintf("rename the file: at most %d bytes of plain UTF-8, with %s at the end once", maxTemplateName, templateEnding)}
}

// outside says whether a file of a folder is really somewhere else, or cannot be found any longer.
func outside(dir, path string) bool {
	folder, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return true
	}
	file, err := filepath.EvalSymlinks(path)
	return err != nil || !strings.HasPrefix(file, strings.TrimSuffix(folder, string(filepath.Separator))+string(filepath.Separator))
}
