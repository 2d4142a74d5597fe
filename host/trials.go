package host

import (
	"context"

	"github.com/dragoman-project/dragoman/host/check"
	"github.com/dragoman-project/dragoman/host/plugins"
	"github.com/dragoman-project/dragoman/host/state"
	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/dragoman-project/dragoman/sdk/handler"
	"github.com/dragoman-project/dragoman/sdk/session"
)

// TrialCounts returns how many changes went live after a trial, and how many were refused.
func (h *Host) TrialCounts() (live, refused uint64) { return h.trials.Counts() }

// Trials returns the last changes that were tried before they went live, the newest first.
func (h *Host) Trials() []*Trial { return h.trials.Recent() }

// DiffRules returns what the rules of one file would change if they replaced those of another, for templates that need not
// be in force, and for recorded cases about them, named by their files. The error is about reading cases, or ctx.
func (h *Host) DiffRules(ctx context.Context, before, after RulesFile, templates []TemplateSource, files []check.Input) (RulesDiff, error) {
	return h.trials.DiffRules(ctx, h.state.Current(), before, after, templates, files)
}

// TryRules is DiffRules against what is in force.
func (h *Host) TryRules(ctx context.Context, rules RulesFile, files []check.Input) (RulesDiff, error) {
	return h.trials.TryRules(ctx, h.state.Current(), rules, files)
}

// RehearseRules returns what a file of rules would change, of the recorded cases of the canary, too. Before each template it calls
// progress with the number of those that are done, and of all.
func (h *Host) RehearseRules(ctx context.Context, rules RulesFile, progress func(done, all int)) (RulesDiff, error) {
	return h.trials.Rehearse(ctx, h.state.Current(), rules, progress)
}

// try tries a change before it goes live, unless it is part of the start.
func (h *Host) try(ctx context.Context, source, path string, before, next *state.Snapshot) error {
	if !h.state.Started() {
		return nil
	}
	return h.trials.Try(ctx, source, path, before, next)
}

// tryPlugin tries another version of a plugin, unless it is part of the start.
func (h *Host) tryPlugin(ctx context.Context, change plugins.Change) error {
	if !h.state.Started() {
		return nil
	}
	return h.state.TryPlugin(change, func() error { return h.trials.TryPlugin(ctx, h.state.Current(), change) })
}

// trialHost plans and parses for trials.
type trialHost struct{ *Host }

func (h trialHost) Subject(s *state.Snapshot) check.Subject { return &Subject{host: h.Host, snap: s} }

// Claims returns nothing for a template that cannot be learned, or is pinned to a missing handler.
func (h trialHost) Claims(ctx context.Context, s *state.Snapshot, template string) []handler.Handler {
	learned, err := learnedIn(ctx, s, template)
	if err != nil {
		return nil
	}
	claims, _ := h.claims(s, learned, s.Config.Templates.Handler(template), new(chat.Request))
	return claims
}

func (h trialHost) Parse(ctx context.Context, s *state.Snapshot, template string, req *chat.Request, output []byte, truncated bool) (session.Result, error) {
	e, err := s.ForRequest(template, req)
	if err != nil {
		return session.Result{}, err
	}
	planned, err := h.plan(ctx, s, e, "", req)
	if err != nil {
		return session.Result{}, err
	}
	run := planned.unobserved().Session(ctx, session.Options{NoIDs: true})
	if _, err := run.Feed(output); err != nil {
		return session.Result{}, err
	}
	return run.Finish(truncated)
}
