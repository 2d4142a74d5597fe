package plugins

import (
	"fmt"
	"os"
	"path/filepath"
	"syscall"
)

const (
	runPrefix = "dragoman-plugins-"
	lockName  = "lock"
	// maxRunDir keeps the paths of sockets below the limit of 108 bytes that systems have.
	maxRunDir = 64
)

// runDir is the private directory of one manager: copies of executables, and the sockets of processes. A lock on a file in
// it says that its manager lives, so that a later one can sweep away what a killed one left behind.
type runDir struct {
	path string
	lock *os.File
}

// newRunDir makes a directory in base, and removes those of managers that are gone.
func newRunDir(base string) (*runDir, error) {
	if base == "" {
		base = os.TempDir()
	}
	sweep(base)
	path, err := os.MkdirTemp(base, runPrefix)
	if err != nil {
		return nil, err
	}
	if len(path) > maxRunDir {
		_ = os.Remove(path)
		return nil, fmt.Errorf("the directory %s is too deep for sockets: %d bytes, at most %d; set RunDir to a shorter one", path, len(path), maxRunDir)
	}
	lock, err := lockIn(path)
	if err != nil {
		_ = os.RemoveAll(path)
		return nil, err
	}
	return &runDir{path: path, lock: lock}, nil
}

// lockIn makes the lock of a directory and takes it. It bears its name only then: a manager that sweeps meanwhile would take
// the directory for one whose manager is gone.
func lockIn(path string) (*os.File, error) {
	lock, err := os.CreateTemp(path, lockName+"-")
	if err != nil {
		return nil, err
	}
	if !locked(lock) {
		err = fmt.Errorf("cannot lock %s", lock.Name())
	} else {
		err = os.Rename(lock.Name(), filepath.Join(path, lockName))
	}
	if err != nil {
		_ = lock.Close()
		return nil, err
	}
	return lock, nil
}

// sweep removes the run directories in base whose managers are gone.
func sweep(base string) {
	left, err := filepath.Glob(filepath.Join(base, runPrefix+"*", lockName))
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

// locked takes the lock unless another manager has it. The system releases it when the process ends.
func locked(f *os.File) bool {
	return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil
}

// sub makes a directory for one process.
func (d *runDir) sub(name string) (string, error) {
	path := filepath.Join(d.path, name)
	return path, os.MkdirAll(path, 0o700)
}

func (d *runDir) remove() error {
	err := os.RemoveAll(d.path)
	_ = d.lock.Close()
	return err
}
