package trial

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/dragoman-project/dragoman/autoparser"
	"github.com/dragoman-project/dragoman/host/check"
	"github.com/dragoman-project/dragoman/host/state"
	"github.com/dragoman-project/dragoman/sdk/cases"
	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/dragoman-project/dragoman/sdk/handler"
	"github.com/dragoman-project/dragoman/sdk/session"
)

// Host plans and parses under any snapshot. Its methods may be called concurrently.
type Host interface {
	// Subject returns what recorded cases are run against.
	Subject(*state.Snapshot) check.Subject
	// Claims returns the plugins that are asked about a template.
	Claims(ctx context.Context, s *state.Snapshot, template string) []handler.Handler
	// Parse parses a whole output, unobserved.
	Parse(ctx context.Context, s *state.Snapshot, template string, req *chat.Request, output []byte, truncated bool) (session.Result, error)
}

// differ compares what is in force with what would be.
type differ struct {
	host          Host
	before, after *state.Snapshot
	was, is       check.Subject // set on first use
	share         time.Duration // how long a step of a trial may take
	end           time.Time     // of the trial
}

// template returns the fields of a template's dialect that differ. The template may be missing in either snapshot.
func (d *differ) template(ctx context.Context, name string) TemplateDiff {
	a, b := fieldsOf(ctx, d.before, name), fieldsOf(ctx, d.after, name)
	names := make([]string, 0, len(a)+len(b))
	for field := range a {
		names = append(names, field)
	}
	for field := range b {
		names = append(names, field)
	}
	slices.Sort(names)
	t := TemplateDiff{Template: name}
	for _, field := range slices.Compact(names) {
		if a[field] != b[field] {
			t.Fields = append(t.Fields, FieldDiff{Field: field, Before: a[field], After: b[field]})
		}
	}
	return t
}

// fieldsOf returns the fields of a template's dialect that are set, and what else decides how it is read.
func fieldsOf(ctx context.Context, s *state.Snapshot, name string) map[string]string {
	learned, err := learnedIn(ctx, s, name)
	if err != nil {
		return map[string]string{"error": err.Error()}
	}
	fields := map[string]string{}
	for _, f := range learned.Findings() {
		fields[f.Field] = f.Value
	}
	for _, p := range learned.SelfCheck().Unproven() {
		fields[string(p.Part)] = "read as content"
	}
	var asks []string
	for _, rule := range learned.Workarounds {
		for _, n := range rule.Requests {
			asks = append(asks, string(n))
		}
	}
	if len(asks) > 0 {
		slices.Sort(asks)
		fields["request"] = strings.Join(slices.Compact(asks), ", ")
	}
	return fields
}

func learnedIn(ctx context.Context, s *state.Snapshot, name string) (*autoparser.Learned, error) {
	e, err := s.Template(name)
	if err != nil {
		return nil, err
	}
	return e.Learn(ctx)
}

// lint adds the lint of the template that is new, or gone.
func (d *differ) lint(ctx context.Context, t *TemplateDiff) {
	var notes [2][]string
	for i, s := range []*state.Snapshot{d.before, d.after} {
		if learned, err := learnedIn(ctx, s, t.Template); err == nil {
			notes[i] = learned.Lint(ctx)
		}
	}
	t.LintNew, t.LintGone = without(notes[1], notes[0]), without(notes[0], notes[1])
}

// lineOfRule returns the line of the first rule that changes a template; 0 if none does.
func lineOfRule(ctx context.Context, s *state.Snapshot, template string) int {
	learned, err := learnedIn(ctx, s, template)
	if err != nil {
		return 0
	}
	for _, r := range s.Rules.Rules() {
		for _, a := range learned.Workarounds {
			if a.Rule == r.Name && len(a.Changes)+len(a.Requests)+len(a.Vouches) > 0 {
				return r.Line
			}
		}
	}
	return 0
}

// without returns what is in all and not in others.
func without(all, others []string) (rest []string) {
	for _, s := range all {
		if !slices.Contains(others, s) {
			rest = append(rest, s)
		}
	}
	return rest
}

// subjects sets both subjects.
func (d *differ) subjects() {
	if d.was == nil {
		d.was, d.is = d.host.Subject(d.before), d.host.Subject(d.after)
	}
}

// compare runs a case under both snapshots. Each output is parsed as a whole: cuts are not in question here.
func (d *differ) compare(ctx context.Context, c *cases.Case) (change CaseDiff, changed bool) {
	d.subjects()
	before, after := check.Judge(ctx, d.was, c, check.Options{}), check.Judge(ctx, d.is, c, check.Options{})
	change = changeOf(c, &before, &after)
	return change, ctx.Err() == nil && (before.OK() != after.OK() || change.Difference != "")
}

// changeOf returns how two results of a case differ.
func changeOf(c *cases.Case, before, after *check.Result) CaseDiff {
	change := CaseDiff{Case: c.ID, Template: c.Template, Before: before.Why, After: after.Why}
	if before.Actual != nil && after.Actual != nil {
		change.Difference = cases.Compare(*before.Actual, *after.Actual)
	}
	return change
}

// touched reports whether a template has another source, or is read in another way.
func (d *differ) touched(ctx context.Context, name string) bool {
	a, errA := d.before.Template(name)
	b, errB := d.after.Template(name)
	if errA != nil || errB != nil {
		return false // a new template has no past
	}
	return a.Hash != b.Hash || len(d.template(ctx, name).Fields) > 0
}

// served reports whether one of the handlers is asked about a template under either snapshot.
func (d *differ) served(ctx context.Context, name string, handlers []string) bool {
	return slices.ContainsFunc(d.claims(ctx, name), func(c handler.Handler) bool { return slices.Contains(handlers, c.Describe().Name) })
}

// claims returns the handlers that are asked about a template, those of the snapshot in force first.
func (d *differ) claims(ctx context.Context, name string) []handler.Handler {
	return append(d.host.Claims(ctx, d.before, name), d.host.Claims(ctx, d.after, name)...)
}
