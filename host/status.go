package host

import (
	"slices"
	"time"

	"github.com/dragoman-project/dragoman/host/plugins"
)

// Status is the state of a host.
type Status struct {
	StartedAt  time.Time `json:"started_at"`
	Generation uint64    `json:"generation"` // of the snapshot in force
	RulesHash  string    `json:"rules_hash"` // of the workarounds in force
	// Rollback says that an earlier snapshot is in force; nil: none is.
	Rollback *Rollback `json:"rollback,omitempty"`
	// Trial is what trying the last change found before it went live; nil: none was tried.
	Trial *Trial `json:"trial,omitempty"`
	// Sources are what is read from disk; one that is faulty leaves its last good content in force.
	Sources   []SourceStatus  `json:"sources"`
	Templates []TemplateInfo  `json:"templates"`
	Plugins   []plugins.State `json:"plugins"`
	// Conflicts name plugins that claim the same template at the same priority.
	Conflicts []string `json:"conflicts,omitempty"`
	// Warnings name settings for templates or handlers that there are not, and such as wait for a restart, with their place:
	// "dragoman.yaml:3:9: parsing.templates.qwen: there is no such template".
	Warnings []string `json:"warnings,omitempty"`
}

// Status tells the state of the host. It learns every template that was not used yet, and checks none.
func (h *Host) Status() Status {
	snap := h.current.Load()
	return Status{
		StartedAt: h.started, Generation: snap.Generation, RulesHash: snap.Rules.Hash(),
		Rollback: snap.Rollback, Trial: h.trial.Load(), Sources: h.sourcesOf(snap), Templates: h.templates(snap), Plugins: h.Plugins(), Conflicts: h.plugins.Conflicts(),
		Warnings: slices.Concat(h.warnings(snap), snap.pending),
	}
}

// Plugins tells the state of the plugins.
func (h *Host) Plugins() []plugins.State {
	all := h.plugins.Status()
	for i := range all {
		s := &all[i]
		s.Manifest, s.LastError, s.Fault = printable(s.Manifest), printable(s.LastError), printable(s.Fault)
	}
	return all
}

// Sources tells the state of what is read from disk.
func (h *Host) Sources() []SourceStatus { return h.sourcesOf(h.current.Load()) }

func (h *Host) sourcesOf(snap *Snapshot) []SourceStatus {
	all := h.sources.list()
	for i := range all {
		if s := &all[i]; snap.holds(s.Name) {
			s.Held = true
			s.SHA256, s.OnDisk = snap.files[s.Path], s.SHA256
		}
	}
	return all
}

// CacheStats say what a cache did since the start, and how much it keeps.
type CacheStats struct {
	Hits, Misses uint64
	Entries      int
}

// Constraints tells how often a constraint was found ready, and how many are kept.
func (h *Host) Constraints() CacheStats {
	s := h.constraints.Stats()
	return CacheStats{Hits: s.Hits, Misses: s.Misses, Entries: s.Entries}
}

// Programs tells how often a program was found compiled, and how many are kept.
func (h *Host) Programs() CacheStats { return CacheStats(h.codes.Stats()) }

// Assembled tells how often what a dialect makes of a request was found ready, and how much of it is kept.
func (h *Host) Assembled() CacheStats { return CacheStats(h.assembled.Stats()) }
