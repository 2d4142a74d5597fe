package host

import (
	"maps"
	"slices"
	"time"

	"github.com/dragoman-project/dragoman/autoparser/workaround"
	"github.com/dragoman-project/dragoman/host/config"
	"github.com/dragoman-project/dragoman/host/plugins"
	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/dragoman-project/dragoman/sdk/model"
)

// Snapshot is one immutable set of configuration, rules and templates in force. A request works on the one that it began
// with; a change makes a new one, complete, and swaps a pointer.
type Snapshot struct {
	// Generation counts the snapshots of this host, from 1.
	Generation uint64
	Config     *config.Config
	Rules      *workaround.Set
	// At is when it was put in force, and Cause what put it there.
	At    time.Time
	Cause Cause
	// Rollback says that contents of an earlier snapshot are in force; nil: none are.
	Rollback *Rollback

	// handlers are the plugins' of a snapshot that is only tried; nil: those in force, which change without it.
	handlers plugins.Catalog

	pending []string          // settings on disk that need a restart, with their places
	files   map[string]string // the SHA-256 of each file that it is made of, by path
	// layers hold the templates by where they came from. A later layer hides an earlier one's template of the same name.
	layers [numLayers]map[string]*entry
}

// layer is an origin of templates.
type layer int

const (
	embedded  layer = iota // shipped in the binary
	models                 // read from the places in templates.models
	directory              // read from templates.dir
	uploaded               // put over the API
	numLayers
)

// template finds a template by name.
func (s *Snapshot) template(name string) (*entry, error) {
	for l := numLayers - 1; l >= 0; l-- {
		if e, ok := s.layers[l][canonicalName(name)]; ok {
			return e, nil
		}
	}
	return nil, notFound(name, s.names())
}

// forRequest finds the template for a request: with tools, the variant of the template that is meant for tools, if it has one.
func (s *Snapshot) forRequest(name string, req *chat.Request) (*entry, error) {
	if len(req.Tools) > 0 {
		if e, err := s.template(variantName(canonicalName(name), model.ToolUse)); err == nil {
			return e, nil
		}
	}
	return s.template(name)
}

// names lists the names of all templates, sorted.
func (s *Snapshot) names() []string {
	return sortedNames(s.layers[:]...)
}

// sortedNames lists the keys of maps, each once.
func sortedNames[V any](all ...map[string]V) []string {
	var names []string
	for _, m := range all {
		names = slices.AppendSeq(names, maps.Keys(m))
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// with is the next snapshot: a copy on which change is made before anyone sees it.
func (s *Snapshot) with(change func(*Snapshot)) *Snapshot {
	next := *s
	next.Generation++
	change(&next)
	return &next
}

// withRules puts other rules in force: every template is learned again, on first use.
func (s *Snapshot) withRules(rules *workaround.Set) *Snapshot {
	return s.with(func(next *Snapshot) {
		next.Rules = rules
		for l, entries := range s.layers {
			next.layers[l] = under(entries, rules)
		}
	})
}

// under is the same templates under other rules.
func under(entries map[string]*entry, rules *workaround.Set) map[string]*entry {
	next := make(map[string]*entry, len(entries))
	for name, e := range entries {
		next[name] = e.under(rules)
	}
	return next
}

// withLayer replaces all templates of one origin.
func (s *Snapshot) withLayer(l layer, entries map[string]*entry) *Snapshot {
	return s.with(func(next *Snapshot) { next.layers[l] = entries })
}

// withTemplate adds or replaces one template.
func (s *Snapshot) withTemplate(l layer, e *entry) *Snapshot {
	entries := maps.Clone(s.layers[l])
	if entries == nil {
		entries = map[string]*entry{}
	}
	entries[e.Name] = e
	return s.withLayer(l, entries)
}
