package host

import (
	"context"
	"slices"
	"time"

	"github.com/dragoman-project/dragoman/host/plugins"
	"github.com/dragoman-project/dragoman/host/state"
	"github.com/dragoman-project/dragoman/host/trial"
	"github.com/dragoman-project/dragoman/internal/cache"
)

// Status is the state of a host.
type Status struct {
	StartedAt  time.Time `json:"started_at"`
	Generation uint64    `json:"generation"` // of the snapshot in force
	RulesHash  string    `json:"rules_hash"` // of the workarounds in force
	// Rollback is set while an earlier snapshot is in force.
	Rollback *state.Rollback `json:"rollback,omitempty"`
	// Trial is the outcome of trying the last change before it went live; nil: none was tried.
	Trial *trial.Trial `json:"trial,omitempty"`
	// Sources are what is read from disk; a faulty one leaves its last good content in force.
	Sources   []SourceStatus  `json:"sources"`
	Templates []TemplateInfo  `json:"templates"`
	Plugins   []plugins.State `json:"plugins"`
	// Conflicts name plugins that claim the same template at the same priority.
	Conflicts []string `json:"conflicts,omitempty"`
	// Warnings are settings for templates or handlers that do not exist, and settings that need a restart, with their place:
	// "dragoman.yaml:3:9: parsing.templates.chatml: there is no such template".
	Warnings []string `json:"warnings,omitempty"`
}

// Status returns the state of the host. It learns every template that was not used yet, and checks none.
func (h *Host) Status(ctx context.Context) Status {
	snap := h.state.Current()
	return Status{
		StartedAt: h.started, Generation: snap.Generation, RulesHash: snap.Rules.Hash(),
		Rollback: snap.Rollback, Trial: h.trials.Last(), Sources: h.state.Sources(), Templates: h.templates(ctx, snap), Plugins: h.Plugins(), Conflicts: h.plugins.Conflicts(),
		Warnings: slices.Concat(h.warnings(snap), snap.Pending),
	}
}

// Plugins returns the state of the plugins.
func (h *Host) Plugins() []plugins.State {
	all := h.plugins.Status()
	for i := range all {
		s := &all[i]
		s.Manifest, s.LastError, s.Fault = state.Printable(s.Manifest), state.Printable(s.LastError), state.Printable(s.Fault)
	}
	return all
}

// Sources returns the state of what is read from disk.
func (h *Host) Sources() []SourceStatus { return h.state.Sources() }

// Constraints returns the state of the cache of constraints.
func (h *Host) Constraints() cache.Stats { return h.constraints.Stats() }

// Programs returns the state of the cache of compiled programs.
func (h *Host) Programs() cache.Stats { return h.codes.Stats() }

// Assembled returns the state of the cache of assembled programs.
func (h *Host) Assembled() cache.Stats { return h.programs.Stats() }
