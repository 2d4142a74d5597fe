package state

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"path/filepath"
	"slices"
	"time"

	"github.com/dragoman-project/dragoman/autoparser/workaround"
	"github.com/dragoman-project/dragoman/host/plugins"
	"github.com/dragoman-project/dragoman/host/watch"
)

// This file lets a restart go on with what was in force:
//
//	start:  files ─recall→ for a file that has changed, its content in force before; the change is deferred
//	then:   a deferred change is held back (by a rollback), refused as before, or tried like any other
//
// Without trials, and without a rollback, a valid change goes live at once: then files decide.

// recall replaces changed contents by those that were in force before the restart, and defers the changes.
func (s *State) recall(changes []watch.Change) []watch.Change {
	if s.Started() || s.Static {
		return changes
	}
	changes = slices.Clone(changes)
	for i, c := range changes {
		content, known := s.memory.last.Contents[c.Path]
		if !known || c.Removed || c.Err == nil && string(c.Data) == content || !s.defers(c) {
			continue
		}
		s.deferred = append(s.deferred, c)
		changes[i] = watch.Change{Path: c.Path, Data: []byte(content), SHA256: sha256.Sum256([]byte(content))}
	}
	return changes
}

// defers reports whether the content of a file must not be in force from the start.
func (s *State) defers(c watch.Change) bool {
	return s.tries() || s.rolledBack(c) || !s.valid(c)
}

// tries reports whether changes are tried before they go live.
func (s *State) tries() bool {
	canary := s.Current().Config.Canary
	return canary.Mode == "enforce" && (canary.Cases != "" || canary.Shadow > 0)
}

// rolledBack reports whether a rollback before the restart holds this content back.
func (s *State) rolledBack(c watch.Change) bool {
	r := s.memory.last.Rollback
	return r != nil && c.Err == nil && r.OnDisk[c.Path] == hex.EncodeToString(c.SHA256[:])
}

// valid reports whether content could be put in force.
func (s *State) valid(c watch.Change) bool {
	if c.Err != nil {
		return false
	}
	if named(s.Config.Workarounds.File, c.Path) {
		_, err := workaround.Parse(c.Path, c.Data)
		return err == nil
	}
	_, err := s.entryOf(c).Open()
	return err == nil
}

func (s *State) entryOf(c watch.Change) *Entry {
	return NewEntry(TemplateSource{Name: CanonicalName(filepath.Base(c.Path)), Source: string(c.Data), Origin: c.Path}, s.Current().Rules)
}

// resume decides what was deferred at the start.
func (s *State) resume() {
	var again []watch.Change
	s.changes.Lock()
	held := slices.DeleteFunc(slices.Clone(s.deferred), func(c watch.Change) bool { return !s.rolledBack(c) })
	s.rollBackAgain(held)
	for _, c := range s.deferred {
		refused, known := s.memory.refused[c.Path]
		switch {
		case s.rolledBack(c):
		case known && c.Err == nil && s.tries() && refused.SHA256 == hex.EncodeToString(c.SHA256[:]) && refused.Cases == s.casesHash():
			refused.change = c
			s.memory.refused[c.Path] = refused
			s.noteRefused(c.Path, errors.New(refused.Reason))
		default:
			again = append(again, c)
		}
	}
	s.deferred = nil
	s.cold = s.cold && len(again) == 0
	s.changes.Unlock()
	if len(again) > 0 {
		s.apply(again)
	}
}

// rollBackAgain restores the rollback that was in force before the restart, for the contents on disk that are still the same.
func (s *State) rollBackAgain(held []watch.Change) {
	was := s.memory.last.Rollback
	if was == nil {
		return
	}
	target := *s.Current()
	read := target
	read.files = target.files
	read.note(held...)
	for _, c := range held {
		if rules, err := workaround.Parse(c.Path, c.Data); named(s.Config.Workarounds.File, c.Path) && err == nil {
			read = *read.WithRules(rules)
			read.rulesText = string(c.Data)
			s.sources.note(SourceWorkarounds, c.Path, hex.EncodeToString(c.SHA256[:]), nil)
		}
	}
	for _, c := range held {
		if named(s.Config.Templates.Dir, filepath.Dir(c.Path)) {
			e := s.entryOf(c).Under(read.Rules)
			read = *read.withTemplate(directory, e)
		}
	}
	if path := filepath.Clean(s.ConfigFile); was.Config != "" && s.ConfigFile != "" && target.files[path] == was.OnDisk[path] {
		cfg, err := target.Config.WithLive(filepath.Join(s.memory.dir, memoryName), []byte(was.Config))
		if err != nil {
			s.Logger.Error("the settings of a rollback cannot be restored", "error", err)
		} else {
			target.Config = cfg
		}
	}
	if dir := filepath.Clean(s.Config.Plugins.Dir); s.folder.restored && was.Plugins != nil && slices.Equal(s.Plugins.OnDisk(dir, was.Plugins), was.Plugins) {
		read.plugins = was.Plugins
	}
	next := target.with(func(next *Snapshot) {
		if next.Rollback = rolledBack(&read, &target); next.Rollback != nil {
			next.Rollback.To, next.Rollback.Since = was.To, was.Since
		}
	})
	if next.Rollback == nil {
		return
	}
	s.put(next, Cause{Source: SourceRollback, To: was.To})
	s.Logger.Warn("a rollback from before the restart holds contents back until they change", "held", next.held(), "since", was.Since.Format(time.DateTime))
}

// refuse remembers content that did not go live. A trial that ended with the daemon decided nothing.
func (s *State) refuse(c watch.Change, why error) {
	if s.ending.Err() != nil {
		return
	}
	s.memory.refused[c.Path] = refusal{SHA256: hex.EncodeToString(c.SHA256[:]), Cases: s.casesHash(), Reason: why.Error(), At: time.Now(), change: c}
	s.remember()
}

// refused returns what is on disk and was tried and refused.
func (s *State) refused() (changes []watch.Change) {
	s.changes.Lock()
	defer s.changes.Unlock()
	for _, r := range s.memory.refused {
		if r.change.Data != nil {
			changes = append(changes, r.change)
		}
	}
	return changes
}

// tryAgain tries contents that were refused, unless the files have others now: the cases may have been corrected.
func (s *State) tryAgain(changes []watch.Change) {
	s.changes.Lock()
	changes = slices.DeleteFunc(changes, func(c watch.Change) bool {
		return s.memory.refused[c.Path].SHA256 != hex.EncodeToString(c.SHA256[:])
	})
	s.changes.Unlock()
	if len(changes) > 0 {
		s.apply(changes)
	}
}

func (s *State) casesHash() string { return hashOfCases(s.Config.Canary.Cases) }

// noteRefused records that content which was refused before is still on disk.
func (s *State) noteRefused(path string, why error) {
	s.Logger.Error("held back: refused before the restart, and unchanged since", "path", path, "error", why)
	if named(s.Config.Workarounds.File, path) {
		s.sources.note(SourceWorkarounds, path, "", why)
		return
	}
	s.sources.noteFiles(SourceTemplates, filepath.Clean(s.Config.Templates.Dir), map[string]error{path: why})
}

// remember saves what is in force. The caller holds changes.
func (s *State) remember() {
	if s.memory.dir == "" {
		return
	}
	now := s.Current()
	if err := errors.Join(s.uploads.save(now.layers[uploaded]), s.memory.save(now.remembered(s))); err != nil {
		s.Logger.Error("the state folder cannot be written: a restart will not know what is in force now", "path", s.memory.dir, "error", err)
	}
}

// remembered returns what a restart needs to put s in force again.
func (s *Snapshot) remembered(by *State) remembered {
	out := remembered{Contents: map[string]string{}}
	if by.Config.Plugins.Dir != "" {
		out.Plugins = append([]plugins.Version{}, s.plugins...)
	}
	if file := by.Config.Workarounds.File; file != "" {
		out.Contents[filepath.Clean(file)] = s.rulesText
	}
	for _, e := range s.layers[directory] {
		out.Contents[e.Origin] = e.Source
	}
	if r := s.Rollback; r != nil {
		out.Rollback = &rememberedRollback{To: r.To, Since: r.Since, OnDisk: r.read.files}
		if s.holds(SourceConfig) {
			out.Rollback.Config = s.Config.LiveYAML()
		}
		if s.holds(SourcePlugins) {
			out.Rollback.Plugins = append([]plugins.Version{}, r.read.plugins...)
		}
	}
	return out
}
