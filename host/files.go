package host

import (
	"encoding/hex"
	"errors"
	"path/filepath"
	"slices"
	"strings"

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
	err := errors.Join(faults...)
	if err == nil {
		err = f.Apply(content)
	}
	h.note(filepath.Clean(f.Paths[0]), sum, err)
}

// gone says that a file that was named is not there.
func gone(path string) error {
	return &Error{Code: InvalidArgument, Place: path, Message: "there is no such file", Remedy: "what was read last stays in force"}
}

// confined are the changes of a folder, with an error in place of what a link brings in from outside of it: whoever may write
// into the folder must not get the daemon to read, and show, what else it can. Links within the folder are how Kubernetes
// mounts files.
func confined(dir string, changes []watch.Change) []watch.Change {
	changes = slices.Clone(changes)
	for i, c := range changes {
		if c.Data != nil && outside(dir, c.Path) {
			changes[i] = watch.Change{Path: c.Path, Err: &Error{Code: InvalidArgument, Place: c.Path, Message: "the file is a link out of its folder",
				Remedy: "copy it into the folder, or name the folder that it is in"}}
		}
	}
	return changes
}

// outside says whether a file of a folder is really somewhere else.
func outside(dir, path string) bool {
	folder, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return false // it has just been listed: gone by now, and told of with the next change
	}
	file, err := filepath.EvalSymlinks(path)
	return err == nil && !strings.HasPrefix(file, folder+string(filepath.Separator))
}
