package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// style is a way of rewriting a file that is in use.
type style struct {
	name  string
	write func(path, content string) error
}

// pause is the time between two writes of a slow writer.
const pause = 20 * time.Millisecond

// styles lists them. The last one replaces the folder behind a symbolic link, and makes the file a link into it.
var styles = []style{
	{"rename", rename},
	{"truncate and write", func(path, content string) error { return overwrite(path, content, 1, 0) }},
	{"chunked write with pauses", func(path, content string) error { return overwrite(path, content, 4, pause) }},
	{"symlink swap", swap},
}

// rename writes a new file and renames it over the old one, as editors do.
func rename(path, content string) error {
	next := filepath.Join(filepath.Dir(path), ".next")
	return errors.Join(os.WriteFile(next, []byte(content), 0o644), os.Rename(next, path))
}

// overwrite truncates the file and writes it in pieces, as cp and slow disks do.
func overwrite(path, content string, pieces int, pause time.Duration) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o644)
	if err != nil {
		return err
	}
	size := len(content)/pieces + 1
	for content != "" {
		n := min(size, len(content))
		_, fault := f.WriteString(content[:n])
		err = errors.Join(err, fault)
		content = content[n:]
		time.Sleep(pause)
	}
	return errors.Join(err, f.Close())
}

// swap publishes a new folder by one rename of a link to it, as Kubernetes does.
func swap(path, content string) error {
	dir, name := filepath.Split(path)
	next, err := os.MkdirTemp(dir, "..version")
	if err != nil {
		return err
	}
	data, link := filepath.Join(dir, "..data"), filepath.Join(dir, "..link")
	old, _ := os.Readlink(data)
	err = errors.Join(
		os.WriteFile(filepath.Join(next, name), []byte(content), 0o644),
		os.Symlink(filepath.Base(next), link),
		os.Rename(link, data))
	if to, _ := os.Readlink(path); err == nil && to != filepath.Join("..data", name) {
		err = errors.Join(os.Symlink(filepath.Join("..data", name), link), os.Rename(link, path))
	}
	if strings.HasPrefix(old, "..version") && err == nil {
		err = os.RemoveAll(filepath.Join(dir, old))
	}
	return err
}
