package watch

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// maxLinks is how many symbolic links a path may contain, as in the kernel.
const maxLinks = 40

// follow sets watches on the directories that matter now and removes the others. It returns false if one of them has vanished
// meanwhile and following must be tried again soon; other failures are faults, and polling replaces the events.
func (l *loop) follow(found faults) (ok bool) {
	if l.w.fs == nil {
		return true
	}
	ok = true
	wanted := l.wanted()
	for dir := range l.watched {
		if !wanted[dir] {
			delete(l.watched, dir)
			_ = l.w.fs.Remove(dir) // fails only when the watch is gone already
		}
	}
	for dir := range wanted {
		switch err := l.ensure(dir); {
		case errors.Is(err, fs.ErrNotExist):
			ok = false
		case err != nil && found[dir] == nil:
			found[dir] = fmt.Errorf("cannot watch %s, so changes are seen only every %v: %w", dir, l.w.opts.Poll, err)
		}
	}
	return ok
}

// wanted returns the directories whose events can change what the watched paths name.
func (l *loop) wanted() map[string]bool {
	wanted := map[string]bool{}
	for _, s := range l.sources {
		if s.glob != "" {
			addDirectories(wanted, filepath.Join(absolute(s.path), "any"))
		}
	}
	for _, f := range l.files {
		addDirectories(wanted, f.abs)
	}
	return wanted
}

// ensure watches dir, and replaces the watch if another directory has the name now.
func (l *loop) ensure(dir string) error {
	info, err := os.Stat(dir)
	if err != nil {
		return err
	}
	if was := l.watched[dir]; was != nil {
		if os.SameFile(was, info) {
			return nil
		}
		delete(l.watched, dir)
		_ = l.w.fs.Remove(dir) // fails only when the watch is gone already
	}
	if err := l.w.fs.Add(dir); err != nil {
		return err
	}
	l.watched[dir] = info
	return nil
}

// addDirectories adds the directories, free of symbolic links, that contain the links on an absolute path and its end. If the path
// does not exist, the last one is the deepest directory that does.
func addDirectories(to map[string]bool, path string) {
	root := string(filepath.Separator)
	dir, rest := root, elements(path)
	for links := 0; len(rest) > 0; {
		name := rest[0]
		rest = rest[1:]
		if name == ".." {
			dir = filepath.Dir(dir)
			continue
		}
		full := filepath.Join(dir, name)
		info, err := os.Lstat(full)
		switch {
		case err == nil && info.Mode()&fs.ModeSymlink != 0:
			to[dir] = true
			target, err := os.Readlink(full)
			if links++; err != nil || links > maxLinks {
				return
			}
			if filepath.IsAbs(target) {
				dir = root
			}
			rest = append(elements(target), rest...)
		case err == nil && info.IsDir() && len(rest) > 0:
			dir = full
		default:
			to[dir] = true
			return
		}
	}
	to[dir] = true
}

func elements(path string) []string {
	return strings.FieldsFunc(filepath.Clean(path), func(r rune) bool { return r == filepath.Separator })
}

// absolute returns the absolute path; on failure, path itself.
func absolute(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		return abs
	}
	return path
}
