package host

import (
	"context"
	"encoding/hex"
	"maps"
	"path/filepath"
	"runtime"

	"github.com/dragoman-project/dragoman/autoparser/workaround"
	"github.com/dragoman-project/dragoman/host/config"
	"github.com/dragoman-project/dragoman/host/watch"
	"golang.org/x/sync/errgroup"
)

// watch looks at every source for the first time and, unless the host is static, goes on watching.
func (h *Host) watch(ctx context.Context) error {
	w, err := watch.New(watch.Options{Handle: h.apply})
	if err != nil {
		return err
	}
	h.watcher = w
	for _, add := range h.watched() {
		if err := add(w); err != nil {
			return err
		}
	}
	if err := w.Trigger(ctx); err != nil {
		return err
	}
	h.loadModels()
	h.changes.Lock()
	h.ready = true
	h.changes.Unlock()
	h.applyPlugins()
	// A template or plugin that cannot be used is told to those who ask for it; the others serve.
	needed := []string{"config", "workarounds", "model"}
	for _, f := range h.opts.Files {
		needed = append(needed, f.Name)
	}
	if err := h.sources.faults(needed...); err != nil {
		return &Error{Code: InvalidArgument, Message: err.Error(), Remedy: "correct it, or leave the setting out", Err: err}
	}
	if h.opts.Static {
		return w.Close()
	}
	return nil
}

// watched lists what the configuration names.
func (h *Host) watched() (adds []func(*watch.Watcher) error) {
	cfg := h.opts.Config
	file := func(name, path string) {
		if path != "" {
			h.sources.add(name, filepath.Clean(path))
			adds = append(adds, func(w *watch.Watcher) error { return w.Add(path) })
		}
	}
	file("config", h.opts.ConfigFile)
	file("workarounds", cfg.Workarounds.File)
	for _, f := range h.opts.Files {
		h.sources.add(f.Name, filepath.Clean(f.Paths[0]))
		for _, path := range f.Paths {
			adds = append(adds, func(w *watch.Watcher) error { return w.Add(path) })
		}
	}
	if dir := cfg.Templates.Dir; dir != "" {
		h.sources.add("templates", filepath.Clean(dir))
		adds = append(adds, func(w *watch.Watcher) error { return w.AddDir(dir, "*.jinja") })
	}
	for _, path := range cfg.Templates.Models {
		h.sources.add("model", filepath.Clean(path))
	}
	if dir := cfg.Plugins.Dir; dir != "" {
		h.sources.add("plugins", filepath.Clean(dir))
		adds = append(adds, func(w *watch.Watcher) error { return w.AddDirUnread(dir, "*") })
	}
	return adds
}

// Reload reads every source again and returns when all have settled, with what was refused.
func (h *Host) Reload(ctx context.Context) error {
	if h.opts.Static {
		return &Error{Code: InvalidArgument, Message: "this host reads its files once", Remedy: "start it with `host serve`"}
	}
	select {
	case <-h.warmed:
	case <-ctx.Done():
	}
	if err := h.watcher.Trigger(ctx); err != nil {
		return &Error{Code: Unavailable, Message: err.Error(), Remedy: "try again when nothing writes to the files", Err: err}
	}
	h.loadModels()
	h.applyPlugins()
	if err := h.sources.faults(); err != nil {
		return &Error{Code: InvalidArgument, Message: err.Error(), Remedy: "what was in force before stays so; correct the files", Err: err}
	}
	return nil
}

// apply puts settled changes in force: each source by itself, so that a fault in one does not hold up another. Plugins are
// loaded beside, because a new version is started and examined first, which can take long.
func (h *Host) apply(changes []watch.Change) {
	h.changes.Lock()
	defer h.changes.Unlock()
	h.applyFiles(changes)
	var templates []watch.Change
	plugins := false
	for _, c := range changes {
		switch cfg := h.opts.Config; {
		case h.opts.ConfigFile != "" && c.Path == filepath.Clean(h.opts.ConfigFile):
			h.settle(c, h.applyConfig)
		case cfg.Workarounds.File != "" && c.Path == filepath.Clean(cfg.Workarounds.File):
			h.settle(c, h.applyRules)
		case cfg.Templates.Dir != "" && below(cfg.Templates.Dir, c.Path):
			templates = append(templates, c)
		case cfg.Plugins.Dir != "" && below(cfg.Plugins.Dir, c.Path):
			plugins = true
		}
	}
	if len(templates) > 0 {
		h.applyTemplates(templates)
	}
	if plugins && h.ready && h.stale.CompareAndSwap(false, true) {
		h.loading.Go(h.applyPlugins)
	}
}

func below(dir, path string) bool {
	dir = filepath.Clean(dir)
	return path == dir || filepath.Dir(path) == dir
}

// settle applies the content of a file and notes the outcome. Of a file that is gone, what was read last stays.
func (h *Host) settle(c watch.Change, use func(watch.Change) error) {
	err := c.Err
	switch {
	case err != nil:
	case c.Removed:
		err = gone(c.Path)
	default:
		err = use(c)
	}
	h.note(c.Path, hex.EncodeToString(c.SHA256[:]), err)
}

func (h *Host) note(path, sha string, err error) {
	h.sources.note(path, sha, err)
	if err != nil {
		h.log.Error("reload refused; what was in force stays", "path", path, "error", err)
		return
	}
	h.log.Info("reloaded", "path", path, "sha256", sha, "snapshot", h.current.Load().Generation)
}

func (h *Host) applyRules(c watch.Change) error {
	rules, err := workaround.Parse(c.Path, c.Data)
	if err != nil {
		return err
	}
	next := h.current.Load().withRules(rules)
	next.release(sourceWorkarounds)
	if err := h.try(sourceWorkarounds, c.Path, next); err != nil {
		return err
	}
	h.put(next, Cause{Source: sourceWorkarounds, Changes: next.note(c)})
	return nil
}

func (h *Host) applyConfig(c watch.Change) error {
	if h.opts.LoadConfig == nil {
		return nil
	}
	read, err := h.opts.LoadConfig(c.Data)
	if err != nil {
		return err
	}
	next, err := h.opts.Config.Reloaded(read)
	if err != nil {
		return err
	}
	if need := config.NeedRestart(h.opts.Config, read); len(need) > 0 {
		h.log.Warn("some settings take effect at the next start only", "settings", need)
	}
	snap := h.current.Load().with(func(s *Snapshot) { s.Config = next })
	snap.release(sourceConfig)
	h.put(snap, Cause{Source: sourceConfig, Changes: snap.note(c)})
	return nil
}

// applyTemplates changes the templates of the folder.
func (h *Host) applyTemplates(changes []watch.Change) {
	snap := h.current.Load()
	dir := filepath.Clean(h.opts.Config.Templates.Dir)
	entries := maps.Clone(snap.latest(directory, sourceTemplates))
	if entries == nil {
		entries = map[string]*entry{}
	}
	changes = confined(dir, changes)
	fresh := h.openAll(changes, snap.Rules)
	outcomes := map[string]error{}
	var used []watch.Change
	for _, c := range changes {
		err := h.changeTemplate(entries, dir, c, fresh[c.Path])
		if outcomes[c.Path] = err; err == nil && c.Path != dir {
			used = append(used, c)
		} else if err != nil {
			h.log.Error("template refused; what was in force stays", "path", c.Path, "error", err)
		}
	}
	if !maps.Equal(entries, snap.layers[directory]) {
		next := snap.withLayer(directory, entries)
		next.release(sourceTemplates)
		h.put(next, Cause{Source: sourceTemplates, Changes: next.note(used...)})
	}
	if h.cold { // warm notes which of them can be used
		maps.DeleteFunc(outcomes, func(_ string, fault error) bool { return fault == nil })
	}
	h.sources.noteFiles(dir, outcomes)
	h.log.Info("templates reloaded", "path", dir, "files", len(changes), "snapshot", h.current.Load().Generation)
}

// changeTemplate puts one file's content into entries. Content that cannot be read or compiled, or with which recorded cases
// do not hold any longer, leaves the last good one in its place; where there is none, requests for the template are told why.
func (h *Host) changeTemplate(entries map[string]*entry, dir string, c watch.Change, next *entry) error {
	name := canonicalName(filepath.Base(c.Path))
	switch {
	case c.Err != nil, c.Path == dir:
		return c.Err
	case c.Removed:
		delete(entries, name)
		return nil
	}
	old := entries[name]
	if old != nil && old.hash == next.hash {
		return nil
	}
	if h.cold {
		entries[name] = next
		return nil
	}
	_, err := next.opened()
	if err == nil && old != nil {
		err = h.try(sourceTemplates, c.Path, h.current.Load().withTemplate(directory, next))
	}
	if err == nil || old == nil {
		entries[name] = next
	}
	return err
}

// openAll opens the templates that files hold now, side by side, for there may be many. At the start it leaves that to warm.
func (h *Host) openAll(changes []watch.Change, rules *workaround.Set) map[string]*entry {
	fresh := map[string]*entry{}
	var g errgroup.Group
	g.SetLimit(runtime.GOMAXPROCS(0))
	for _, c := range changes {
		if c.Data == nil {
			continue
		}
		e := newEntry(TemplateSource{Name: canonicalName(filepath.Base(c.Path)), Source: string(c.Data), Origin: c.Path}, rules)
		fresh[c.Path] = e
		if h.cold {
			continue
		}
		g.Go(func() error {
			_, _ = e.opened() // the entry remembers the error
			return nil
		})
	}
	_ = g.Wait() // none returns an error
	return fresh
}

// loadModels reads the models again. They are large and seldom change, so they are read at the start and at a reload that
// somebody asks for, and not watched.
func (h *Host) loadModels() {
	if len(h.opts.Config.Templates.Models) == 0 {
		return
	}
	h.changes.Lock()
	defer h.changes.Unlock()
	snap := h.current.Load()
	all := map[string]*entry{}
	for _, path := range h.opts.Config.Templates.Models {
		entries, err := readModel(path, snap.Rules)
		if err != nil {
			entries = map[string]*entry{} // what was read before stays
			for name, e := range snap.layers[models] {
				if e.Origin == path {
					entries[name] = e
				}
			}
		}
		for name, e := range entries {
			if old := snap.layers[models][name]; old != nil && old.hash == e.hash {
				e = old
			}
			all[name] = e
		}
		h.note(filepath.Clean(path), "", err)
	}
	if maps.Equal(all, snap.layers[models]) && !snap.holds(sourceModel) {
		return
	}
	next := snap.withLayer(models, all)
	next.release(sourceModel)
	h.put(next, Cause{Source: sourceModel})
}

// applyPlugins lets the manager look at its folder again. What is there when it is called is in force when it returns.
func (h *Host) applyPlugins() {
	if h.opts.Config.Plugins.Dir == "" {
		return
	}
	dir := filepath.Clean(h.opts.Config.Plugins.Dir)
	h.plugging.Lock()
	defer h.plugging.Unlock()
	h.stale.Store(false)
	h.note(dir, "", h.plugins.Load(dir))
	if h.history.open.Load() {
		h.warn()
	}
}
