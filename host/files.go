package host

import (
	"encoding/hex"
	"path/filepath"
	"slices"

	"github.com/dragoman-project/dragoman/host/watch"
)

// File is content that somebody beside the host reads from disk: keys, a certificate. The host watches it like its own
// sources, and says in status and log what became of it.
type File struct {
	// Name is what the source is called in the status.
	Name string
	// Paths are the files, one or several that belong together, such as a certificate and its key.
	Paths []string
	// Apply puts the settled content of one of the paths in force. Its error says why it cannot be: then what was in force
	// before stays.
	Apply func(path string, content []byte) error
}

// fileAt finds the further file that has a path, if one has.
func (h *Host) fileAt(path string) (File, bool) {
	for _, f := range h.opts.Files {
		if slices.ContainsFunc(f.Paths, func(p string) bool { return filepath.Clean(p) == path }) {
			return f, true
		}
	}
	return File{}, false
}

// applyFile hands settled content to the one who reads it, and notes the outcome under the first of the paths.
func (h *Host) applyFile(f File, c watch.Change) {
	err := c.Err
	switch {
	case err != nil:
	case c.Removed:
		err = gone(c.Path)
	default:
		err = f.Apply(c.Path, c.Data)
	}
	h.note(filepath.Clean(f.Paths[0]), hex.EncodeToString(c.SHA256[:]), err)
}

// gone says that a file that was named is not there.
func gone(path string) error {
	return &Error{Code: InvalidArgument, Place: path, Message: "there is no such file", Remedy: "what was read last stays in force"}
}
