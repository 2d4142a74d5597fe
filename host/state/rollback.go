package state

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/dragoman-project/dragoman/sdk/fault"
)

// Rollback is the state of a snapshot with contents of an earlier one. It holds for each source until that source changes.
type Rollback struct {
	To    uint64    `json:"to"` // the generation whose contents are in force
	Since time.Time `json:"since"`
	// Held are the sources whose contents on disk are not in force: "config", "workarounds", "templates",
	// "model", "plugins".
	Held []string `json:"held"`

	read *Snapshot // what would be in force without it
}

// Rollback puts the configuration, the rules, the templates and the plugins of an earlier snapshot in force again, as far as they can
// change while the daemon runs; bearer tokens stay as they are. To is the generation to go back to; 0 means the last one before the
// generation in force that differs from it. A rollback holds for each source until that source changes again, and is a snapshot of
// its own.
func (s *State) Rollback(ctx context.Context, to uint64) (SnapshotInfo, error) {
	if err := s.folder.turn.enter(ctx); err != nil {
		return SnapshotInfo{}, err
	}
	defer s.folder.turn.Unlock()
	if err := s.changes.enter(ctx); err != nil {
		return SnapshotInfo{}, err
	}
	defer s.changes.Unlock()
	now := s.Current()
	target, err := s.target(now, to)
	if err != nil {
		return SnapshotInfo{}, err
	}
	read := *now.asRead()
	if read.plugins, err = s.restorePlugins(now, target); err != nil {
		return SnapshotInfo{}, err
	}
	next := now.with(func(next *Snapshot) {
		next.Config, next.Rules, next.layers, next.files = target.Config.WithAuth(now.Config), target.Rules, target.layers, target.files
		next.rulesText = target.rulesText
		next.Rollback = rolledBack(&read, target)
	})
	s.putPlugins(next, target.plugins, Cause{Source: SourceRollback, To: target.Generation, Changes: changedFiles(now.files, target.files)})
	s.Logger.Warn("rolled back", "to", target.Generation, "snapshot", next.Generation, "held", next.held())
	info := next.info()
	info.InForce = true
	return info, nil
}

// target returns the snapshot to go back to.
func (s *State) target(now *Snapshot, to uint64) (*Snapshot, error) {
	all, _ := s.history.list(&s.current)
	from := now.contents()
	for _, snap := range slices.Backward(all) {
		switch {
		case to != 0 && snap.Generation == to:
			return snap, nil
		case to == 0 && snap.Generation < from && snap.Rollback == nil && !snap.same(now):
			return snap, nil
		}
	}
	var known []uint64
	for _, snap := range all {
		known = append(known, snap.Generation)
	}
	if to != 0 {
		return nil, &fault.Error{Code: fault.NotFound, Place: fmt.Sprint(to), Message: "no snapshot of this generation is remembered",
			Remedy: fmt.Sprintf("the generations are %d; history.snapshots sets how many are remembered", known)}
	}
	return nil, &fault.Error{Code: fault.NotFound, Message: fmt.Sprintf("no snapshot before generation %d is remembered that differs", from),
		Remedy: fmt.Sprintf("name one of the generations %d", known)}
}

// contents returns the generation that the contents of s come from.
func (s *Snapshot) contents() uint64 {
	if s.Rollback != nil {
		return s.Rollback.To
	}
	return s.Generation
}

// same reports whether both have the same contents.
func (s *Snapshot) same(other *Snapshot) bool { return len(differing(s, other)) == 0 }

// differing returns the sources whose contents differ.
func differing(a, b *Snapshot) (sources []string) {
	add := func(source string, differs bool) {
		if differs {
			sources = append(sources, source)
		}
	}
	add(SourceConfig, a.configHash() != b.configHash())
	add(SourceWorkarounds, a.Rules.Hash() != b.Rules.Hash())
	add(SourceTemplates, a.templatesHash(directory) != b.templatesHash(directory))
	add(SourceModel, a.templatesHash(models) != b.templatesHash(models))
	add(SourcePlugins, !slices.Equal(a.plugins, b.plugins))
	add(SourceUpload, a.templatesHash(uploaded) != b.templatesHash(uploaded))
	return sources
}

// rolledBack returns the state of a rollback to target from what was read last: nil where target has the same. Uploads are on no
// disk, so they cannot be held back.
func rolledBack(read, target *Snapshot) *Rollback {
	held := slices.DeleteFunc(differing(read, target), func(source string) bool { return source == SourceUpload })
	if len(held) == 0 {
		return nil
	}
	return &Rollback{To: target.contents(), Since: time.Now(), Held: held, read: read}
}

// asRead returns s without its rollback: with everything as it was read last.
func (s *Snapshot) asRead() *Snapshot {
	if s.Rollback == nil {
		return s
	}
	read, all := s.Rollback.read, *s
	all.Rollback, all.files = nil, read.files
	for _, source := range s.Rollback.Held {
		switch source {
		case SourceConfig:
			all.Config = read.Config
		case SourceWorkarounds:
			all.Rules = read.Rules
		case SourceTemplates:
			all.layers[directory] = read.layers[directory]
		case SourceModel:
			all.layers[models] = read.layers[models]
		case SourcePlugins:
			all.plugins = read.plugins
		}
	}
	return &all
}

func (s *Snapshot) held() []string {
	if s.Rollback == nil {
		return nil
	}
	return s.Rollback.Held
}

// holds reports whether a rollback keeps what was read of a source from being in force.
func (s *Snapshot) holds(source string) bool { return slices.Contains(s.held(), source) }

// release ends the rollback of a source, because the source has changed.
func (s *Snapshot) release(source string) {
	if !s.holds(source) {
		return
	}
	next := *s.Rollback
	next.Held = slices.DeleteFunc(slices.Clone(next.Held), func(held string) bool { return held == source })
	if s.Rollback = &next; len(next.Held) == 0 {
		s.Rollback = nil
	}
}

// latest returns the templates of an origin as they were read last, even where a rollback holds them back.
func (s *Snapshot) latest(l layer, source string) map[string]*Entry {
	if !s.holds(source) {
		return s.layers[l]
	}
	return under(s.Rollback.read.layers[l], s.Rules)
}
