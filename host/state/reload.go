package state

import (
	"cmp"
	"context"
	"encoding/hex"
	"path/filepath"
	"time"

	"github.com/dragoman-project/dragoman/autoparser/workaround"
	"github.com/dragoman-project/dragoman/host/config"
	"github.com/dragoman-project/dragoman/host/watch"
	"github.com/dragoman-project/dragoman/sdk/fault"
)

// watch reads every source for the first time and, unless the State is static, goes on watching.
func (s *State) watch(ctx context.Context) error {
	w := watch.New(watch.Options{Handle: s.apply})
	s.watcher = w
	if err := w.Blind(); err != nil && !s.Static {
		s.Logger.Warn("changes of files are seen late", "error", err)
	}
	for _, add := range s.watched() {
		if err := add(w); err != nil {
			return err
		}
	}
	unsettled := s.settled(ctx)
	if err := ctx.Err(); err != nil {
		return err
	}
	s.loadModels()
	s.changes.Lock()
	s.folder.read = true
	s.changes.Unlock()
	s.readPlugins()
	// A template or plugin that cannot be used is an error of requests for it; the others can be used.
	needed := []string{SourceConfig, SourceWorkarounds, SourceModel}
	for _, f := range s.Files {
		needed = append(needed, f.Name)
	}
	if unsettled != nil && s.sources.unread(needed...) {
		return unsettled
	}
	if err := s.sources.faults(needed...); err != nil {
		return &fault.Error{Code: fault.InvalidArgument, Message: err.Error(), Remedy: "correct it, or leave the setting out", Err: err}
	}
	if s.Static {
		return w.Close()
	}
	return nil
}

// defaultSettle is how long Start and Reload wait for files still being written. A folder may contain one that is never finished,
// such as a log.
const defaultSettle = 10 * time.Second

// settled waits until what is on disk was read; the error names what is still being written.
func (s *State) settled(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, cmp.Or(s.Settle, defaultSettle))
	defer cancel()
	err := s.watcher.Trigger(ctx)
	if err == nil {
		return nil
	}
	s.Logger.Warn("not everything could be read yet", "error", err)
	return &fault.Error{Code: fault.Unavailable, Message: err.Error(), Remedy: "try again when nothing writes to the files", Err: err}
}

// watched returns what adds the sources that the configuration names to a watcher.
func (s *State) watched() (adds []func(*watch.Watcher) error) {
	cfg := s.Config
	file := func(name, path string) {
		if path != "" {
			s.sources.add(name, filepath.Clean(path))
			adds = append(adds, func(w *watch.Watcher) error { return w.Add(path) })
		}
	}
	file(SourceConfig, s.ConfigFile)
	file(SourceWorkarounds, cfg.Workarounds.File)
	for _, f := range s.Files {
		s.sources.add(f.Name, filepath.Clean(f.Paths[0]))
		for _, path := range f.Paths {
			adds = append(adds, func(w *watch.Watcher) error { return w.Add(path) })
		}
	}
	if dir := cfg.Templates.Dir; dir != "" {
		s.sources.add(SourceTemplates, filepath.Clean(dir))
		adds = append(adds, func(w *watch.Watcher) error { return w.AddDir(dir, "*.jinja") })
	}
	for _, path := range cfg.Templates.Models {
		s.sources.add(SourceModel, filepath.Clean(path))
	}
	if dir := cfg.Plugins.Dir; dir != "" {
		s.sources.add(SourcePlugins, filepath.Clean(dir))
		adds = append(adds, func(w *watch.Watcher) error { return w.AddDirUnread(dir, "*") })
	}
	return adds
}

// Reload reads every source again and returns when all have settled; the error contains what was rejected.
func (s *State) Reload(ctx context.Context) error {
	if s.Static {
		return &fault.Error{Code: fault.InvalidArgument, Message: "files are read once, at the start", Remedy: "start it with `dragoman serve`"}
	}
	select {
	case <-s.warmed:
	case <-ctx.Done():
	}
	refused := s.refused()
	unsettled := s.settled(ctx)
	if ctx.Err() != nil || s.ending.Err() != nil {
		return unsettled
	}
	s.tryAgain(refused)
	s.loadModels()
	s.loadPlugins()
	if err := s.sources.faults(); err != nil {
		return &fault.Error{Code: fault.InvalidArgument, Message: err.Error(), Remedy: "what was in force before stays so; correct the files", Err: err}
	}
	return unsettled
}

// apply puts settled changes in force: each source by itself, so that a fault in one does not hold up another. Plugins are
// loaded in the background, because a new version is started and examined first, which can take long.
func (s *State) apply(changes []watch.Change) {
	s.changes.Lock()
	defer s.changes.Unlock()
	changes = s.recall(changes)
	if s.Started() {
		for _, c := range changes { // what was refused is no longer on disk, or tried again now
			delete(s.memory.refused, c.Path)
		}
	}
	s.applyFiles(changes)
	cfg := s.Config
	var templates []watch.Change
	plugins := false
	for _, c := range changes { // a folder may be named for several purposes
		if named(s.ConfigFile, c.Path) {
			s.settle(SourceConfig, c, s.applyConfig)
		}
		if named(cfg.Workarounds.File, c.Path) {
			s.settle(SourceWorkarounds, c, s.applyRules)
		}
		if named(cfg.Templates.Dir, c.Path) || named(cfg.Templates.Dir, filepath.Dir(c.Path)) && filepath.Ext(c.Path) == templateExt {
			templates = append(templates, c)
		}
		if named(cfg.Plugins.Dir, c.Path) || named(cfg.Plugins.Dir, filepath.Dir(c.Path)) {
			plugins = true
		}
	}
	if len(templates) > 0 {
		s.applyTemplates(templates)
	}
	if plugins && s.folder.read && s.folder.stale.CompareAndSwap(false, true) {
		s.folder.loading.Go(s.loadPlugins)
	}
}

// named reports whether a setting names a path.
func named(setting, path string) bool { return setting != "" && filepath.Clean(setting) == path }

// settle applies the content of a file and records the outcome. If the file is gone, what was read last stays.
func (s *State) settle(source string, c watch.Change, use func(watch.Change) error) {
	err := c.Err
	switch {
	case err != nil:
	case c.Removed:
		err = gone(c.Path)
	default:
		err = use(c)
	}
	s.note(source, c.Path, hex.EncodeToString(c.SHA256[:]), err)
}

// note records and logs the outcome of reading a source.
func (s *State) note(source, path, sha string, err error) {
	s.sources.note(source, path, sha, err)
	s.logged(path, sha, err)
}

// logged logs the outcome of reading a source. Until the first snapshot is in force, nothing is there to stay.
func (s *State) logged(path, sha string, err error) {
	switch {
	case err == nil:
		s.Logger.Info("reloaded", "path", path, "sha256", sha, "snapshot", s.Current().Generation)
	case !s.Started():
		s.Logger.Error("refused at the start", "path", path, "error", err)
	default:
		s.Logger.Error("reload refused; what was in force stays", "path", path, "error", err)
	}
}

func (s *State) applyRules(c watch.Change) error {
	rules, err := workaround.Parse(c.Path, c.Data)
	if err != nil {
		return err
	}
	next := s.Current().WithRules(rules)
	next.rulesText = string(c.Data)
	next.release(SourceWorkarounds)
	if err := s.try(s.ending, SourceWorkarounds, c.Path, next); err != nil {
		s.refuse(c, err)
		return err
	}
	s.put(next, Cause{Source: SourceWorkarounds, Changes: next.note(c)})
	return nil
}

func (s *State) applyConfig(c watch.Change) error {
	if s.LoadConfig == nil {
		return nil
	}
	read, err := s.LoadConfig(c.Data)
	if err != nil {
		return err
	}
	next, err := s.Config.Reloaded(read)
	if err != nil {
		return err
	}
	need := config.NeedRestart(s.Config, read)
	if len(need) > 0 {
		s.Logger.Warn("some settings take effect at the next start only", "settings", need)
	}
	var pending []string
	for _, key := range need {
		pending = append(pending, read.Placed(key)+": takes effect when the daemon is started again")
	}
	snap := s.Current().with(func(snap *Snapshot) { snap.Config, snap.Pending = next, pending })
	snap.release(SourceConfig)
	s.put(snap, Cause{Source: SourceConfig, Changes: snap.note(c)})
	return nil
}
