package plugins

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/dragoman-project/dragoman/sdk/handler"
)

// overdue is a context whose deadline has passed but that is not done yet, as on a busy machine.
type overdue struct{ context.Context }

func (overdue) Deadline() (time.Time, bool) { return time.Now().Add(-time.Second), true }

func TestAnExpiredDeadlineIsNotTheFaultOfTheProcess(t *testing.T) {
	b, h := one(t, Options{}, nil)
	before := pid(t, h)
	for what, call := range map[string]func(context.Context) error{
		"a plan": func(ctx context.Context) error {
			_, err := h.Plan(ctx, input())
			return err
		},
		"a stream": func(ctx context.Context) error {
			_, err := h.(handler.StreamHandler).OpenStream(ctx, handler.StreamInput{}, func(chat.Event) {})
			return err
		},
	} {
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		defer cancel()
		if err := call(overdue{ctx}); !errors.Is(err, context.DeadlineExceeded) || ctx.Err() == nil {
			t.Errorf("%s: %v; the context has the error %v", what, err, ctx.Err())
		}
	}
	if after := pid(t, h); after != before || b.state("rogue").Starts != 1 {
		t.Errorf("process %d replaced %d", after, before)
	}
}

func TestWaitingForAPastEventSucceedsAfterTheDeadline(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	done := make(chan struct{})
	close(done)
	for range 1000 {
		if err := waitFor(ctx, done); err != nil {
			t.Fatal(err)
		}
	}
	if err := waitFor(ctx, make(chan struct{})); !errors.Is(err, context.Canceled) {
		t.Errorf("waiting for an event that has not happened: %v", err)
	}
}

// TestAProcessThatDiesDuringAHealthCheckHasItsReason checks continuously, so that most processes
// die during a check.
func TestAProcessThatDiesDuringAHealthCheckHasItsReason(t *testing.T) {
	b, _ := one(t, Options{HealthInterval: time.Microsecond, HealthTimeout: time.Minute}, nil)
	hold := func() *generation {
		g, err := b.current.Load().slots[0].acquire(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return g
	}
	for range 10 {
		g := hold()
		_, err := g.handlers["rogue"].Plan(t.Context(), input())
		if err != nil {
			t.Fatal(err)
		}
		id, err := strconv.Atoi(g.process.ID())
		if err != nil {
			t.Fatal(err)
		}
		if err := syscall.Kill(id, syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		<-g.dead
		g.release()
		if s := b.state("rogue"); !strings.Contains(s.LastError, "signal: killed") {
			t.Fatalf("the last error is %q", s.LastError)
		}
	}
}

func TestConflictsBelongToTheSetInWhichTheyAreFound(t *testing.T) {
	b := newBench(t, Options{})
	b.install("one", "", nil)
	b.install("two", "", nil)
	b.load()
	before := b.current.Load()
	if err := os.Remove(filepath.Join(b.dir, "two.yaml")); err != nil {
		t.Fatal(err)
	}
	b.load()
	before.claimed(facts("t"), nil) // by a request that began earlier
	if all := b.Conflicts(); len(all) > 0 {
		t.Errorf("a single plugin has a conflict: %q", all)
	}
	if len(before.conflicts.list()) != 1 {
		t.Error("no conflict between two plugins")
	}
}
