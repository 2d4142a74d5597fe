package host

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/dragoman-project/dragoman/host/watch"
)

// The sources of change, as causes and the status name them.
const (
	sourceStart       = "start"
	sourceConfig      = "config"
	sourceWorkarounds = "workarounds"
	sourceTemplates   = "templates"
	sourceModel       = "model"
	sourceUpload      = "upload"
	sourcePlugins     = "plugins"
	sourceRollback    = "rollback"
)

// Cause says what put a snapshot in force.
type Cause struct {
	// Source is "start", "config", "workarounds", "templates", "model", "upload" or "rollback".
	Source string `json:"source"`
	// Changes are the contents that gave way to others; none at the start and of models, which are not read as one.
	Changes []ContentChange `json:"changes,omitempty"`
	// To is the generation that a rollback went back to.
	To uint64 `json:"to,omitempty"`
}

// ContentChange is a content that gave way to another. The hashes are SHA-256 in hexadecimal, of a file as it is on disk,
// of an upload as TemplateInfo has it; empty: there was none, or there is none any longer.
type ContentChange struct {
	Path   string `json:"path"` // of the file; of an upload, the template's name
	Before string `json:"before,omitempty"`
	After  string `json:"after,omitempty"`
}

// SnapshotInfo is what is remembered of a snapshot.
type SnapshotInfo struct {
	Generation uint64    `json:"generation"`
	At         time.Time `json:"at"` // when it was put in force
	Cause      Cause     `json:"cause"`
	// What it is made of, as hashes: equal hashes are equal contents.
	ConfigHash    string `json:"config_hash"`
	RulesHash     string `json:"rules_hash"`
	TemplatesHash string `json:"templates_hash"`
	Templates     int    `json:"templates"` // how many
	InForce       bool   `json:"in_force,omitempty"`
	// Rollback says that it has contents of an earlier snapshot; nil: it has none.
	Rollback *Rollback `json:"rollback,omitempty"`
}

// Rollback says that an earlier snapshot is in force. It holds for each source until that source changes.
type Rollback struct {
	To    uint64    `json:"to"` // whose contents are in force
	Since time.Time `json:"since"`
	// Held are the sources whose contents on disk are not in force: "config", "workarounds", "templates", "model".
	Held []string `json:"held"`

	read *Snapshot // what would be in force without it
}

// history remembers the snapshots that were in force last, oldest first, the one that is among them. The zero value remembers
// nothing until it is opened.
type history struct {
	open atomic.Bool // plugins may be loaded when it is opened

	mu  sync.Mutex // held while a snapshot takes the place of another
	all []*Snapshot
}

// put makes a snapshot the current one, and remembers it.
func (y *history) put(s *Snapshot, current *atomic.Pointer[Snapshot]) {
	y.mu.Lock()
	defer y.mu.Unlock()
	current.Store(s)
	if y.open.Load() {
		y.all = append(y.all, s)
		y.all = slices.Clone(y.all[max(0, len(y.all)-s.Config.History.Snapshots):])
	}
}

// list is what is remembered, and which of it was the current one then.
func (y *history) list(current *atomic.Pointer[Snapshot]) (all []*Snapshot, now *Snapshot) {
	y.mu.Lock()
	defer y.mu.Unlock()
	return slices.Clone(y.all), current.Load()
}

// put puts a snapshot in force. Whoever calls it holds changes.
func (h *Host) put(next *Snapshot, cause Cause) {
	next.At, next.Cause = time.Now(), cause
	h.history.put(next, &h.current)
	h.samples.fit(next.names(), next.Config.Canary.Shadow)
	if h.history.open.Load() {
		h.warn()
	}
}

// History lists the snapshots that are remembered, the newest first.
func (h *Host) History() []SnapshotInfo {
	all, now := h.history.list(&h.current)
	var out []SnapshotInfo
	for _, s := range slices.Backward(all) {
		info := s.info()
		info.InForce = s == now
		out = append(out, info)
	}
	return out
}

func (s *Snapshot) info() SnapshotInfo {
	return SnapshotInfo{
		Generation: s.Generation, At: s.At, Cause: s.Cause, ConfigHash: s.configHash(), RulesHash: s.Rules.Hash(),
		TemplatesHash: s.templatesHash(embedded, models, directory, uploaded), Templates: len(s.names()), Rollback: s.Rollback,
	}
}

// configHash is of everything that can be configured. Secrets are part of it; they cannot be told from it.
func (s *Snapshot) configHash() string {
	text, err := json.Marshal(s.Config)
	if err != nil {
		return "" // a struct of plain fields
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// templatesHash is of the names and contents of templates of some origins.
func (s *Snapshot) templatesHash(layers ...layer) string {
	sum := sha256.New()
	for _, l := range layers {
		for _, name := range sortedNames(s.layers[l]) {
			fmt.Fprintf(sum, "%d %s %s\n", l, name, s.layers[l][name].hash)
		}
	}
	return hex.EncodeToString(sum.Sum(nil))
}

// Rollback puts the configuration, the rules and the templates of an earlier snapshot in force again, as far as they can
// change while the host runs; plugins stay as they are. To is the generation to go back to; 0 is the one before that whose contents are in
// force. It holds for each source until that source changes again, and is a snapshot of its own.
func (h *Host) Rollback(to uint64) (SnapshotInfo, error) {
	h.changes.Lock()
	defer h.changes.Unlock()
	now := h.current.Load()
	target, err := h.target(now, to)
	if err != nil {
		return SnapshotInfo{}, err
	}
	next := now.with(func(s *Snapshot) {
		s.Config, s.Rules, s.layers, s.files = target.Config, target.Rules, target.layers, target.files
		s.Rollback = rolledBack(now, target)
	})
	h.put(next, Cause{Source: sourceRollback, To: target.Generation, Changes: changedFiles(now.files, target.files)})
	h.log.Warn("rolled back", "to", target.Generation, "snapshot", next.Generation, "held", next.held())
	info := next.info()
	info.InForce = true
	return info, nil
}

// target finds the snapshot to go back to.
func (h *Host) target(now *Snapshot, to uint64) (*Snapshot, error) {
	all, _ := h.history.list(&h.current)
	from := now.contents()
	for _, s := range slices.Backward(all) {
		switch {
		case to != 0 && s.Generation == to:
			return s, nil
		case to == 0 && s.Generation < from && s.Rollback == nil && !s.same(now):
			return s, nil
		}
	}
	var known []uint64
	for _, s := range all {
		known = append(known, s.Generation)
	}
	if to != 0 {
		return nil, &Error{Code: NotFound, Place: fmt.Sprint(to), Message: "no snapshot of this generation is remembered",
			Remedy: fmt.Sprintf("the generations are %d; history.snapshots says how many are remembered", known)}
	}
	return nil, &Error{Code: NotFound, Message: fmt.Sprintf("no snapshot before generation %d is remembered that differs", from),
		Remedy: fmt.Sprintf("name one of the generations %d", known)}
}

// contents is the generation that the contents of s come from.
func (s *Snapshot) contents() uint64 {
	if s.Rollback != nil {
		return s.Rollback.To
	}
	return s.Generation
}

// same says whether both have the same contents.
func (s *Snapshot) same(other *Snapshot) bool { return len(differing(s, other)) == 0 }

// differing lists the sources whose contents differ.
func differing(a, b *Snapshot) (sources []string) {
	add := func(source string, differs bool) {
		if differs {
			sources = append(sources, source)
		}
	}
	add(sourceConfig, a.configHash() != b.configHash())
	add(sourceWorkarounds, a.Rules.Hash() != b.Rules.Hash())
	add(sourceTemplates, a.templatesHash(directory) != b.templatesHash(directory))
	add(sourceModel, a.templatesHash(models) != b.templatesHash(models))
	add(sourceUpload, a.templatesHash(uploaded) != b.templatesHash(uploaded))
	return sources
}

// rolledBack is the state of a rollback from now to target. Uploads are on no disk, so there is nothing to hold back; and
// where target has what is on disk, nothing is.
func rolledBack(now, target *Snapshot) *Rollback {
	read := now.asRead()
	held := slices.DeleteFunc(differing(read, target), func(source string) bool { return source == sourceUpload })
	if len(held) == 0 {
		return nil
	}
	return &Rollback{To: target.contents(), Since: time.Now(), Held: held, read: read}
}

// asRead is s without its rollback: with everything as it was read last.
func (s *Snapshot) asRead() *Snapshot {
	if s.Rollback == nil {
		return s
	}
	read, all := s.Rollback.read, *s
	all.Rollback = nil
	for _, source := range s.Rollback.Held {
		switch source {
		case sourceConfig:
			all.Config = read.Config
		case sourceWorkarounds:
			all.Rules = read.Rules
		case sourceTemplates:
			all.layers[directory] = read.layers[directory]
		case sourceModel:
			all.layers[models] = read.layers[models]
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

// holds says whether a rollback holds a source back.
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

// latest are the templates of an origin as they were read last, also where a rollback holds them back.
func (s *Snapshot) latest(l layer, source string) map[string]*entry {
	if !s.holds(source) {
		return s.layers[l]
	}
	return under(s.Rollback.read.layers[l], s.Rules)
}

// note remembers the contents of files that were read for s, and says what they took the place of.
func (s *Snapshot) note(files ...watch.Change) []ContentChange {
	before := s.files
	s.files = maps.Clone(before)
	if s.files == nil {
		s.files = map[string]string{}
	}
	for _, c := range files {
		if s.files[c.Path] = hex.EncodeToString(c.SHA256[:]); c.Removed {
			delete(s.files, c.Path)
		}
	}
	return changedFiles(before, s.files)
}

// changedFiles lists the files whose contents differ, by path.
func changedFiles(before, after map[string]string) (changes []ContentChange) {
	for _, path := range sortedNames(before, after) {
		if before[path] != after[path] {
			changes = append(changes, ContentChange{Path: path, Before: before[path], After: after[path]})
		}
	}
	return changes
}
