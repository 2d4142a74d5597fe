package host

import (
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/dragoman-project/dragoman/autoparser"
	"github.com/dragoman-project/dragoman/host/state"
)

// warned holds the warnings that were logged last, so that each is logged once.
type warned struct {
	mu   sync.Mutex
	last []string
}

// warnings returns the settings for templates and handlers that do not exist, each with its place.
func (h *Host) warnings(snap *state.Snapshot) []string {
	all := h.state.Unmatched(snap)
	pins := snap.Config.Templates.Handlers
	for _, template := range slices.Sorted(maps.Keys(pins)) {
		if _, served := h.plugins.Handler(pins[template]); !served && pins[template] != autoparser.HandlerName {
			all = append(all, fmt.Sprintf("%s: no plugin serves the handler %q: correct the name, or add the plugin", snap.Config.Placed("templates.handlers."+template), pins[template]))
		}
	}
	return all
}

// warn logs the warnings that are new.
func (h *Host) warn() {
	h.warned.mu.Lock()
	defer h.warned.mu.Unlock()
	all := h.warnings(h.state.Current())
	for _, warning := range all {
		if !slices.Contains(h.warned.last, warning) {
			h.log.Warn("a setting refers to nothing that exists", "setting", warning)
		}
	}
	h.warned.last = all
}
