package host

import (
	"context"
	"fmt"
	"time"

	"github.com/dragoman-project/dragoman/host/check"
	"github.com/dragoman-project/dragoman/sdk/cases"
	"github.com/dragoman-project/dragoman/sdk/chat"
)

// shares are how many of them make up canary.time. A case gets one to be answered under what is to come, and one under what
// is in force, and none is begun with less: so a change that does not answer is told from one that there was no time for.
const shares = 4

// attempt is a case or a kept output that is to be tried.
type attempt struct {
	name string
	run  func(ctx context.Context)
}

// attempts are the cases of a template, and its outputs that are kept.
func (d *differ) attempts(t *Trial, template string, recorded []*cases.Case) (all []attempt) {
	for _, c := range recorded {
		all = append(all, attempt{c.ID, func(ctx context.Context) { d.tryCase(ctx, t, c) }})
	}
	for i, one := range d.host.samples.of(template) {
		change := CaseDiff{Case: fmt.Sprintf("live output %d of %s", i+1, one.at.Format(time.DateTime)), Template: template}
		all = append(all, attempt{change.Case, func(ctx context.Context) { d.tryOutput(ctx, t, change, one) }})
	}
	return all
}

// run makes the attempts that can be ended by then.
func (d *differ) run(ctx context.Context, t *Trial, attempts []attempt, end time.Time) {
	for i, one := range attempts {
		switch {
		case ctx.Err() != nil:
			t.leave(attempts[i:], ending)
			return
		case time.Until(end) < 2*d.share:
			t.leave(attempts[i:], "there was no time left for it (canary.time)")
			return
		}
		one.run(ctx)
	}
}

// within does a step in a share of the time, and says whether that ended before the step did.
func (d *differ) within(ctx context.Context, step func(context.Context)) (late bool) {
	ctx, cancel := context.WithTimeout(ctx, d.share)
	defer cancel()
	step(ctx)
	return ctx.Err() != nil
}

// noAnswer says how a change is worse that does not answer in time.
func (d *differ) noAnswer() string {
	return fmt.Sprintf("no answer within %v, and there is one under what is in force", d.share)
}

// Why cases and outputs are not tried.
const (
	neither = "what is in force does not answer in time"
	ending  = "the host ends"
)

// tryCase runs a case under what is to come, and where it fails, under what is in force.
func (d *differ) tryCase(ctx context.Context, t *Trial, c *cases.Case) {
	d.subjects()
	var before, after check.Result
	late := d.within(ctx, func(ctx context.Context) { after = check.Judge(ctx, d.is, c, check.Options{}) })
	if after.OK() && !late {
		t.Cases++
		return
	}
	if d.within(ctx, func(ctx context.Context) { before = check.Judge(ctx, d.was, c, check.Options{}) }) {
		t.leave([]attempt{{name: c.ID}}, neither)
		return
	}
	change := changeOf(c, &before, &after)
	if late {
		change.After = d.noAnswer()
	}
	if t.Cases++; change.Regression() {
		t.Regressions = append(t.Regressions, change)
	}
}

// reading is what an output becomes.
type reading struct {
	message chat.Message
	status  chat.Status
}

// tryOutput parses an output under both. The change names it.
func (d *differ) tryOutput(ctx context.Context, t *Trial, change CaseDiff, s sample) {
	var before, after reading
	var unread, err error
	if d.within(ctx, func(ctx context.Context) { before, unread = d.read(ctx, d.before, change.Template, s) }) {
		t.leave([]attempt{{name: change.Case}}, neither)
		return
	}
	if unread != nil {
		return // it could not be read before either
	}
	late := d.within(ctx, func(ctx context.Context) { after, err = d.read(ctx, d.after, change.Template, s) })
	if ctx.Err() != nil {
		t.leave([]attempt{{name: change.Case}}, ending)
		return
	}
	t.Outputs++
	switch {
	case late:
		change.After = d.noAnswer()
	case err != nil:
		change.After = err.Error()
	default:
		change.Difference = cases.Compare(cases.MessageOf(before.message), cases.MessageOf(after.message))
		if before.status == chat.Complete && after.status != chat.Complete {
			change.After = fmt.Sprintf("its report says %s, and %s before\n%s", after.status, before.status, change.Difference)
		}
	}
	if change.Regression() {
		t.Regressions = append(t.Regressions, change)
	} else if change.Difference != "" {
		t.Changes = append(t.Changes, change)
	}
}

// read is what an output becomes under a snapshot.
func (d *differ) read(ctx context.Context, under *Snapshot, template string, s sample) (reading, error) {
	e, err := under.forRequest(template, s.request)
	if err != nil {
		return reading{}, err
	}
	planned, err := d.host.plan(ctx, under, e, "", s.request)
	if err != nil {
		return reading{}, err
	}
	planned.observer, planned.samples = nil, nil // it has been counted
	session := planned.Session(ctx, SessionOptions{NoIDs: true})
	if _, err := session.Feed(s.output); err != nil {
		return reading{}, err
	}
	result, err := session.Finish(s.truncated)
	if err != nil {
		return reading{}, err
	}
	return reading{result.Message, result.Report.Status}, nil
}
