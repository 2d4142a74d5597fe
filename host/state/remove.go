package state

import (
	"context"
	"maps"

	"github.com/dragoman-project/dragoman/sdk/fault"
)

// Delete removes a template that was put; with the context of a client, one of the client's own. Since it was put by somebody and can
// be put again, or rolled back to, nothing tries what the removal changes.
func (s *State) Delete(ctx context.Context, name string) error {
	name = CanonicalName(name)
	if own := OwnOf(ctx); own != nil {
		return own.delete(name)
	}
	if err := s.changes.enter(ctx); err != nil {
		return err
	}
	defer s.changes.Unlock()
	snap := s.Current()
	old := snap.layers[uploaded][name]
	if old == nil {
		return notPut(name)
	}
	left := maps.Clone(snap.layers[uploaded])
	delete(left, name)
	s.put(snap.withLayer(uploaded, left), Cause{Source: SourceUpload, Changes: []ContentChange{{Path: name, Before: old.Hash}}})
	s.Logger.Info("template deleted", "template", name, "sha256", old.Hash)
	return nil
}

// delete removes a template of the client.
func (o *Own) delete(name string) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.entries[name] == nil {
		return notPut(name)
	}
	left := maps.Clone(o.entries)
	delete(left, name)
	o.entries = left
	return nil
}

func notPut(name string) error {
	return &fault.Error{Code: fault.NotFound, Place: name, Message: "no such template was put by this caller",
		Remedy: "ListTemplates names all with their origin; those of the binary and of templates.dir are not deleted here"}
}
