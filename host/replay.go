package host

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"runtime"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/dragoman-project/dragoman/autoparser/workaround"
	"github.com/dragoman-project/dragoman/host/recorder"
	"github.com/dragoman-project/dragoman/host/state"
	"github.com/dragoman-project/dragoman/internal/cache"
	"github.com/dragoman-project/dragoman/sdk/cases"
	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/dragoman-project/dragoman/sdk/session"
)

// Replayer reads recorded outputs again: as they were recorded, and under the rules, plugins and templates of its choice. It is safe
// for concurrent use.
type Replayer struct {
	host      *Host
	snap      *state.Snapshot
	rules     *workaround.Set
	other     *TemplateSource // in place of the recorded templates; nil: none
	player    *recorder.Player
	templates *sync.Map // the hash of a template → func() *state.Entry, under no particular rules
	plans     cache.Cache[cache.Key, *session.Plan]
	entries   sync.Map // the hash of a template → func() *state.Entry, under the rules
}

// Replayer returns a replayer under the rules and plugins in force. other takes the place of the recorded templates, unless it is nil.
func (h *Host) Replayer(other *TemplateSource) *Replayer {
	snap := h.state.Current()
	return &Replayer{host: h, snap: snap, rules: snap.Rules, other: other, player: recorder.NewPlayer(), templates: new(sync.Map)}
}

// under returns the replayer with other rules. Templates are not learned again.
func (r *Replayer) under(rules *workaround.Set) *Replayer {
	return &Replayer{host: r.host, snap: r.snap, rules: rules, other: r.other, player: r.player, templates: r.templates}
}

// entry returns the template that a recording is read with.
func (r *Replayer) entry(of *recorder.Recording) *state.Entry {
	src := sourceOf(of)
	if r.other != nil {
		src = *r.other
	}
	key := cache.KeyOf(src.Name, src.Source, src.BOSToken, src.EOSToken, src.SpecialTokens)
	learned, _ := r.templates.LoadOrStore(key, sync.OnceValue(func() *state.Entry { return state.NewEntry(src, r.rules) }))
	under, _ := r.entries.LoadOrStore(key, sync.OnceValue(func() *state.Entry { return learned.(func() *state.Entry)().Under(r.rules) }))
	return under.(func() *state.Entry)()
}

// sourceOf returns the template of a recording.
func sourceOf(r *recorder.Recording) TemplateSource {
	s := &r.Source
	return TemplateSource{Name: s.Name, Source: s.Source, BOSToken: s.BOSToken, EOSToken: s.EOSToken, SpecialTokens: s.SpecialTokens, Origin: "recording"}
}

// Recorded returns how an output was read, under the plan that was recorded.
func (r *Replayer) Recorded(ctx context.Context, of *recorder.Recording) (session.Result, error) {
	plan, err := r.player.Plan(ctx, of)
	if err != nil {
		return session.Result{}, err
	}
	_, result, err := recorder.Play(ctx, of, plan, session.Options{NoIDs: true})
	return result, err
}

// Now returns how an output is read, under a new plan for its request.
func (r *Replayer) Now(ctx context.Context, of *recorder.Recording) (session.Result, error) {
	e := r.entry(of)
	plan, err := r.plans.Get(cache.KeyOf(e.Hash, string(of.Request)), func() (*session.Plan, int, error) {
		plan, err := r.plan(ctx, e, of)
		return plan, len(of.Request), err
	})
	if err != nil {
		return session.Result{}, err
	}
	_, result, err := recorder.Play(ctx, of, plan, session.Options{NoIDs: true})
	return result, err
}

// plan plans the request of a recording, without a constraint.
func (r *Replayer) plan(ctx context.Context, e *state.Entry, of *recorder.Recording) (*session.Plan, error) {
	req, err := of.ChatRequest()
	if err != nil {
		return nil, err
	}
	draft, _, err := r.host.draft(ctx, r.snap, e, "", req)
	if err != nil {
		return nil, err
	}
	return session.New(ctx, draft, req, session.PlanOptions{SpecialTokens: e.SpecialTokens, Codes: r.host.codes, ParseOnly: true})
}

// ReplayRules reads the newest recordings again, at most a number of them, under other rules; nil if nothing is recorded.
func (h *Host) ReplayRules(ctx context.Context, rules *workaround.Set, most int, progress func(*Replayed)) (*Replayed, error) {
	if h.recorder == nil {
		return nil, nil
	}
	folder := h.recorder.Folder()
	newest, err := folder.List(ctx, recorder.Filter{Limit: most})
	if err != nil || len(newest.Recordings) == 0 {
		return nil, err
	}
	since := newest.Recordings[len(newest.Recordings)-1].At
	return h.Replayer(nil).under(rules).Run(ctx, folder.Each(ctx, recorder.Filter{Since: since}), progress)
}

// Replayed is what changes if recorded outputs are read again.
type Replayed struct {
	// Diff has what changes as cases, in the order of the recordings.
	Diff RulesDiff
	// Recordings counts those that were read, Changed those among them that change, more of which there may be than the diff lists.
	Recordings, Changed int
	// Notes are about recordings that could not be read.
	Notes []string
}

// What a replay lists at most, so that its memory is bounded.
const (
	maxReplayChanges = 1000
	maxReplayNotes   = 100
)

// Run reads recordings on all processors, and returns what changes. progress is called after each, by one goroutine at a time, with
// what is done so far; it may be nil.
func (r *Replayer) Run(ctx context.Context, all iter.Seq2[*recorder.Recording, error], progress func(*Replayed)) (*Replayed, error) {
	run := &replay{replayer: r, progress: progress}
	work, within := errgroup.WithContext(ctx)
	work.SetLimit(runtime.GOMAXPROCS(0))
	number := 0
	for one, err := range all {
		if within.Err() != nil {
			break
		}
		if err != nil {
			run.note(err)
			continue
		}
		at := number
		number++
		work.Go(func() error { return run.read(within, one, at) })
	}
	if err := work.Wait(); err != nil {
		return nil, err
	}
	return run.result(), ctx.Err()
}

// replay is a run of a Replayer.
type replay struct {
	replayer *Replayer
	progress func(*Replayed)

	mu      sync.Mutex
	out     Replayed
	changes []numbered
}

// numbered is a change with the number of its recording.
type numbered struct {
	CaseDiff
	number int
}

func (r *replay) note(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.out.Notes) < maxReplayNotes {
		r.out.Notes = append(r.out.Notes, err.Error())
	}
}

// read reads a recording. The error is that of ctx.
func (r *replay) read(ctx context.Context, one *recorder.Recording, number int) error {
	change, changed, err := r.replayer.compare(ctx, one)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		r.note(err)
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.out.Recordings++
	if changed {
		if r.out.Changed++; len(r.changes) < maxReplayChanges {
			r.changes = append(r.changes, numbered{change, number})
		}
	}
	if r.progress != nil {
		r.progress(&r.out)
	}
	return nil
}

// result returns the changes by template, in the order of their recordings.
func (r *replay) result() *Replayed {
	slices.SortFunc(r.changes, func(a, b numbered) int {
		return cmp.Or(cmp.Compare(a.Template, b.Template), cmp.Compare(a.number, b.number))
	})
	r.out.Diff = RulesDiff{Faults: []RulesFault{}, Templates: []TemplateDiff{}}
	for _, c := range r.changes {
		all := r.out.Diff.Templates
		if n := len(all); n == 0 || all[n-1].Template != c.Template {
			all = append(all, TemplateDiff{Template: c.Template, Fields: []FieldDiff{}})
		}
		last := &all[len(all)-1]
		last.Cases = append(last.Cases, c.CaseDiff)
		r.out.Diff.Templates = all
	}
	return &r.out
}

// compare reads a recording as it was, and anew.
func (r *Replayer) compare(ctx context.Context, one *recorder.Recording) (change CaseDiff, changed bool, err error) {
	change = CaseDiff{Case: one.ID, Template: one.Template}
	before, unread := r.Recorded(ctx, one)
	if unread != nil && !errors.Is(unread, recorder.ErrStream) {
		return change, false, unread
	}
	change.Before = problem(one.Report)
	after, err := r.Now(ctx, one)
	switch {
	case ctx.Err() != nil:
		return change, false, ctx.Err()
	case err != nil:
		change.After = err.Error()
		return change, true, nil //nolint:nilerr // that it is not read any more is the change
	}
	change.After = problem(after.Report)
	if unread == nil {
		change.Difference = cases.Compare(cases.MessageOf(before.Message), cases.MessageOf(after.Message))
	}
	return change, (change.Before == "") != (change.After == "") || change.Difference != "", nil
}

// problem returns what is wrong with how an output was read; empty: nothing.
func problem(r *chat.Report) string {
	switch {
	case r.Status != chat.Complete && len(r.Faults) > 0:
		return fmt.Sprintf("its report says %s: %s", r.Status, r.Faults[0].Message)
	case r.Status != chat.Complete:
		return "its report says " + string(r.Status)
	case len(r.MissingMarkers) > 0:
		return fmt.Sprintf("it lacks %q", r.MissingMarkers[0].Marker)
	}
	return ""
}
