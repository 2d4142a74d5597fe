package trial

import (
	"context"
	"log/slog"
	"slices"
	"testing"
	"time"

	"github.com/dragoman-project/dragoman/autoparser/workaround"
	"github.com/dragoman-project/dragoman/host/config"
	"github.com/dragoman-project/dragoman/host/state"
)

// waits is a step that ends only with its context.
func waits(ctx context.Context) { <-ctx.Done() }

func TestAStepIsLateOnlyAfterItsFullShareOfTheTime(t *testing.T) {
	ended, end := context.WithCancel(t.Context())
	end()
	for _, test := range []struct {
		name        string
		ctx         context.Context
		share, left time.Duration
		step        func(context.Context)
		want        timely
	}{
		{"answered", t.Context(), time.Hour, time.Hour, func(context.Context) {}, inTime},
		{"answered with less than a share left", t.Context(), time.Hour, time.Minute, func(context.Context) {}, inTime},
		{"not answered within a share", t.Context(), time.Millisecond, time.Hour, waits, late},
		{"not answered in what was left", t.Context(), time.Hour, time.Millisecond, waits, cutOff},
		{"given up because the host ends", ended, time.Hour, time.Hour, waits, cutOff},
	} {
		d := &differ{share: test.share, end: time.Now().Add(test.left)}
		if got := d.within(test.ctx, test.step); got != test.want {
			t.Errorf("%s: %d, want %d", test.name, got, test.want)
		}
	}
}

// TestTheWholeTimeOfATrialIsUsed begins attempts with little time left and with none.
func TestTheWholeTimeOfATrialIsUsed(t *testing.T) {
	d := &differ{share: time.Hour, end: time.Now().Add(time.Minute)}
	var made []string
	one := func(name string) attempt { return attempt{name, func(context.Context) { made = append(made, name) }} }
	last := attempt{"last", func(context.Context) { made, d.end = append(made, "last"), time.Now() }}
	var trial Trial
	d.run(t.Context(), &trial, []attempt{one("first"), last, one("too late"), one("later still")})
	if !slices.Equal(made, []string{"first", "last"}) {
		t.Errorf("attempts made: %q", made)
	}
	if trial.Untried != 2 || trial.Error != "too late was not tried: "+noTime {
		t.Errorf("the trial says %+v", trial)
	}
}

func TestATrialStopsWhenTheHostCloses(t *testing.T) {
	cfg := config.Default()
	cfg.Canary.Shadow = 1
	snap := state.NewSnapshot(cfg, new(workaround.Set), []state.TemplateSource{{Name: "a"}, {Name: "b"}})
	trials := Trials{Logger: slog.New(slog.DiscardHandler)}
	ctx, end := context.WithCancel(t.Context())
	defer end()
	var asked []string
	d := &differ{before: snap, after: snap}
	if err := trials.run(ctx, ctx, d, new(Trial), func(_ context.Context, name string) bool {
		asked = append(asked, name)
		end()
		return false
	}); err != nil {
		t.Error(err)
	}
	if len(asked) != 1 {
		t.Errorf("looked at %q, want one template", asked)
	}
}

func TestTheLastTrialsAreKept(t *testing.T) {
	var all Trials
	if all.Last() != nil || len(all.Recent()) != 0 {
		t.Errorf("%v, %v", all.Last(), all.Recent())
	}
	for i := range maxRecent + 2 {
		all.keep(&Trial{Cases: i})
	}
	recent := all.Recent()
	if len(recent) != maxRecent || recent[0] != all.Last() || recent[0].Cases != maxRecent+1 || recent[maxRecent-1].Cases != 2 {
		t.Errorf("%d trials, the last with %d cases", len(recent), all.Last().Cases)
	}
}
