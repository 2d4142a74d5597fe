package host

import (
	"slices"
	"time"

	"github.com/dragoman-project/dragoman/host/plugins"
	"github.com/dragoman-project/dragoman/internal/cache"
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

// Constraints returns the state of the cache of constraints.
func (h *Host) Constraints() cache.Stats { return h.constraints.Stats() }

// Programs returns the state of the cache of compiled programs.
func (h *Host) Programs() cache.Stats { return h.codes.Stats() }

// Assembled returns the state of the cache of assembled programs.
func (h *Host) Assembled() cache.Stats { return h.programs.Stats() }
