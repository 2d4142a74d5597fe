package state

import (
	"context"
	"fmt"
	"maps"
	"sync"

	"github.com/dragoman-project/dragoman/autoparser/workaround"
	"github.com/dragoman-project/dragoman/host/config"
	"github.com/dragoman-project/dragoman/sdk/fault"
)

// Own holds the templates that one client has put. They are no part of a snapshot: that client alone sees and uses them, and a
// template of the operator hides one of the same name. The zero value is empty. It is safe for concurrent use.
type Own struct {
	mu      sync.Mutex
	entries map[string]*Entry // never changed once it is shared
	rules   *workaround.Set   // those that the entries are under
}

type ownKey struct{}

// WithOwn returns a context for the requests of a client: they see its own templates, and put more of them.
func WithOwn(ctx context.Context, own *Own) context.Context {
	return context.WithValue(ctx, ownKey{}, own)
}

// OwnOf returns the templates of the client that a context belongs to; nil if it is an operator's.
func OwnOf(ctx context.Context) *Own {
	own, _ := ctx.Value(ownKey{}).(*Own)
	return own
}

// For returns what is in force, with the own templates of the client that a context belongs to.
func (s *State) For(ctx context.Context) *Snapshot {
	snap := s.Current()
	own := OwnOf(ctx)
	if own == nil {
		return snap
	}
	seen := *snap
	seen.layers[owned] = own.under(snap.Rules)
	return &seen
}

// under returns the templates under these rules.
func (o *Own) under(rules *workaround.Set) map[string]*Entry {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.rules != rules {
		o.entries, o.rules = under(o.entries, rules), rules
	}
	return o.entries
}

// put adds a template that was learned, or replaces one.
func (o *Own) put(e *Entry, limits config.Limits) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	next := maps.Clone(o.entries)
	if next == nil {
		next = map[string]*Entry{}
	}
	next[e.Name] = e.Under(o.rules)
	size := 0
	for _, one := range next {
		size += len(one.Source) + len(one.BOSToken) + len(one.EOSToken)
	}
	if len(next) > limits.KeyTemplates || size > limits.KeyTemplateBytes {
		return &fault.Error{Code: fault.LimitExceeded, Place: e.Name,
			Message: fmt.Sprintf("a client may put %d templates with %d bytes, and with this one it would have %d with %d", limits.KeyTemplates, limits.KeyTemplateBytes, len(next), size),
			Remedy:  "replace one of them, or raise limits.key_templates or limits.key_template_bytes"}
	}
	o.entries = next
	return nil
}

// putOwn adds a template of a client, or replaces one that the client put before.
func (s *State) putOwn(ctx context.Context, own *Own, src TemplateSource) (*Snapshot, *Entry, error) {
	snap := s.Current()
	if _, err := snap.Template(src.Name); err == nil {
		return nil, nil, &fault.Error{Code: fault.PermissionDenied, Place: src.Name, Message: "the operator has a template of this name",
			Remedy: "choose another name"}
	}
	own.under(snap.Rules) // so that those of the new one are known
	e := NewEntry(src, snap.Rules)
	e.Own = true
	if _, err := e.Learn(ctx); err != nil {
		return nil, nil, err
	}
	return snap, e, own.put(e, snap.Config.Limits)
}
