package rundir

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

// maxExecutable is the largest size of an executable, in bytes.
const maxExecutable = 1 << 30

// CopyPrefix begins the names of copies.
const CopyPrefix = "bin-"

// partPrefix begins the names of files that are being copied.
const partPrefix = "in-"

var errBusy = errors.New("still being written; it is read again when the file has settled")

// Binary is a private copy of an executable.
type Binary struct {
	Path   string // empty: not copied yet
	SHA256 string
	info   fs.FileInfo // of the executable that was copied
}

// Inspect checks whether an executable could be copied, without copying it.
func Inspect(path string) (Binary, error) {
	f, err := os.Open(path)
	if err != nil {
		return Binary{}, err
	}
	defer f.Close()
	info, err := runnable(f)
	if err != nil {
		return Binary{}, fmt.Errorf("%s: %w", path, err)
	}
	return Binary{info: info}, nil
}

// Copies reports whether b is a copy of the file that info describes, without reading it.
func (b Binary) Copies(info fs.FileInfo) bool {
	return b.info != nil && os.SameFile(b.info, info) && b.info.Size() == info.Size() && b.info.ModTime().Equal(info.ModTime())
}

// Stage copies an executable into the directory and verifies it. The copy is named after its content, so that equal content
// is kept once. want is its expected checksum, or empty.
func (d *Dir) Stage(path, want string) (Binary, error) {
	f, err := os.Open(path)
	if err != nil {
		return Binary{}, err
	}
	defer f.Close()
	before, err := runnable(f)
	if err != nil {
		return Binary{}, fmt.Errorf("%s: %w", path, err)
	}
	temporary, sum, err := d.copy(f)
	if err != nil {
		return Binary{}, fmt.Errorf("%s: %w", path, err)
	}
	after, err := f.Stat()
	switch {
	case err != nil:
	case after.Size() != before.Size() || !after.ModTime().Equal(before.ModTime()) || beingWritten(f):
		err = errBusy
	case want != "" && !strings.EqualFold(want, sum):
		err = fmt.Errorf("sha256 is %s, the manifest says %s", sum, want)
	}
	if err != nil {
		_ = os.Remove(temporary)
		return Binary{}, fmt.Errorf("%s: %w", path, err)
	}
	b := Binary{Path: d.Name(sum), SHA256: sum, info: after}
	return b, os.Rename(temporary, b.Path)
}

// Name returns the path of the copy of an executable with this checksum.
func (d *Dir) Name(sum string) string {
	return filepath.Join(d.Path, CopyPrefix+sum[:min(len(sum), 16)])
}

// Copy returns the copy of an executable with this checksum; false: there is no copy.
func (d *Dir) Copy(sum string) (Binary, bool) {
	b := Binary{Path: d.Name(sum), SHA256: sum}
	_, err := os.Stat(b.Path)
	return b, err == nil
}

// runnable returns what is known of f if it is an executable that no process is writing to.
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
		return nil, fmt.Errorf("%d bytes, at most %d are allowed", info.Size(), maxExecutable)
	case beingWritten(f):
		return nil, errBusy
	}
	return info, nil
}

// copy copies f to a new file and returns its path and checksum. No process may be forked meanwhile: it would inherit the
// open file, and a file that is open for writing cannot be executed.
func (d *Dir) copy(f *os.File) (path, sum string, err error) {
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	out, err := os.CreateTemp(d.Path, partPrefix)
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

// Keep removes the copies that have none of these checksums.
func (d *Dir) Keep(sums []string) {
	copies, err := filepath.Glob(filepath.Join(d.Path, CopyPrefix+"*"))
	if err != nil {
		return
	}
	for _, path := range copies {
		if !slices.ContainsFunc(sums, func(sum string) bool { return d.Name(sum) == path }) {
			_ = os.Remove(path)
		}
	}
}
