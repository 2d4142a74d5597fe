package work_test

import (
	"context"
	"errors"
	"testing"

	"github.com/dragoman-project/dragoman/internal/work"
)

var errExceeded = errors.New("too much")

func spend(m *work.Meter, times, n int) (err error) {
	defer work.Stopped(&err)
	for range times {
		m.Spend(n)
	}
	return nil
}

func TestWorkEndsAtItsLimitAndWithItsContext(t *testing.T) {
	ended, end := context.WithCancel(t.Context())
	end()
	for name, tt := range map[string]struct {
		meter    *work.Meter
		times, n int
		want     error
	}{
		"within the limit":      {work.New(t.Context(), 100, errExceeded), 10, 10, nil},
		"beyond the limit":      {work.New(t.Context(), 100, errExceeded), 11, 10, errExceeded},
		"beyond it at once":     {work.New(t.Context(), 100, errExceeded), 1, 101, errExceeded},
		"the context has ended": {work.New(ended, 100, errExceeded), 1, 1, context.Canceled},
		"without a meter":       {nil, 1000, 1000, nil},
	} {
		if err := spend(tt.meter, tt.times, tt.n); !errors.Is(err, tt.want) {
			t.Errorf("%s: error %v, want %v", name, err, tt.want)
		}
	}
}

func TestACheckEndsWithTheContextAndCountsNothing(t *testing.T) {
	ctx, end := context.WithCancel(t.Context())
	m := work.New(ctx, 1, errExceeded)
	check := func(m *work.Meter) (err error) {
		defer work.Stopped(&err)
		m.Check()
		return nil
	}
	if err := check(m); err != nil || m.Spent() != 0 || check(nil) != nil {
		t.Errorf("error %v after %d steps", err, m.Spent())
	}
	end()
	if err := check(m); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want that of the context", err)
	}
}

func TestOtherPanicsGoOn(t *testing.T) {
	defer func() {
		if p := recover(); p != "other" {
			t.Errorf("recovered %v", p)
		}
	}()
	var err error
	defer work.Stopped(&err)
	panic("other")
}
