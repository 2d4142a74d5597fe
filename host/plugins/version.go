package plugins

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/dragoman-project/dragoman/host/plugins/manifest"
	"github.com/dragoman-project/dragoman/host/plugins/rundir"
)

// Version is one version of a plugin, as it can be put in force again.
type Version struct {
	Path     string `json:"path"` // of the manifest
	Manifest string `json:"manifest"`
	SHA256   string `json:"sha256"` // of the executable
}

// Hash returns the SHA-256 of the manifest and the executable, in hexadecimal.
func (v Version) Hash() string {
	sum := sha256.Sum256([]byte(v.SHA256 + "\n" + v.Manifest))
	return hex.EncodeToString(sum[:])
}

func (s *slot) version() Version {
	s.mu.Lock()
	defer s.mu.Unlock()
	return Version{Path: s.manifest.Path, Manifest: s.text, SHA256: s.binary.SHA256}
}

// refresh records that files with the same meaning have replaced those of a slot.
func (s *slot) refresh(text string, b rundir.Binary) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.text, s.binary = text, b
}

// Versions returns the versions in force, by path.
func (m *Manager) Versions() (all []Version) {
	for _, s := range m.current.Load().slots {
		all = append(all, s.version())
	}
	sortVersions(all)
	return all
}

func sortVersions(all []Version) {
	slices.SortFunc(all, func(a, b Version) int { return cmp.Compare(a.Path, b.Path) })
}

// OnDisk returns the versions in a directory. Of a plugin whose files cannot be used it returns the version in before, if any.
func (m *Manager) OnDisk(dir string, before []Version) (all []Version) {
	m.loading.Lock()
	defer m.loading.Unlock()
	manifests, _ := findManifests(dir) // what cannot be listed has no versions
	for _, path := range manifests {
		v, err := m.versionAt(path)
		if err == nil {
			all = append(all, v)
		} else if i := slices.IndexFunc(before, func(v Version) bool { return v.Path == path }); i >= 0 {
			all = append(all, before[i])
		}
	}
	sortVersions(all)
	return all
}

func (m *Manager) versionAt(path string) (Version, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return Version{}, err
	}
	about, err := manifest.Parse(path, text, m.opts.contracts.versions())
	if err != nil {
		return Version{}, err
	}
	b, err := m.dir.Stage(about.ExecutablePath(), about.SHA256)
	return Version{Path: path, Manifest: string(text), SHA256: b.SHA256}, err
}

// Restore puts these versions in force, and no others, until the next Load. They run from the copies that Keep and Save have kept,
// and start when they are needed. On an error nothing changes.
func (m *Manager) Restore(dir string, versions []Version) error {
	m.loading.Lock()
	defer m.loading.Unlock()
	if m.closed {
		return errClosed
	}
	old := m.current.Load()
	next := newSet(dir)
	for _, v := range versions {
		s, err := m.restored(v, old)
		if err != nil {
			return err
		}
		more, err := next.with(s)
		if err != nil {
			return err
		}
		next = more
	}
	m.replace(old, next)
	return nil
}

// restored returns the slot of a version: the one in force if that is it, or one for its copy.
func (m *Manager) restored(v Version, old *set) (*slot, error) {
	if s := old.of(v.Path); s != nil && s.version() == v {
		return s, nil
	}
	about, err := manifest.Parse(v.Path, []byte(v.Manifest), m.opts.contracts.versions())
	if err != nil {
		return nil, err
	}
	b, kept := m.dir.Copy(v.SHA256)
	if !kept && m.opts.Store != "" {
		b, err = m.dir.Stage(rundir.At(m.opts.Store).Name(v.SHA256), v.SHA256)
	} else if !kept {
		err = errors.New("no copy was kept")
	}
	if err != nil {
		return nil, fmt.Errorf("%s: the executable with the SHA-256 %s: %w", v.Path, v.SHA256, err)
	}
	return newSlot(&m.shared, about, v.Manifest, b), nil
}

// Save copies the executables in force to Options.Store.
func (m *Manager) Save() error {
	m.loading.Lock()
	defer m.loading.Unlock()
	if m.closed || m.opts.Store == "" {
		return nil
	}
	if err := os.MkdirAll(m.opts.Store, 0o700); err != nil {
		return err
	}
	store := rundir.At(m.opts.Store)
	var faults []error
	for _, s := range m.current.Load().slots {
		b := s.executable()
		if _, kept := store.Copy(b.SHA256); !kept {
			_, err := store.Stage(b.Path, b.SHA256)
			faults = append(faults, err)
		}
	}
	return errors.Join(faults...)
}

// Keep keeps the executables of these versions, so that Restore can put them in force, until the next Keep. Options.Store keeps those
// in force.
func (m *Manager) Keep(versions []Version) {
	m.loading.Lock()
	defer m.loading.Unlock()
	if m.closed {
		return
	}
	m.kept = nil
	for _, v := range versions {
		m.kept = append(m.kept, v.SHA256)
	}
	m.tidy()
	if m.opts.Store != "" {
		rundir.At(m.opts.Store).Keep(sumsOf(m.current.Load().slots))
	}
}

// tidy removes copies that are neither used nor kept.
func (m *Manager) tidy() {
	m.dir.Keep(slices.Concat(m.kept, sumsOf(m.current.Load().slots), sumsOf(m.retired.list())))
}

func sumsOf(slots []*slot) (sums []string) {
	for _, s := range slots {
		sums = append(sums, s.executable().SHA256)
	}
	return sums
}
