package state

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/dragoman-project/dragoman/host/plugins"
	"github.com/dragoman-project/dragoman/host/watch"
	"github.com/dragoman-project/dragoman/sdk/fault"
)

// memory is the state folder. It remembers what was in force last, and what was decided of other contents, so that a restart goes on
// from there. Without a folder it remembers only what was refused, until the daemon ends.
type memory struct {
	dir     string
	lock    *os.File
	written []byte // what is in the file

	last    remembered // as it was at the start
	refused map[string]refusal
}

// remembered is the content of the file. Members may be added; readers refuse other versions.
type remembered struct {
	Version int `json:"version"`
	// Contents are the contents in force of the workarounds and the templates that came from files, by path.
	Contents map[string]string `json:"contents,omitempty"`
	// Refused are contents that were tried and did not go live, by path.
	Refused map[string]refusal `json:"refused,omitempty"`
	// Plugins are the versions in force; nil: no folder was loaded. Their executables are files beside this one.
	Plugins []plugins.Version `json:"plugin_versions,omitzero"`
	// Rollback is set while contents on disk are held back.
	Rollback *rememberedRollback `json:"rollback,omitempty"`
}

// refusal is the content of a file that did not go live, or of a plugin.
type refusal struct {
	SHA256 string    `json:"sha256"`          // of a plugin, that of its version
	Cases  string    `json:"cases,omitempty"` // the hash of the recorded cases: others may decide otherwise
	Reason string    `json:"reason"`
	At     time.Time `json:"at"`

	change watch.Change // the content itself, to be tried again by Reload
}

// rememberedRollback is a Rollback, with the contents on disk that it holds back.
type rememberedRollback struct {
	To     uint64            `json:"to"`
	Since  time.Time         `json:"since"`
	OnDisk map[string]string `json:"on_disk"` // the SHA-256 of each file, by path
	// Plugins are the versions on disk that it holds back; nil: it holds none back, and empty: all are removed.
	Plugins []plugins.Version `json:"plugins,omitzero"`
	Config  string            `json:"config,omitempty"` // the settings in force that can change while the daemon runs, YAML, without secrets
}

const (
	memoryVersion = 1
	memoryName    = "state.json"
	damagedName   = memoryName + ".damaged"
)

// open reads the state folder. A damaged file is set aside, and reported by the second error: the daemon can start without it.
func (m *memory) open(dir string) (err, damage error) {
	m.refused = map[string]refusal{}
	if dir == "" {
		return nil, nil
	}
	if err := m.acquire(dir); err != nil {
		return &fault.Error{Code: fault.InvalidArgument, Place: "state.dir", Message: err.Error(),
			Remedy: "name a folder of this daemon's own that it may write", Err: err}, nil
	}
	path := filepath.Join(dir, memoryName)
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var last remembered
	if err == nil {
		err = json.Unmarshal(data, &last)
	}
	if err == nil && last.Version != memoryVersion {
		err = fmt.Errorf("unknown version %d, expected %d", last.Version, memoryVersion)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", path, err), os.Rename(path, filepath.Join(dir, damagedName)))
	}
	m.last, m.written = last, data
	maps.Copy(m.refused, last.Refused)
	return nil, nil
}

// acquire creates the folder and locks it, until the process ends: two daemons would overwrite each other's decisions.
func (m *memory) acquire(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	lock, err := os.OpenFile(filepath.Join(dir, "lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		return errors.Join(fmt.Errorf("%s is in use by another daemon", dir), lock.Close())
	}
	m.dir, m.lock = dir, lock
	return nil
}

// close unlocks the folder.
func (m *memory) close() {
	if m.lock != nil {
		_ = m.lock.Close() // nothing was written to it
	}
}

// save replaces the file: a crash leaves the earlier or the later one.
func (m *memory) save(now remembered) error {
	now.Version, now.Refused = memoryVersion, m.refused
	data, err := json.Marshal(now)
	if err != nil || m.dir == "" || bytes.Equal(data, m.written) {
		return err
	}
	if err := replaceFile(filepath.Join(m.dir, memoryName), data); err != nil {
		return err
	}
	m.written = data
	return nil
}

// hashOfCases returns a hash over the recorded cases in a folder.
func hashOfCases(dir string) string {
	files, _ := filepath.Glob(filepath.Join(dir, "*.jsonl")) // fails only for patterns
	sum := sha256.New()
	for _, file := range files {
		data, err := os.ReadFile(file)
		fmt.Fprintf(sum, "%s %d %v\n%s", filepath.Base(file), len(data), err == nil, data)
	}
	return hex.EncodeToString(sum.Sum(nil))
}
