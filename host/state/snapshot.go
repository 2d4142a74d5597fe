package state

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/dragoman-project/dragoman"
	"github.com/dragoman-project/dragoman/autoparser/workaround"
	"github.com/dragoman-project/dragoman/host/config"
	"github.com/dragoman-project/dragoman/host/plugins"
	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/dragoman-project/dragoman/sdk/model"
)

// Snapshot is one immutable set of configuration, rules and templates in force. A request works on the one that it began
// with; a change makes a new one, complete, and swaps a pointer.
type Snapshot struct {
	// Generation counts the snapshots of a State, from 1.
	Generation uint64
	Config     *config.Config
	Rules      *workaround.Set
	// At is when it was put in force, and Cause why.
	At    time.Time
	Cause Cause
	// Rollback is set while contents of an earlier snapshot are in force.
	Rollback *Rollback
	// Handlers are the plugins to use with a snapshot that is only tried; nil: those in force, which replace each other while a
	// request works on its snapshot.
	Handlers plugins.Catalog
	// Pending are the settings on disk that need a restart, with their places.
	Pending []string

	rulesText string            // the file of the rules; empty: the embedded one
	files     map[string]string // the SHA-256 of each file that it is made of, by path
	plugins   []plugins.Version // in force since then, by path
	// layers hold the templates by origin. A later layer hides an earlier one's template of the same name.
	layers [numLayers]map[string]*Entry
}

// layer is an origin of templates.
type layer int

const (
	owned     layer = iota // put by the client that asks; empty in snapshots in force
	embedded               // shipped in the binary
	models                 // read from the places in templates.models
	directory              // read from templates.dir
	uploaded               // put over the API
	numLayers
)

// NewSnapshot returns a snapshot of these templates, which need not be in force.
func NewSnapshot(cfg *config.Config, rules *workaround.Set, templates []TemplateSource) *Snapshot {
	entries := map[string]*Entry{}
	for _, src := range templates {
		entries[src.Name] = NewEntry(src, rules)
	}
	snap := &Snapshot{Config: cfg, Rules: rules}
	snap.layers[directory] = entries
	return snap
}

// Template returns the template of that name, with or without the extension of its file.
func (s *Snapshot) Template(name string) (*Entry, error) {
	for l := numLayers - 1; l >= 0; l-- {
		if e, ok := s.layers[l][CanonicalName(name)]; ok {
			return e, nil
		}
	}
	return nil, notFound(name, s.Names())
}

// ForRequest returns the template for a request: with tools, the variant of the template for tools, if it has one.
func (s *Snapshot) ForRequest(name string, req *chat.Request) (*Entry, error) {
	e, err := s.Template(name)
	if len(req.Tools) > 0 {
		variant, none := s.Template(variantName(CanonicalName(name), model.ToolUse))
		if none == nil && (e == nil || variant.Own == e.Own) { // a client cannot add a variant to a template of the operator
			return variant, nil
		}
	}
	return e, err
}

// Names returns the names of all templates, sorted.
func (s *Snapshot) Names() []string {
	return sortedNames(s.layers[:]...)
}

// sortedNames returns the keys of maps, each once.
func sortedNames[V any](all ...map[string]V) []string {
	var names []string
	for _, m := range all {
		names = slices.AppendSeq(names, maps.Keys(m))
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// with returns the next snapshot: a copy that change modifies before it is shared.
func (s *Snapshot) with(change func(*Snapshot)) *Snapshot {
	next := *s
	next.Generation++
	change(&next)
	return &next
}

// RulesText returns the file of the rules.
func (s *Snapshot) RulesText() string { return cmp.Or(s.rulesText, string(dragoman.Workarounds)) }

// WithRules returns the next snapshot with other rules: every template is learned again, on first use.
func (s *Snapshot) WithRules(rules *workaround.Set) *Snapshot {
	return s.with(func(next *Snapshot) {
		next.Rules = rules
		for l, entries := range s.layers {
			next.layers[l] = under(entries, rules)
		}
	})
}

// under returns the same templates under other rules.
func under(entries map[string]*Entry, rules *workaround.Set) map[string]*Entry {
	next := make(map[string]*Entry, len(entries))
	for name, e := range entries {
		next[name] = e.Under(rules)
	}
	return next
}

// withLayer replaces all templates of one origin.
func (s *Snapshot) withLayer(l layer, entries map[string]*Entry) *Snapshot {
	return s.with(func(next *Snapshot) { next.layers[l] = entries })
}

// withTemplate adds or replaces one template.
func (s *Snapshot) withTemplate(l layer, e *Entry) *Snapshot {
	entries := maps.Clone(s.layers[l])
	if entries == nil {
		entries = map[string]*Entry{}
	}
	entries[e.Name] = e
	return s.withLayer(l, entries)
}
