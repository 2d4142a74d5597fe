package trial

import (
	"context"
	"fmt"
	"time"

	"github.com/dragoman-project/dragoman/host/check"
	"github.com/dragoman-project/dragoman/host/state"
	"github.com/dragoman-project/dragoman/sdk/cases"
	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/dragoman-project/dragoman/sdk/session"
)

// shares is the number of shares that make up canary.time. A step gets one share to be answered, and towards the end what is left:
// a step that had less than a share and was not answered proves nothing, so that a change that does not answer can be told from
// one that there was no time for.
const shares = 4

// attempt is a case or a kept output to be tried.
type attempt struct {
	name string
	run  func(ctx context.Context)
}

// attempts returns the attempts of a template.
func (d *differ) attempts(t *Trial, template string, recorded []*cases.Case, outputs []sample) (all []attempt) {
	for _, c := range recorded {
		all = append(all, attempt{c.ID, func(ctx context.Context) { d.tryCase(ctx, t, c) }})
	}
	for i, one := range outputs {
		change := CaseDiff{Case: fmt.Sprintf("live output %d of %s", i+1, one.at.Format(time.DateTime)), Template: template}
		all = append(all, attempt{change.Case, func(ctx context.Context) { d.tryOutput(ctx, t, change, one) }})
	}
	return all
}

// run makes attempts until the time is up.
func (d *differ) run(ctx context.Context, t *Trial, attempts []attempt) {
	for i, one := range attempts {
		switch {
		case ctx.Err() != nil:
			t.leave(attempts[i:], ending)
			return
		case time.Until(d.end) <= 0:
			t.leave(attempts[i:], noTime)
			return
		}
		one.run(ctx)
	}
}

// timely is whether a step ended in time, and if not, why.
type timely uint8

const (
	inTime timely = iota
	late          // it had its share of the time
	cutOff        // it had less, or the daemon ends
)

// within runs a step in a share of the time, or in what is left.
func (d *differ) within(ctx context.Context, step func(context.Context)) timely {
	left := time.Until(d.end)
	limited, cancel := context.WithTimeout(ctx, min(d.share, left))
	defer cancel()
	step(limited)
	switch {
	case limited.Err() == nil:
		return inTime
	case ctx.Err() != nil || left < d.share:
		return cutOff
	}
	return late
}

// noAnswer describes a change that does not answer in time.
func (d *differ) noAnswer() string {
	return fmt.Sprintf("no answer within %v, but one under what is in force", d.share)
}

// The reasons why cases and outputs are not tried.
const (
	neither = "what is in force does not answer in time"
	noTime  = "there was no time left for it (canary.time)"
	ending  = "the daemon ends"
)

// giveUp records that an attempt proves nothing, because a step of it was not in time.
func (t *Trial) giveUp(ctx context.Context, name string, how timely) {
	why := neither
	switch {
	case ctx.Err() != nil:
		why = ending
	case how == cutOff:
		why = noTime
	}
	t.leave([]attempt{{name: name}}, why)
}

// tryCase runs a case under the snapshot to come, and if it fails, under the one in force.
func (d *differ) tryCase(ctx context.Context, t *Trial, c *cases.Case) {
	d.subjects()
	var before, after check.Result
	now := d.within(ctx, func(ctx context.Context) { after = check.Judge(ctx, d.is, c, check.Options{}) })
	switch {
	case now == cutOff:
		t.giveUp(ctx, c.ID, now)
		return
	case now == inTime && after.OK():
		t.Cases++
		return
	}
	if then := d.within(ctx, func(ctx context.Context) { before = check.Judge(ctx, d.was, c, check.Options{}) }); then != inTime {
		t.giveUp(ctx, c.ID, then)
		return
	}
	change := changeOf(c, &before, &after)
	if now == late {
		change.After = d.noAnswer()
	}
	if t.Cases++; change.IsRegression() {
		t.Regressions = append(t.Regressions, change)
	}
}

// tryOutput parses a kept output under both snapshots. The change names it.
func (d *differ) tryOutput(ctx context.Context, t *Trial, change CaseDiff, s sample) {
	var before, after session.Result
	var unread, err error
	then := d.within(ctx, func(ctx context.Context) { before, unread = d.read(ctx, d.before, change.Template, s) })
	if then != inTime {
		t.giveUp(ctx, change.Case, then)
		return
	}
	if unread != nil {
		return // it could not be parsed before either
	}
	now := d.within(ctx, func(ctx context.Context) { after, err = d.read(ctx, d.after, change.Template, s) })
	if now == cutOff {
		t.giveUp(ctx, change.Case, now)
		return
	}
	t.Outputs++
	switch {
	case now == late:
		change.After = d.noAnswer()
	case err != nil:
		change.After = err.Error()
	default:
		change.Difference = cases.Compare(cases.MessageOf(before.Message), cases.MessageOf(after.Message))
		if was, is := before.Report.Status, after.Report.Status; was == chat.Complete && is != chat.Complete {
			change.After = fmt.Sprintf("its report says %s, and %s before\n%s", is, was, change.Difference)
		}
	}
	if change.IsRegression() {
		t.Regressions = append(t.Regressions, change)
	} else if change.Difference != "" {
		t.Changes = append(t.Changes, change)
	}
}

// read parses a kept output under a snapshot.
func (d *differ) read(ctx context.Context, under *state.Snapshot, template string, s sample) (session.Result, error) {
	return d.host.Parse(ctx, under, template, s.request, s.output, s.truncated)
}
