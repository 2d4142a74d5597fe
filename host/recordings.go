package host

import (
	"context"

	"github.com/dragoman-project/dragoman/autoparser"
	"github.com/dragoman-project/dragoman/host/recorder"
	"github.com/dragoman-project/dragoman/host/state"
	"github.com/dragoman-project/dragoman/sdk/session"
)

// recorded returns what the recorder knows of a plan's outputs.
func (h *Host) recorded(snap *state.Snapshot, e *state.Entry, learned *autoparser.Learned, draft *session.Draft, p *Planned) *recorder.Output {
	out := &recorder.Output{
		Source:  recorder.Template{Name: e.Name, Hash: e.Hash, Source: e.Source, BOSToken: e.BOSToken, EOSToken: e.EOSToken, SpecialTokens: e.SpecialTokens},
		Request: p.request, Draft: draft, Specials: p.Specials(), Generation: snap.Generation, RulesHash: snap.Rules.Hash(),
	}
	if draft.Handler == autoparser.HandlerName {
		out.Unproven = len(learned.SelfCheck().Unproven()) > 0
	} else if c, ok := h.plugins.Handler(draft.Handler); ok {
		out.Version = c.Describe().Version
	}
	return out
}

// Recordings counts what became of the outputs that were to be recorded; nil if there is no recorder.
func (h *Host) Recordings() map[recorder.Result]uint64 { return h.recorder.Counts() }

// errNoRecorder is the error for what needs a recorder.
var errNoRecorder = &Error{Code: Unavailable, Place: "recorder.dir", Message: "nothing is recorded", Remedy: "set recorder.dir, and start the daemon again"}

// ListRecordings returns the recordings that a filter chooses, the newest first.
func (h *Host) ListRecordings(ctx context.Context, f recorder.Filter) (recorder.Listed, error) {
	if h.recorder == nil {
		return recorder.Listed{}, errNoRecorder
	}
	return h.recorder.Folder().List(ctx, f)
}

// Recording returns a recording.
func (h *Host) Recording(ctx context.Context, id string) (*recorder.Recording, error) {
	if h.recorder == nil {
		return nil, errNoRecorder
	}
	return h.recorder.Folder().Get(ctx, id)
}

// WatchRecordings returns a channel of recordings as they are written, until ctx ends.
func (h *Host) WatchRecordings(ctx context.Context, f recorder.Filter) (<-chan recorder.Summary, error) {
	if h.recorder == nil {
		return nil, errNoRecorder
	}
	return h.recorder.Watch(ctx, f), nil
}
