package state

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/dragoman-project/dragoman/host/plugins"
	"github.com/dragoman-project/dragoman/host/watch"
	"github.com/dragoman-project/dragoman/sdk/fault"
)

// pluginFolder is the loading of the folder of plugins, which happens one load at a time and in parallel with everything else. What
// is in force changes only while turn is held; a snapshot records it afterwards.
type pluginFolder struct {
	read    bool        // the folder was read once; from then on changes are loaded
	stale   atomic.Bool // a load is due
	turn    places      // entered before State.changes
	loading sync.WaitGroup

	restored bool // what was in force before the restart is in force; resume decides what the folder has now
	loaded   bool // the folder was loaded once
}

// readPlugins puts the plugins in force at the start: those from before a restart, or at the first start those in the folder.
func (s *State) readPlugins() {
	if s.memory.last.Plugins == nil || s.Config.Plugins.Dir == "" {
		s.loadPlugins()
		return
	}
	s.folder.turn.Lock()
	defer s.folder.turn.Unlock()
	dir := filepath.Clean(s.Config.Plugins.Dir)
	var restored []plugins.Version
	for _, v := range s.memory.last.Plugins {
		if filepath.Dir(v.Path) != dir {
			continue
		}
		if err := s.Plugins.Restore(dir, append(restored, v)); err != nil {
			s.Logger.Error("a plugin from before the restart cannot be restored", "path", v.Path, "error", err)
			continue
		}
		restored = append(restored, v)
	}
	s.folder.restored = true
}

// resumePlugins decides what the folder has now. The caller has restored the rollback that was in force.
func (s *State) resumePlugins() {
	s.folder.turn.Lock()
	due := s.folder.restored
	s.folder.restored = false
	s.folder.turn.Unlock()
	if due {
		s.loadPlugins()
	}
}

// loadPlugins loads the folder of plugins again. What is in it at the call is in force at the return, unless a rollback holds it back.
func (s *State) loadPlugins() {
	if s.Config.Plugins.Dir == "" {
		return
	}
	dir := filepath.Clean(s.Config.Plugins.Dir)
	s.folder.turn.Lock()
	defer s.folder.turn.Unlock()
	s.folder.stale.Store(false)
	if s.folder.restored || s.holdsPlugins(dir) {
		return
	}
	err := s.loadFolder(dir)
	s.notePlugins(err == nil)
	missing := s.missingPlugins(dir)
	s.sources.note(SourcePlugins, dir, "", errors.Join(err, missing))
	if err == nil || missing != nil { // the faults of plugins were logged one by one
		s.logged(dir, "", missing)
	}
	s.folder.loaded = true
}

// holdsPlugins reports whether a rollback keeps what the folder has from being in force. It does until a file changes.
func (s *State) holdsPlugins(dir string) bool {
	now := s.Current()
	if !now.holds(SourcePlugins) {
		return false
	}
	held := now.Rollback.read.plugins
	return slices.Equal(s.Plugins.OnDisk(dir, held), held)
}

// notePlugins makes a snapshot of plugins that have changed, or that are no longer held back, since all of the folder is in force.
func (s *State) notePlugins(all bool) {
	s.changes.Lock()
	defer s.changes.Unlock()
	now, versions := s.Current(), s.pluginsInForce()
	if s.ending.Err() != nil {
		return // closing ends the plugins, which is no change
	}
	if !s.Started() || slices.Equal(now.plugins, versions) && !(all && now.holds(SourcePlugins)) {
		s.changed()
		return
	}
	s.putPlugins(now.with(func(next *Snapshot) { next.release(SourcePlugins) }), versions, Cause{Source: SourcePlugins})
}

func (s *State) pluginsInForce() []plugins.Version {
	if s.Config.Plugins.Dir == "" || s.Static {
		return nil
	}
	return s.Plugins.Versions()
}

// putPlugins puts a snapshot in force with these plugins, which are in force already. Their executables are in the state folder before
// it names them, and copies are kept of those that the history can restore. The caller holds changes.
func (s *State) putPlugins(next *Snapshot, versions []plugins.Version, cause Cause) {
	cause.Changes = append(cause.Changes, changedFiles(hashesOf(next.plugins), hashesOf(versions))...)
	if next.plugins = versions; s.Config.Plugins.Dir == "" || s.Static {
		s.put(next, cause)
		return
	}
	if err := s.Plugins.Save(); err != nil {
		s.Logger.Error("plugins cannot be kept in the state folder: a restart loads those in plugins.dir", "path", s.memory.dir, "error", err)
	}
	s.put(next, cause)
	all, _ := s.history.list(&s.current)
	var kept []plugins.Version
	for _, snap := range all {
		kept = append(kept, snap.plugins...)
	}
	s.Plugins.Keep(kept)
}

func hashesOf(versions []plugins.Version) map[string]string {
	hashes := map[string]string{}
	for _, v := range versions {
		hashes[v.Path] = v.Hash()
	}
	return hashes
}

// restorePlugins puts the plugins of an earlier snapshot in force, and returns those that would be without the rollback: those in the
// folder, if the rollback has changed any. The caller holds the turn of the folder.
func (s *State) restorePlugins(now, target *Snapshot) ([]plugins.Version, error) {
	if !now.holds(SourcePlugins) && slices.Equal(now.plugins, target.plugins) {
		return target.plugins, nil
	}
	dir := filepath.Clean(s.Config.Plugins.Dir)
	if err := s.Plugins.Restore(dir, target.plugins); err != nil {
		return nil, &fault.Error{Code: fault.Unavailable, Message: err.Error(), Remedy: "put the files of this version into plugins.dir", Err: err}
	}
	return s.Plugins.OnDisk(dir, nil), nil
}

// missingPlugins returns an error for plugins that are gone since before the restart: their templates are read by others now. It
// is reported once, at the start.
func (s *State) missingPlugins(dir string) error {
	if s.folder.loaded {
		return nil
	}
	now := hashesOf(s.Plugins.Versions())
	var missing []error
	for _, v := range s.memory.last.Plugins {
		if filepath.Dir(v.Path) == dir && now[v.Path] == "" {
			missing = append(missing, &fault.Error{Code: fault.Unavailable, Place: v.Path, Message: "the plugin was in force before the restart, and is gone: other handlers answer for its templates",
				Remedy: "put it back, or reload to go on without it"})
		}
	}
	return errors.Join(missing...)
}

// loadFolder loads the plugins of a folder. If the folder does not exist, those that were loaded stay, as templates do.
func (s *State) loadFolder(dir string) error {
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		err = fmt.Errorf("%s: %w", dir, watch.ErrNoDirectory)
		s.logged(dir, "", err)
		return err
	}
	return s.Plugins.Load(dir)
}

// TryPlugin tries a change of a plugin, and remembers a refusal. At a restart, what was refused before is not tried again. It is called
// by a load.
func (s *State) TryPlugin(c plugins.Change, try func() error) error {
	s.changes.Lock()
	known, refused := s.memory.refused[c.Manifest]
	refused = refused && !s.folder.loaded && s.tries() && known.SHA256 == c.Hash && known.Cases == s.casesHash()
	s.changes.Unlock()
	if refused {
		return fmt.Errorf("held back: refused before the restart, and unchanged since: %s", known.Reason)
	}
	err := try()
	s.changes.Lock()
	defer s.changes.Unlock()
	if delete(s.memory.refused, c.Manifest); err != nil && s.ending.Err() == nil {
		s.memory.refused[c.Manifest] = refusal{SHA256: c.Hash, Cases: s.casesHash(), Reason: err.Error(), At: time.Now()}
	}
	s.remember()
	return err
}
