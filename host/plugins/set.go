package plugins

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"reflect"
	"slices"
	"strings"
	"sync"
	"unsafe"

	"github.com/dragoman-project/dragoman/autoparser/workaround"
	"github.com/dragoman-project/dragoman/host/plugins/manifest"
	"github.com/dragoman-project/dragoman/host/plugins/rundir"
	"github.com/dragoman-project/dragoman/internal/cache"
	"github.com/dragoman-project/dragoman/sdk/handler"
)

// set holds the plugins of a directory that are in force. It never changes once it is built.
type set struct {
	dir        string
	slots      []*slot
	candidates []*candidate // highest priority first, then by name
	faults     []refused
	claims     *cache.Cache[*workaround.Facts, []*candidate] // results of match
	conflicts  *conflicts                                    // found by claimed
}

// candidate is a handler with its predicate.
type candidate struct {
	*proxy
	when *workaround.Predicate
}

// refused is a manifest that was not put in force.
type refused struct {
	manifest string
	err      error
}

// newSet returns a set without plugins.
func newSet(dir string) *set {
	return &set{dir: dir, claims: &cache.Cache[*workaround.Facts, []*candidate]{}, conflicts: new(conflicts)}
}

// fault joins the faults of the directory.
func (s *set) fault() error {
	var all []error
	for _, r := range s.faults {
		all = append(all, r.err)
	}
	return errors.Join(all...)
}

// of returns the slot of a manifest, or nil.
func (s *set) of(manifest string) *slot {
	i := slices.IndexFunc(s.slots, func(s *slot) bool { return s.manifest.Path == manifest })
	if i < 0 {
		return nil
	}
	return s.slots[i]
}

// candidate returns the handler of a name, or nil.
func (s *set) candidate(name string) *candidate {
	for _, c := range s.candidates {
		if c.Name == name {
			return c
		}
	}
	return nil
}

// handler returns the handler of a name.
func (s *set) handler(name string) (handler.Handler, bool) {
	if c := s.candidate(name); c != nil {
		return c.proxy, true
	}
	return nil, false
}

// match returns the candidates that claim a template, highest priority first. It calls fault for predicates that fail.
func (s *set) match(facts *workaround.Facts, fault func(*candidate, error)) []*candidate {
	claims, _ := s.claims.Get(facts, func() ([]*candidate, int, error) {
		var claims []*candidate
		for _, c := range s.candidates {
			claimed, err := c.when.Match(*facts)
			if err != nil {
				fault(c, err)
			}
			if claimed {
				claims = append(claims, c)
			}
		}
		return claims, len(facts.Source) + len(claims)*int(unsafe.Sizeof(claims)), nil
	})
	return claims
}

// claimed is match for a set in force: it records conflicts.
func (s *set) claimed(facts *workaround.Facts, fault func(*candidate, error)) []*candidate {
	claims := s.match(facts, fault)
	s.conflicts.note(claims, facts.Name)
	return claims
}

func handlersOf(candidates []*candidate) []handler.Handler {
	handlers := make([]handler.Handler, len(candidates))
	for i, c := range candidates {
		handlers[i] = c.proxy
	}
	return handlers
}

// build returns the set of the manifests. A manifest at fault keeps its slot from before.
func (m *Manager) build(dir string, manifests []string, old *set) *set {
	next := newSet(dir)
	for _, path := range manifests {
		before := old.of(path)
		more, err := m.grow(next, path, before, old)
		if err != nil {
			next.faults = append(next.faults, refused{path, err})
			m.opts.Logger.Error("plugin refused", "manifest", path, "error", err)
			if more = next; before != nil {
				if kept, err := next.with(before); err == nil {
					more = kept
				}
			}
		}
		next = more
	}
	for _, s := range old.slots {
		if !slices.Contains(manifests, s.manifest.Path) {
			next = m.without(s, next)
		}
	}
	return next
}

// without returns the set of the other plugins, which lacks one whose manifest is gone, unless a trial refuses that: then the plugin
// goes on from its private copy.
func (m *Manager) without(gone *slot, next *set) *set {
	if err := m.tryWithout(gone, next); err != nil {
		kept, conflict := next.with(gone)
		if conflict == nil {
			kept.faults = append(kept.faults, refused{gone.manifest.Path, fmt.Errorf("the plugin was removed, and stays in force: %w", err)})
			m.opts.Logger.Error("plugin removed; it stays in force", "manifest", gone.manifest.Path, "error", err)
			return kept
		}
	}
	m.opts.Logger.Warn("plugin removed; other handlers answer for its templates", "manifest", gone.manifest.Path)
	return next
}

// grow returns the set with the slot of a manifest added. before is the manifest's slot until now, or nil.
func (m *Manager) grow(next *set, path string, before *slot, old *set) (*set, error) {
	s, err := m.slotFor(path, before)
	if err != nil {
		return nil, err
	}
	more, err := next.with(s)
	if err == nil {
		err = m.try(s, before, more, old)
	}
	if err != nil && s != before { // it may have been started for its examination
		s.abort()
		m.retire(s)
	}
	return more, err
}

// slotFor returns a slot for a manifest: the one before if nothing has changed. A new version of a plugin must start and pass
// its golden cases; a new plugin is started when it is needed.
func (m *Manager) slotFor(path string, before *slot) (*slot, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	manifest, err := manifest.Parse(path, text, m.opts.contracts.versions())
	if err != nil {
		return nil, err
	}
	same := before != nil && reflect.DeepEqual(before.manifest, manifest)
	if info, err := os.Stat(manifest.ExecutablePath()); err == nil && same && before.executable().Copies(info) {
		before.refresh(string(text), before.executable())
		return before, nil
	}
	var b rundir.Binary
	if m.opts.OnDemand {
		b, err = rundir.Inspect(manifest.ExecutablePath())
	} else {
		b, err = m.dir.Stage(manifest.ExecutablePath(), manifest.SHA256)
	}
	if err != nil {
		return nil, err
	}
	if same && b.SHA256 != "" && before.executable().SHA256 == b.SHA256 && !before.isDown() {
		before.refresh(string(text), b)
		return before, nil
	}
	s := newSlot(&m.shared, manifest, string(text), b)
	if before == nil {
		return s, nil
	}
	if err := s.warm(m.examining); err != nil {
		s.abort()
		m.retire(s)
		return nil, fmt.Errorf("%s: the new version is refused: %w", path, err)
	}
	return s, nil
}

// with returns the set with one more slot and its handlers.
func (s *set) with(new *slot) (*set, error) {
	more := newSet(s.dir)
	more.slots, more.candidates, more.faults = append(slices.Clone(s.slots), new), slices.Clone(s.candidates), s.faults
	for _, h := range new.manifest.Handlers {
		when, err := workaround.CompilePredicate(h.Match)
		if err != nil {
			return nil, fmt.Errorf("%s: match of %s: %w", new.manifest.Path, h.Name, err)
		}
		if c := more.candidate(h.Name); c != nil {
			return nil, fmt.Errorf("%s: handler %s is already provided by %s; rename one", new.manifest.Path, h.Name, c.slot.manifest.Path)
		}
		more.candidates = append(more.candidates, &candidate{proxy: &proxy{slot: new, Handler: h}, when: when})
	}
	slices.SortStableFunc(more.candidates, func(a, b *candidate) int {
		return cmp.Or(cmp.Compare(*b.Priority, *a.Priority), strings.Compare(a.Name, b.Name))
	})
	return more, nil
}

// maxConflicts is how many conflicts are kept.
const maxConflicts = 100

// conflicts holds claims of one set that only the order of names decided.
type conflicts struct {
	mu   sync.Mutex
	seen map[string]bool
}

// note records conflicts among the claims on a template, which are sorted by priority.
func (c *conflicts) note(claims []*candidate, template string) {
	for i := 1; i < len(claims); i++ {
		a, b := claims[i-1], claims[i]
		if *a.Priority != *b.Priority {
			continue
		}
		c.mu.Lock()
		if c.seen == nil {
			c.seen = map[string]bool{}
		}
		if len(c.seen) < maxConflicts {
			c.seen[fmt.Sprintf("template %s: handlers %s and %s claim it at priority %d; %s is asked first", template, a.Name, b.Name, *a.Priority, a.Name)] = true
		}
		c.mu.Unlock()
	}
}

func (c *conflicts) list() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	var all []string
	for text := range c.seen {
		all = append(all, text)
	}
	slices.Sort(all)
	return all
}
