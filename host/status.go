package host

import (
	"time"

	"github.com/dragoman-project/dragoman/host/plugins"
	"github.com/dragoman-project/dragoman/sdk/grammar"
)

// Status is the state of a host.
type Status struct {
	StartedAt  time.Time `json:"started_at"`
	Generation uint64    `json:"generation"` // of the snapshot in force
	RulesHash  string    `json:"rules_hash"` // of the workarounds in force
	// Sources are what is read from disk; one that is faulty leaves its last good content in force.
	Sources   []SourceStatus  `json:"sources"`
	Templates []TemplateInfo  `json:"templates"`
	Plugins   []plugins.State `json:"plugins"`
	// Conflicts name plugins that claim the same template at the same priority.
	Conflicts []string `json:"conflicts,omitempty"`
}

// Status tells the state of the host. It learns every template that was not used yet, and checks none.
func (h *Host) Status() Status {
	snap := h.current.Load()
	return Status{
		StartedAt: h.started, Generation: snap.Generation, RulesHash: snap.Rules.Hash(),
		Sources: h.sources.list(), Templates: h.Templates(), Plugins: h.plugins.Status(), Conflicts: h.plugins.Conflicts(),
	}
}

// Plugins tells the state of the plugins.
func (h *Host) Plugins() []plugins.State { return h.plugins.Status() }

// Sources tells the state of what is read from disk.
func (h *Host) Sources() []SourceStatus { return h.sources.list() }

// Constraints tells how often a constraint was found ready, and how many are kept.
func (h *Host) Constraints() grammar.CacheStats { return h.constraints.Stats() }
