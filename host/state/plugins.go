package state

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"

	"github.com/dragoman-project/dragoman/host/watch"
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
	s.note(SourcePlugins, dir, "", s.loadFolder(dir))
	s.changed()
}

// loadFolder loads the plugins of a folder. If the folder does not exist, those that were loaded stay, as templates do.
func (s *State) loadFolder(dir string) error {
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s: %w", dir, watch.ErrNoDirectory)
	}
	return s.Plugins.Load(dir)
}
