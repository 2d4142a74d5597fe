package state

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"runtime"

	"golang.org/x/sync/errgroup"

	"github.com/dragoman-project/dragoman/autoparser/workaround"
	"github.com/dragoman-project/dragoman/host/watch"
)

// applyTemplates changes the templates of the folder.
func (s *State) applyTemplates(changes []watch.Change) {
	snap := s.Current()
	dir := filepath.Clean(s.Config.Templates.Dir)
	before := snap.latest(directory, SourceTemplates)
	entries := maps.Clone(before)
	if entries == nil {
		entries = map[string]*Entry{}
	}
	changes = usable(dir, changes)
	fresh := s.openAll(changes, snap.Rules)
	outcomes := map[string]error{}
	var used []watch.Change
	for _, c := range changes {
		err := s.changeTemplate(entries, dir, c, fresh[c.Path])
		if outcomes[c.Path] = err; err == nil && c.Path != dir {
			used = append(used, c)
		} else if err != nil {
			s.logged(c.Path, "", err)
		}
	}
	// Rejected files alone are no change that would end a rollback.
	if !maps.Equal(entries, before) && (len(used) > 0 || !snap.holds(SourceTemplates)) {
		next := snap.withLayer(directory, entries)
		next.release(SourceTemplates)
		s.put(next, Cause{Source: SourceTemplates, Changes: next.note(used...)})
		if len(used) > 0 {
			s.Logger.Info("templates reloaded", "path", dir, "files", len(used), "snapshot", next.Generation)
		}
	}
	if s.cold { // warm records which of them can be used
		maps.DeleteFunc(outcomes, func(_ string, fault error) bool { return fault == nil })
	}
	s.sources.noteFiles(SourceTemplates, dir, outcomes)
}

// changeTemplate puts one file's content into entries. Content that cannot be read or compiled, or with which recorded cases
// no longer hold, leaves the last good one in its place; if there is none, the fault is the error of requests for the template.
func (s *State) changeTemplate(entries map[string]*Entry, dir string, c watch.Change, next *Entry) error {
	name := CanonicalName(filepath.Base(c.Path))
	switch {
	case c.Err != nil, c.Path == dir:
		return c.Err
	case c.Removed:
		delete(entries, name)
		return nil
	}
	old := entries[name]
	if old != nil && old.Hash == next.Hash {
		return nil
	}
	err := s.admit(directory, SourceTemplates, c.Path, old, next)
	if err == nil || old == nil {
		entries[name] = next
	}
	return err
}

// admit opens a template, and tries it where it replaces an old one. At the start that is left to warm. The caller holds changes.
func (s *State) admit(l layer, source, path string, old, next *Entry) error {
	if s.cold {
		return nil
	}
	if _, err := next.Open(); err != nil || old == nil {
		return err
	}
	err := s.try(s.ending, source, path, s.Current().withTemplate(l, next))
	if err != nil && source == SourceTemplates {
		s.refuse(watch.Change{Path: path, Data: []byte(next.Source), SHA256: sha256.Sum256([]byte(next.Source))}, err)
	}
	return err
}

// openAll returns the templates in changed files, opened in parallel, since there may be many. At the start it leaves the opening to
// warm.
func (s *State) openAll(changes []watch.Change, rules *workaround.Set) map[string]*Entry {
	fresh := map[string]*Entry{}
	var g errgroup.Group
	g.SetLimit(runtime.GOMAXPROCS(0))
	for _, c := range changes {
		if c.Data == nil {
			continue
		}
		e := s.entryOf(c).Under(rules)
		fresh[c.Path] = e
		if s.cold {
			continue
		}
		g.Go(func() error {
			_, _ = e.Open() // the entry keeps the error
			return nil
		})
	}
	_ = g.Wait() // none returns an error
	return fresh
}

// loadModels reads the models again. They are large and rarely change, so they are not watched, but read at the start and by Reload.
func (s *State) loadModels() {
	if len(s.Config.Templates.Models) == 0 {
		return
	}
	s.changes.Lock()
	defer s.changes.Unlock()
	snap := s.Current()
	before := snap.latest(models, SourceModel)
	all := map[string]*Entry{}
	for _, path := range s.Config.Templates.Models {
		entries, err := readModel(path, snap.Rules)
		if err != nil {
			entries = from(path, before) // what was read before stays
		}
		for _, name := range sortedNames(entries) {
			next, fault := s.changeModel(path, before[name], entries[name])
			if other := all[name]; other != nil {
				s.Logger.Warn("two models have a template of the same name; the later one is in force", "template", name, "path", path, "hidden", other.Origin)
			}
			all[name] = next
			err = errors.Join(err, fault)
		}
		s.note(SourceModel, filepath.Clean(path), "", err)
	}
	if maps.Equal(all, before) {
		return
	}
	next := snap.withLayer(models, all)
	next.release(SourceModel)
	s.put(next, Cause{Source: SourceModel})
	s.Go(s.readTokenizers)
}

// changeModel returns the entry for a template of a model: the old one if it is the same, or the new one is rejected.
func (s *State) changeModel(path string, old, next *Entry) (*Entry, error) {
	if old == nil {
		return next, nil
	}
	if old.Hash == next.Hash && old.model.same(next.model) {
		return old, nil
	}
	if err := s.admit(models, SourceModel, path, old, next); err != nil {
		return old, fmt.Errorf("%s: %w", path, err)
	}
	return next, nil
}

// from returns the entries that came from a place.
func from(origin string, entries map[string]*Entry) map[string]*Entry {
	out := maps.Clone(entries)
	maps.DeleteFunc(out, func(_ string, e *Entry) bool { return e.Origin != origin })
	return out
}
