package state

import (
	"context"
	"errors"
	"testing"

	"github.com/dragoman-project/dragoman/autoparser"
	"github.com/dragoman-project/dragoman/autoparser/workaround"
	"github.com/dragoman-project/dragoman/host/config"
)

func TestLearningIsSharedAndEachCallerWaitsOnlyAsLongAsItLikes(t *testing.T) {
	began, finish := make(chan struct{}), make(chan struct{})
	calls := 0
	want := new(autoparser.Learned)
	l := newLearning(func(ctx context.Context) (*autoparser.Learned, error) {
		calls++
		close(began)
		<-finish
		return want, ctx.Err()
	})
	first := make(chan error)
	go func() {
		_, err := l.get(context.Background())
		first <- err
	}()
	<-began
	gone, leave := context.WithCancel(t.Context())
	leave()
	if _, err := l.get(gone); !errors.Is(err, context.Canceled) {
		t.Errorf("a caller that leaves gets %v", err)
	}
	close(finish)
	if err := <-first; err != nil {
		t.Error(err)
	}
	if got, err := l.get(t.Context()); got != want || err != nil || calls != 1 {
		t.Errorf("%v, %v after %d calls", got, err, calls)
	}
}

func TestACallerThatLeavesSpoilsNoLearning(t *testing.T) {
	l := newLearning(func(ctx context.Context) (*autoparser.Learned, error) { return nil, ctx.Err() })
	gone, leave := context.WithCancel(t.Context())
	leave()
	if _, err := l.get(gone); err == nil {
		t.Error("the caller that left gets a result")
	}
	if _, err := l.get(t.Context()); err != nil {
		t.Errorf("the next caller gets %v", err)
	}
}

func TestWaitingForAChangeEndsWithItsCaller(t *testing.T) {
	s := start(t, config.Default())
	s.changes.Lock()
	defer s.changes.Unlock()
	ctx, end := context.WithCancel(t.Context())
	done := make(chan error, 2)
	go func() {
		_, _, err := s.Put(ctx, TemplateSource{Name: "x", Source: "x"})
		done <- err
	}()
	go func() {
		_, err := s.Rollback(ctx, 0)
		done <- err
	}()
	end()
	for range 2 {
		if err := <-done; !errors.Is(err, context.Canceled) {
			t.Errorf("error %v", err)
		}
	}
}

func TestATemplateIsLearnedWithoutHoldingUpOtherChanges(t *testing.T) {
	s := start(t, config.Default())
	for range cap(learners) { // no template can be learned
		learners.Lock()
	}
	put := make(chan error)
	go func() {
		_, _, err := s.Put(t.Context(), TemplateSource{Name: "x", Source: "x"})
		put <- err
	}()
	s.changes.Lock()
	rules := new(workaround.Set)
	s.put(s.Current().WithRules(rules), Cause{})
	s.changes.Unlock()
	for range cap(learners) {
		learners.Unlock()
	}
	if err := <-put; err != nil {
		t.Fatal(err)
	}
	if _, err := s.Current().Template("x"); err != nil || s.Current().Rules != rules {
		t.Errorf("after both changes: %v, the rules are lost: %v", err, s.Current().Rules != rules)
	}
}
