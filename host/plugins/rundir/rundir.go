// Package rundir keeps the private directory of a plugin manager: verified copies of executables, and the sockets of
// processes.
package rundir

import (
	"fmt"
	"os"
	"path/filepath"
	"syscall"
)

const (
	// RunPrefix begins the names of run directories.
	RunPrefix = "dragoman-plugins-"
	// LockName is the name of the lock file in each.
	LockName = "lock"
	// maxRunDir keeps the paths of sockets below the limit of 108 bytes that systems have.
	maxRunDir = 64
)

// Dir is the private directory of one manager: copies of executables, and the sockets of processes. Its manager holds a lock
// on a file in it, so that a later one can remove what a killed one left behind.
type Dir struct {
	Path string
	lock *os.File
}

// New creates a directory in base, and removes those of managers that are gone. An empty base is os.TempDir.
func New(base string) (*Dir, error) {
	if base == "" {
		base = os.TempDir()
	}
	sweep(base)
	path, err := os.MkdirTemp(base, RunPrefix)
	if err != nil {
		return nil, err
	}
	if len(path) > maxRunDir {
		_ = os.Remove(path)
		return nil, fmt.Errorf("the path of %s is too long for sockets: %d bytes, at most %d; set RunDir to a shorter one", path, len(path), maxRunDir)
	}
	lock, err := lockIn(path)
	if err != nil {
		_ = os.RemoveAll(path)
		return nil, err
	}
	return &Dir{Path: path, lock: lock}, nil
}

// At returns a directory of the caller's for copies alone. It removes what was not copied to the end.
func At(path string) *Dir {
	left, _ := filepath.Glob(filepath.Join(path, partPrefix+"*")) // fails only for patterns
	for _, part := range left {
		_ = os.Remove(part)
	}
	return &Dir{Path: path}
}

// lockIn creates the lock file of a directory and locks it before it gets its name: otherwise a manager that sweeps at that
// moment would remove the directory.
func lockIn(path string) (*os.File, error) {
	lock, err := os.CreateTemp(path, LockName+"-")
	if err != nil {
		return nil, err
	}
	if !locked(lock) {
		err = fmt.Errorf("cannot lock %s", lock.Name())
	} else {
		err = os.Rename(lock.Name(), filepath.Join(path, LockName))
	}
	if err != nil {
		_ = lock.Close()
		return nil, err
	}
	return lock, nil
}

// sweep removes the run directories in base whose managers are gone.
func sweep(base string) {
	left, err := filepath.Glob(filepath.Join(base, RunPrefix+"*", LockName))
	if err != nil {
		return
	}
	for _, name := range left {
		lock, err := os.OpenFile(name, os.O_RDWR, 0)
		if err != nil {
			continue
		}
		if locked(lock) {
			_ = os.RemoveAll(filepath.Dir(name))
		}
		_ = lock.Close()
	}
}

// locked takes the lock, and reports whether it could. The system releases it when the process ends.
func locked(f *os.File) bool {
	return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil
}

// Sub creates a directory for one process.
func (d *Dir) Sub(name string) (string, error) {
	path := filepath.Join(d.Path, name)
	return path, os.MkdirAll(path, 0o700)
}

// Remove removes the directory and everything in it.
func (d *Dir) Remove() error {
	err := os.RemoveAll(d.Path)
	_ = d.lock.Close()
	return err
}

// Admit gives a user access to the private directories of a process, and to the copy that it runs. The directory above them
// can then be traversed, but not listed.
func (d *Dir) Admit(c *syscall.Credential, b Binary, private ...string) error {
	if c == nil {
		return nil
	}
	if err := os.Chmod(d.Path, 0o711); err != nil {
		return err
	}
	if err := os.Chmod(b.Path, 0o555); err != nil {
		return err
	}
	for _, dir := range private {
		if err := os.Chown(dir, int(c.Uid), int(c.Gid)); err != nil {
			return err
		}
	}
	return nil
}
