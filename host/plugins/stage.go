package plugins

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// maxExecutable is how many bytes an executable may have.
const maxExecutable = 1 << 30

// copyPrefix begins the names of copies.
const copyPrefix = "bin-"

var errBusy = errors.New("somebody is writing to it; it is tried again when the file has settled")

// binary is a private copy of an executable.
type binary struct {
	path   string // empty: it is not copied yet
	sha256 string
	info   fs.FileInfo // of the executable that was copied
}

// inspect says whether an executable could be copied.
func inspect(path string) (binary, error) {
	f, err := os.Open(path)
	if err != nil {
		return binary{}, err
	}
	defer f.Close()
	info, err := runnable(f)
	if err != nil {
		return binary{}, fmt.Errorf("%s: %w", path, err)
	}
	return binary{info: info}, nil
}

// copies says whether b is a copy of the file that info describes, as far as one can tell without reading it.
func (b binary) copies(info fs.FileInfo) bool {
	return b.info != nil && os.SameFile(b.info, info) && b.info.Size() == info.Size() && b.info.ModTime().Equal(info.ModTime())
}

// stage copies an executable into the run directory and checks it. The copy is named after its content, so that the same
// content is kept once; want is its expected checksum, or empty.
func (d *runDir) stage(path, want string) (binary, error) {
	f, err := os.Open(path)
	if err != nil {
		return binary{}, err
	}
	defer f.Close()
	before, err := runnable(f)
	if err != nil {
		return binary{}, fmt.Errorf("%s: %w", path, err)
	}
	temporary, sum, err := d.copy(f)
	if err != nil {
		return binary{}, fmt.Errorf("%s: %w", path, err)
	}
	after, err := f.Stat()
	switch {
	case err != nil:
	case after.Size() != before.Size() || !after.ModTime().Equal(before.ModTime()) || beingWritten(f):
		err = errBusy
	case want != "" && !strings.EqualFold(want, sum):
		err = fmt.Errorf("its sha256 is %s, the manifest says %s", sum, want)
	}
	if err != nil {
		_ = os.Remove(temporary)
		return binary{}, fmt.Errorf("%s: %w", path, err)
	}
	b := binary{path: filepath.Join(d.path, copyPrefix+sum[:16]), sha256: sum, info: after}
	return b, os.Rename(temporary, b.path)
}

// runnable says whether f is an executable that nobody is writing to.
func runnable(f *os.File) (fs.FileInfo, error) {
	info, err := f.Stat()
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, errors.New("not a regular file")
	case info.Mode().Perm()&0o111 == 0:
		return nil, errors.New("not executable; set its permission with chmod +x")
	case info.Size() == 0:
		return nil, errors.New("empty")
	case info.Size() > maxExecutable:
		return nil, fmt.Errorf("%d bytes, at most %d are run", info.Size(), maxExecutable)
	case beingWritten(f):
		return nil, errBusy
	}
	return info, nil
}

// copy writes what f holds to a new file and returns its path and checksum. No process may be forked meanwhile: it would
// inherit the open file, and a file that is open for writing cannot be executed.
func (d *runDir) copy(f *os.File) (path, sum string, err error) {
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	out, err := os.CreateTemp(d.path, "in-")
	if err != nil {
		return "", "", err
	}
	hash := sha256.New()
	_, err = io.Copy(io.MultiWriter(out, hash), f)
	err = errors.Join(err, out.Chmod(0o500), out.Close())
	if err != nil {
		_ = os.Remove(out.Name())
		return "", "", err
	}
	return out.Name(), hex.EncodeToString(hash.Sum(nil)), nil
}

// keep removes the copies that none of the slots runs.
func (d *runDir) keep(slots []*slot) {
	copies, err := filepath.Glob(filepath.Join(d.path, copyPrefix+"*"))
	if err != nil {
		return
	}
	for _, path := range copies {
		if !slices.ContainsFunc(slots, func(s *slot) bool { return s.executable().path == path }) {
			_ = os.Remove(path)
		}
	}
}
