package plugins

import (
	"context"
	"slices"

	"github.com/dragoman-project/dragoman/autoparser/workaround"
	"github.com/dragoman-project/dragoman/sdk/handler"
)

// Catalog finds handlers, as a Manager does: among those in force, or those that would be.
type Catalog interface {
	// Match returns the handlers that claim a template, the highest priority first.
	Match(*workaround.Facts) []handler.Handler
	// Handler returns the handler of that name, whatever it claims.
	Handler(name string) (handler.Handler, bool)
}

var _ Catalog = (*Manager)(nil)

// Starter is a handler that can be started before it is called. All handlers of a catalog are.
type Starter interface {
	// Start starts a process for the handler if there is none. It returns when the process accepts calls, or with the reason why
	// there is none, or when ctx ends.
	Start(ctx context.Context) error
}

// Change is a version of a plugin that is about to take over, a new plugin, or the end of one.
type Change struct {
	Manifest string // its path
	Hash     string // that of the Version; empty: the plugin ends
	// Handlers are the names of the handlers that it serves, and of those that the version before it serves.
	Handlers []string
	// Next holds the handlers as they would be. Like those in force, they start processes when called.
	Next Catalog
}

// try lets the host try a slot before it replaces the one that its manifest had before, which may be nil. next is the new set, up
// to that manifest.
func (m *Manager) try(s, before *slot, next, old *set) error {
	if m.opts.Try == nil || s == before {
		return nil
	}
	for _, other := range old.slots {
		if next.of(other.manifest.Path) != nil {
			continue
		}
		if more, err := next.with(other); err == nil { // else it is about to be replaced, too
			next = more
		}
	}
	names := s.manifest.HandlerNames()
	if before != nil {
		names = append(names, before.manifest.HandlerNames()...)
		slices.Sort(names)
		names = slices.Compact(names)
	}
	return m.opts.Try(m.examining, Change{Manifest: s.manifest.Path, Hash: s.version().Hash(), Handlers: names, Next: trial{next}})
}

// tryWithout lets the host try the set without a plugin.
func (m *Manager) tryWithout(gone *slot, next *set) error {
	if m.opts.Try == nil {
		return nil
	}
	return m.opts.Try(m.examining, Change{Manifest: gone.manifest.Path, Handlers: gone.manifest.HandlerNames(), Next: trial{next}})
}

// trial is a set that is not in force. Conflicts and failing predicates are reported once it is.
type trial struct{ set *set }

func (t trial) Match(facts *workaround.Facts) []handler.Handler {
	return handlersOf(t.set.match(facts, func(*candidate, error) {}))
}

func (t trial) Handler(name string) (handler.Handler, bool) { return t.set.handler(name) }
