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

	"github.com/dragoman-project/dragoman/host/watch"
	"github.com/dragoman-project/dragoman/sdk/fault"
)

// pluginFolder is the loading of the folder of plugins, which happens one load at a time and in parallel with everything else.
type pluginFolder struct {
	read    bool        // the folder was read once; from then on changes are loaded
	stale   atomic.Bool // a load is due
	mu      sync.Mutex  // held while loading
	loading sync.WaitGroup
}

// loadPlugins loads the folder of plugins again. What is in it at the call is in force at the return.
func (s *State) loadPlugins() {
	if s.Config.Plugins.Dir == "" {
		return
	}
	dir := filepath.Clean(s.Config.Plugins.Dir)
	s.folder.mu.Lock()
	defer s.folder.mu.Unlock()
	s.folder.stale.Store(false)
	s.note(SourcePlugins, dir, "", errors.Join(s.loadFolder(dir), s.missingPlugins(dir)))
	s.changed()
}

// missingPlugins returns an error for plugins that are gone since before the restart: their templates are read by others now. It
// is reported once, at the start.
func (s *State) missingPlugins(dir string) error {
	var missing []error
	for _, path := range s.memory.last.Plugins {
		if !s.Started() && filepath.Dir(path) == dir && !slices.Contains(manifestsIn(dir), path) {
			missing = append(missing, &fault.Error{Code: fault.Unavailable, Place: path, Message: "the plugin was in force before the restart, and is gone: other handlers answer for its templates",
				Remedy: "put it back, or reload to go on without it"})
		}
	}
	return errors.Join(missing...)
}

// manifestsIn returns the paths of the manifests in a folder.
func manifestsIn(dir string) (paths []string) {
	for _, glob := range []string{"*.yaml", "*.yml"} {
		found, _ := filepath.Glob(filepath.Join(dir, glob)) // fails only for patterns
		paths = append(paths, found...)
	}
	return paths
}

// loadFolder loads the plugins of a folder. If the folder does not exist, those that were loaded stay, as templates do.
func (s *State) loadFolder(dir string) error {
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s: %w", dir, watch.ErrNoDirectory)
	}
	return s.Plugins.Load(dir)
}
