package state

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

	"github.com/dragoman-project/dragoman/host/config"
	"github.com/dragoman-project/dragoman/host/watch"
)

// Cause is why a snapshot was put in force.
type Cause struct {
	// Source is "start", "config", "workarounds", "templates", "model", "plugins", "upload" or "rollback".
	Source string `json:"source"`
	// Changes are the contents that were replaced; none at the start, and none of models, which are not read as a whole.
	Changes []ContentChange `json:"changes,omitempty"`
	// To is the generation that a rollback went back to.
	To uint64 `json:"to,omitempty"`
}

// ContentChange is a content that was replaced. The hashes are SHA-256 in hexadecimal, of a file as it is on disk,
// of an upload of the source and its tokens, of a plugin of the manifest and the executable; empty: there was no content before, or
// it is absent now.
type ContentChange struct {
	Path   string `json:"path"` // of the file; of a plugin, its manifest; of an upload, the template's name
	Before string `json:"before,omitempty"`
	After  string `json:"after,omitempty"`
}

// SnapshotInfo describes a snapshot of the history.
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
	// Rollback is set where it has contents of an earlier snapshot.
	Rollback *Rollback `json:"rollback,omitempty"`
}

// history holds the snapshots that were in force last, oldest first, including the one in force. The zero value keeps nothing
// until it is opened.
type history struct {
	open atomic.Bool // plugins may be loaded when it is opened

	mu  sync.Mutex // held while a snapshot takes the place of another
	all []*Snapshot
}

// put makes a snapshot the current one, and keeps it.
func (y *history) put(s *Snapshot, current *atomic.Pointer[Snapshot]) {
	y.mu.Lock()
	defer y.mu.Unlock()
	current.Store(s)
	if y.open.Load() {
		y.all = append(y.all, s)
		y.all = slices.Clone(y.all[max(0, len(y.all)-s.Config.History.Snapshots):])
	}
}

// list returns the snapshots, and the one that was in force at that moment.
func (y *history) list(current *atomic.Pointer[Snapshot]) (all []*Snapshot, now *Snapshot) {
	y.mu.Lock()
	defer y.mu.Unlock()
	return slices.Clone(y.all), current.Load()
}

// History returns the snapshots that were in force last, the newest first.
func (s *State) History() []SnapshotInfo {
	all, now := s.history.list(&s.current)
	var out []SnapshotInfo
	for _, snap := range slices.Backward(all) {
		info := snap.info()
		info.InForce = snap == now
		out = append(out, info)
	}
	return out
}

func (s *Snapshot) info() SnapshotInfo {
	return SnapshotInfo{
		Generation: s.Generation, At: s.At, Cause: s.Cause, ConfigHash: s.configHash(), RulesHash: s.Rules.Hash(),
		TemplatesHash: s.templatesHash(embedded, models, directory, uploaded), Templates: len(s.Names()), Rollback: s.Rollback,
	}
}

// configHash returns the hash of all settings but the bearer tokens, which no rollback restores.
func (s *Snapshot) configHash() string {
	text, err := json.Marshal(s.Config.WithAuth(new(config.Config)))
	if err != nil {
		return "" // a struct of plain fields
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// templatesHash returns the hash of the names and contents of the templates of some origins.
func (s *Snapshot) templatesHash(layers ...layer) string {
	sum := sha256.New()
	for _, l := range layers {
		for _, name := range sortedNames(s.layers[l]) {
			fmt.Fprintf(sum, "%d %s %s\n", l, name, s.layers[l][name].Hash)
		}
	}
	return hex.EncodeToString(sum.Sum(nil))
}

// note records the contents of files that were read for s, and returns what they replaced.
func (s *Snapshot) note(files ...watch.Change) []ContentChange {
	before := s.files
	s.files = noted(before, files)
	if s.Rollback != nil { // which compares with what is on disk
		rollback, read := *s.Rollback, *s.Rollback.read
		read.files = noted(read.files, files)
		rollback.read, s.Rollback = &read, &rollback
	}
	return changedFiles(before, s.files)
}

// noted returns the hashes of files after changes.
func noted(before map[string]string, changes []watch.Change) map[string]string {
	after := maps.Clone(before)
	if after == nil {
		after = map[string]string{}
	}
	for _, c := range changes {
		if after[c.Path] = hex.EncodeToString(c.SHA256[:]); c.Removed {
			delete(after, c.Path)
		}
	}
	return after
}

// changedFiles returns the files whose contents differ, by path.
func changedFiles(before, after map[string]string) (changes []ContentChange) {
	for _, path := range sortedNames(before, after) {
		if before[path] != after[path] {
			changes = append(changes, ContentChange{Path: path, Before: before[path], After: after[path]})
		}
	}
	return changes
}
