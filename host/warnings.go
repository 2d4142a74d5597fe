package host

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"sync"

	"github.com/dragoman-project/dragoman/autoparser"
)

// warned remembers what the log was told of last, so that it is told of each warning once.
type warned struct {
	mu   sync.Mutex
	last []string
}

// warnings are settings for what there is not, each with its place. Templates and plugins come and go, so that they are no
// faults; but mostly a name is misspelt, and nothing else would say so.
func (h *Host) warnings(snap *Snapshot) (all []string) {
	for _, setting := range snap.Config.Unmatched(snap.names()) {
		all = append(all, setting+": there is no such template: correct the name, or add the template")
	}
	if dir := h.opts.Config.Templates.Dir; dir != "" && len(snap.layers[directory]) == 0 && !h.sources.faulty(sourceTemplates, filepath.Clean(dir), filepath.Clean(dir)) {
		all = append(all, snap.Config.Placed("templates.dir")+": there are no files *.jinja in this folder: name them so, or name another folder")
	}
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
	all := h.warnings(h.current.Load())
	for _, warning := range all {
		if !slices.Contains(h.warned.last, warning) {
			h.log.Warn("a setting is for nothing that there is", "setting", warning)
		}
	}
	h.warned.last = all
}
