package plugins

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
)

// tried implements Options.Try: it records the changes and returns what answer does.
type tried struct {
	changes []Change
	answer  func(Change) error
}

func (o *tried) try(_ context.Context, c Change) error {
	o.changes = append(o.changes, c)
	return o.answer(c)
}

func welcome(Change) error { return nil }

func refuse(Change) error { return errors.New("worse than before") }

func TestAVersionRefusedByItsTrialLeavesTheOldOne(t *testing.T) {
	o := &tried{answer: welcome}
	b, h := one(t, Options{Try: o.try}, nil)
	before := pid(t, h)
	b.load()
	if len(o.changes) != 1 {
		t.Fatalf("tried %d times, expected once: unchanged plugins are not tried", len(o.changes))
	}
	o.answer = func(c Change) error {
		next, ok := c.Next.Handler("other")
		if claims := c.Next.Match(facts("t")); !ok || len(claims) != 1 {
			t.Errorf("the catalog has %d handlers", len(claims))
			return nil
		}
		if pid(t, next) == before {
			t.Error("the old process answers for the version being tried")
		}
		if pid(t, h) != before {
			t.Error("the old version does not serve during the trial")
		}
		return refuse(c)
	}
	b.manifest("rogue", "name: rogue\nversion: 1.0.0\nprotocol: 1\nhandlers: [{name: other, match: \"true\"}]\n", map[string]any{"Handlers": []string{"other"}})
	if err := b.Load(b.dir); err == nil || err.Error() != "worse than before" {
		t.Errorf("error %v", err)
	}
	if last := o.changes[len(o.changes)-1]; !slices.Equal(last.Handlers, []string{"other", "rogue"}) || !strings.HasSuffix(last.Manifest, "rogue.yaml") {
		t.Errorf("tried %+v", last)
	}
	if s := b.state("rogue"); s.Fault != "worse than before" || s.PID != before || pid(t, h) != before {
		t.Errorf("state %+v, want that of the process %d", s, before)
	}
}

func TestANewPluginThatIsRefusedIsNotLoaded(t *testing.T) {
	o := &tried{answer: refuse}
	b := newBench(t, Options{Try: o.try})
	b.install("rogue", "", nil)
	if err := b.Load(b.dir); err == nil {
		t.Error("not refused")
	}
	if s := b.Status(); len(s) != 1 || s[0].Condition != Refused || len(b.Match(facts("t"))) != 0 {
		t.Errorf("status %+v", s)
	}
	o.answer = welcome
	b.load()
	pid(t, b.handler("rogue"))
}

func TestAChangeIsTriedTogetherWithTheOtherPluginsInForce(t *testing.T) {
	o := &tried{answer: welcome}
	b := newBench(t, Options{Try: o.try})
	b.install("one", "", nil)
	b.install("two", "", nil)
	b.load()
	b.manifest("one", "", map[string]any{"Version": "1.0.0"})
	b.load()
	if claims := o.changes[len(o.changes)-1].Next.Match(facts("t")); len(o.changes) != 3 || len(claims) != 2 {
		t.Errorf("tried %d times, the last beside %d", len(o.changes), len(claims)-1)
	}
}

func TestClosingEndsATrial(t *testing.T) {
	began, loaded := make(chan struct{}), make(chan error)
	b := newBench(t, Options{Try: func(ctx context.Context, _ Change) error {
		close(began)
		<-ctx.Done()
		return ctx.Err()
	}})
	b.install("rogue", "", nil)
	go func() { loaded <- b.Load(b.dir) }()
	<-began
	if err := b.Close(t.Context()); err != nil {
		t.Error(err)
	}
	if err := <-loaded; !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}
