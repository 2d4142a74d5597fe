package host

import (
	"context"
	"slices"
	"sync/atomic"

	"github.com/dragoman-project/dragoman/autoparser"
)

// Unproven is a part of a template's dialect that is read as content, because nothing proves it.
type Unproven struct {
	Template string
	autoparser.Proof
}

// vetted holds what is not proven of the templates in force.
type vetted struct {
	due  chan struct{} // something else is in force
	last atomic.Pointer[[]Unproven]
}

// Unproven returns what is not proven of the templates in force that the autoparser serves, sorted by template. Templates are
// learned in the background, so that it can lag behind a change.
func (h *Host) Unproven() []Unproven {
	if all := h.vetted.last.Load(); all != nil {
		return *all
	}
	return nil
}

// vetAll vets the templates after every change, until the context ends.
func (h *Host) vetAll(ctx context.Context) {
	for {
		select {
		case <-h.vetted.due:
			h.vet(ctx)
		case <-ctx.Done():
			return
		}
	}
}

// vet learns the templates in force, and logs what is newly unproven.
func (h *Host) vet(ctx context.Context) {
	snap, before := h.state.Current(), h.Unproven()
	var now []Unproven
	for _, name := range snap.Names() {
		e, err := snap.Template(name)
		if err != nil {
			continue
		}
		learned, err := e.Learn(ctx)
		if err != nil || len(learned.SelfCheck().Unproven()) == 0 {
			continue // the status has the error
		}
		for _, p := range h.info(ctx, snap, e).Parts {
			if !p.Served {
				now = append(now, Unproven{name, p})
			}
		}
	}
	if ctx.Err() != nil {
		return
	}
	h.vetted.last.Store(&now)
	for _, u := range now {
		if !slices.Contains(before, u) {
			h.log.Warn("not proven; read as content", "template", u.Template, "part", u.Part, "because", u.Because)
		}
	}
}
