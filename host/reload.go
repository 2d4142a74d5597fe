package host

import (
	"cmp"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"github.com/dragoman-project/dragoman/autoparser/workaround"
	"github.com/dragoman-project/dragoman/host/config"
	"github.com/dragoman-project/dragoman/host/watch"
	"golang.org/x/sync/errgroup"
)

// watch looks at every source for the first time and, unless the host is static, goes on watching.
func (h *Host) watch(ctx context.Context) error {
	w := watch.New(watch.Options{Handle: h.apply})
	h.watcher = w
	if err := w.Blind(); err != nil && !h.opts.Static {
		h.log.Warn("changes of files are seen late", "error", err)
	}
	for _, add := range h.watched() {
		if err := add(w); err != nil {
			return err
		}
	}
	unsettled := h.settled(ctx)
	if err := ctx.Err(); err != nil {
		return err
	}
	h.loadModels()
	h.changes.Lock()
	h.ready = true
	h.changes.Unlock()
	h.applyPlugins()
	// A template or plugin that cannot be used is told to those who ask for it; the others serve.
	needed := []string{sourceConfig, sourceWorkarounds, sourceModel}
	for _, f := range h.opts.Files {
		needed = append(needed, f.Name)
	}
	if unsettled != nil && h.sources.unread(needed...) {
		return unsettled
	}
	if err := h.sources.faults(needed...); err != nil {
		return &Error{Code: InvalidArgument, Message: err.Error(), Remedy: "correct it, or leave the setting out", Err: err}
	}
	if h.opts.Static {
		return w.Close()
	}
	return nil
}

// defaultSettle is how long it is waited for files that somebody is writing. A folder may have one in it that is never finished,
// such as a log.
const defaultSettle = 10 * time.Second

// settled waits until what is on disk was read; the error says what is still being written.
func (h *Host) settled(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, cmp.Or(h.opts.settle, defaultSettle))
	defer cancel()
	err := h.watcher.Trigger(ctx)
	if err == nil {
		return nil
	}
	h.log.Warn("not everything could be read yet", "error", err)
	return &Error{Code: Unavailable, Message: err.Error(), Remedy: "try again when nothing writes to the files", Err: err}
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
	file(sourceConfig, h.opts.ConfigFile)
	file(sourceWorkarounds, cfg.Workarounds.File)
	for _, f := range h.opts.Files {
		h.sources.add(f.Name, filepath.Clean(f.Paths[0]))
		for _, path := range f.Paths {
			adds = append(adds, func(w *watch.Watcher) error { return w.Add(path) })
		}
	}
	if dir := cfg.Templates.Dir; dir != "" {
		h.sources.add(sourceTemplates, filepath.Clean(dir))
		adds = append(adds, func(w *watch.Watcher) error { return w.AddDir(dir, "*.jinja") })
	}
	for _, path := range cfg.Templates.Models {
		h.sources.add(sourceModel, filepath.Clean(path))
	}
	if dir := cfg.Plugins.Dir; dir != "" {
		h.sources.add(sourcePlugins, filepath.Clean(dir))
		adds = append(adds, func(w *watch.Watcher) error { return w.AddDirUnread(dir, "*") })
	}
	return adds
}

// Reload reads every source again and returns when all have settled, with what was refused.
func (h *Host) Reload(ctx context.Context) error {
	if h.opts.Static {
		return &Error{Code: InvalidArgument, Message: "this host reads its files once", Remedy: "start it with `dragoman serve`"}
	}
	select {
	case <-h.warmed:
	case <-ctx.Done():
	}
	unsettled := h.settled(ctx)
	if ctx.Err() != nil || h.ending() {
		return unsettled
	}
	h.loadModels()
	h.applyPlugins()
	if err := h.sources.faults(); err != nil {
		return &Error{Code: InvalidArgument, Message: err.Error(), Remedy: "what was in force before stays so; correct the files", Err: err}
	}
	return unsettled
}

// apply puts settled changes in force: each source by itself, so that a fault in one does not hold up another. Plugins are
// loaded beside, because a new version is started and examined first, which can take long.
func (h *Host) apply(changes []watch.Change) {
	h.changes.Lock()
	defer h.changes.Unlock()
	h.applyFiles(changes)
	cfg := h.opts.Config
	var templates []watch.Change
	plugins := false
	for _, c := range changes { // a folder may be named for several purposes
		if named(h.opts.ConfigFile, c.Path) {
			h.settle(sourceConfig, c, h.applyConfig)
		}
		if named(cfg.Workarounds.File, c.Path) {
			h.settle(sourceWorkarounds, c, h.applyRules)
		}
		if named(cfg.Templates.Dir, c.Path) || named(cfg.Templates.Dir, filepath.Dir(c.Path)) && filepath.Ext(c.Path) == templateEnding {
			templates = append(templates, c)
		}
		if named(cfg.Plugins.Dir, c.Path) || named(cfg.Plugins.Dir, filepath.Dir(c.Path)) {
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

// named says whether a setting names a path.
func named(setting, path string) bool { return setting != "" && filepath.Clean(setting) == path }

// settle applies the content of a file and notes the outcome. Of a file that is gone, what was read last stays.
func (h *Host) settle(source string, c watch.Change, use func(watch.Change) error) {
	err := c.Err
	switch {
	case err != nil:
	case c.Removed:
		err = gone(c.Path)
	default:
		err = use(c)
	}
	h.note(source, c.Path, hex.EncodeToString(c.SHA256[:]), err)
}

func (h *Host) note(source, path, sha string, err error) {
	h.sources.note(source, path, sha, err)
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
	need := config.NeedRestart(h.opts.Config, read)
	if len(need) > 0 {
		h.log.Warn("some settings take effect at the next start only", "settings", need)
	}
	var pending []string
	for _, key := range need {
		pending = append(pending, read.Placed(key)+": takes effect when the daemon is started again")
	}
	snap := h.current.Load().with(func(s *Snapshot) { s.Config, s.pending = next, pending })
	snap.release(sourceConfig)
	h.put(snap, Cause{Source: sourceConfig, Changes: snap.note(c)})
	return nil
}

// applyTemplates changes the templates of the folder.
func (h *Host) applyTemplates(changes []watch.Change) {
	snap := h.current.Load()
	dir := filepath.Clean(h.opts.Config.Templates.Dir)
	before := snap.latest(directory, sourceTemplates)
	entries := maps.Clone(before)
	if entries == nil {
		entries = map[string]*entry{}
	}
	changes = usable(dir, changes)
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
	// Nothing but refusals is no change that would end a rollback.
	if !maps.Equal(entries, before) && (len(used) > 0 || !snap.holds(sourceTemplates)) {
		next := snap.withLayer(directory, entries)
		next.release(sourceTemplates)
		h.put(next, Cause{Source: sourceTemplates, Changes: next.note(used...)})
		if len(used) > 0 {
			h.log.Info("templates reloaded", "path", dir, "files", len(used), "snapshot", next.Generation)
		}
	}
	if h.cold { // warm notes which of them can be used
		maps.DeleteFunc(outcomes, func(_ string, fault error) bool { return fault == nil })
	}
	h.sources.noteFiles(sourceTemplates, dir, outcomes)
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
	err := h.admit(directory, sourceTemplates, c.Path, old, next)
	if err == nil || old == nil {
		entries[name] = next
	}
	return err
}

// admit opens a template, and where it takes the place of an old one, runs recorded cases with it. At the start that is left to
// warm. Whoever calls it holds changes.
func (h *Host) admit(l layer, source, path string, old, next *entry) error {
	if h.cold {
		return nil
	}
	if _, err := next.opened(); err != nil || old == nil {
		return err
	}
	return h.try(source, path, h.current.Load().withTemplate(l, next))
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
	before := snap.latest(models, sourceModel)
	all := map[string]*entry{}
	for _, path := range h.opts.Config.Templates.Models {
		entries, err := readModel(path, snap.Rules)
		if err != nil {
			entries = from(path, before) // what was read before stays
		}
		for _, name := range sortedNames(entries) {
			next, fault := h.changeModel(path, before[name], entries[name])
			if other := all[name]; other != nil {
				h.log.Warn("two models have a template of the same name; the later one is in force", "template", name, "path", path, "hidden", other.Origin)
			}
			all[name] = next
			err = errors.Join(err, fault)
		}
		h.note(sourceModel, filepath.Clean(path), "", err)
	}
	if maps.Equal(all, before) {
		return
	}
	next := snap.withLayer(models, all)
	next.release(sourceModel)
	h.put(next, Cause{Source: sourceModel})
}

// changeModel is the entry for a template of a model: the old one where it is the same or the new one is refused.
func (h *Host) changeModel(path string, old, next *entry) (*entry, error) {
	if old == nil {
		return next, nil
	}
	if old.hash == next.hash {
		return old, nil
	}
	if err := h.admit(models, sourceModel, path, old, next); err != nil {
		return old, fmt.Errorf("%s: %w", path, err)
	}
	return next, nil
}

// from are the entries that came from a place.
func from(origin string, entries map[string]*entry) map[string]*entry {
	out := maps.Clone(entries)
	maps.DeleteFunc(out, func(_ string, e *entry) bool { return e.Origin != origin })
	return out
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
	h.note(sourcePlugins, dir, "", h.loadPlugins(dir))
	if h.history.open.Load() {
		h.warn()
	}
}

// loadPlugins loads the plugins of a folder. If it is not there, those that were loaded stay, as templates do.
func (h *Host) loadPlugins(dir string) error {
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s: %w", dir, watch.ErrNoDirectory)
	}
	return h.plugins.Load(dir)
}
