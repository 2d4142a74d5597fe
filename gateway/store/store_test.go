package store

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/dragoman-project/dragoman/sdk/fault"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// clock is a time that tests set.
type clock struct{ at time.Time }

func (c *clock) now() time.Time {
	c.at = c.at.Add(time.Nanosecond)
	return c.at
}

func opened(t *testing.T, o Options) (*Store, *clock, string) {
	t.Helper()
	path, c := filepath.Join(t.TempDir(), "store"), &clock{time.Now()}
	s, err := open(path, o, c.now)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s, c, path
}

func put(t *testing.T, s *Store, owner, key, text string) {
	t.Helper()
	if err := s.Put(owner, key, []byte(text)); err != nil {
		t.Fatal(err)
	}
}

// has returns which of these keys an owner has.
func has(t *testing.T, s *Store, owner string, keys ...string) string {
	t.Helper()
	var found []string
	for _, key := range keys {
		switch text, err := s.Get(owner, key); {
		case err == nil && len(text) > 0:
			found = append(found, key)
		case fault.CodeOf(err) != fault.NotFound:
			t.Fatal(err)
		}
	}
	return strings.Join(found, " ")
}

func TestWhatIsStoredIsFoundByItsOwnerAlone(t *testing.T) {
	t.Parallel()
	s, _, path := opened(t, Options{MaxBytes: 1000, MaxAge: time.Hour})
	put(t, s, "a", "k", "one")
	put(t, s, "a", "k", "two")
	put(t, s, "", "k", "three")
	for owner, want := range map[string]string{"a": "two", "": "three"} {
		if got, err := s.Get(owner, "k"); string(got) != want || err != nil {
			t.Errorf("%q: %q, %v", owner, got, err)
		}
	}
	if fault.CodeOf(s.Delete("b", "k")) != fault.NotFound || s.Delete("a", "k") != nil || fault.CodeOf(s.Delete("a", "k")) != fault.NotFound || has(t, s, "a", "k") != "" || has(t, s, "", "k") != "k" {
		t.Error("deleted by another owner, or not at all")
	}
	if _, err := Open(path, Options{}); fault.CodeOf(err) != fault.Unavailable {
		t.Errorf("opened twice: %v", err)
	}
}

func TestWhatIsOldIsGone(t *testing.T) {
	t.Parallel()
	s, c, _ := opened(t, Options{MaxBytes: 1000, MaxAge: time.Hour})
	put(t, s, "a", "old", "x")
	c.at = c.at.Add(time.Hour - time.Minute)
	put(t, s, "a", "new", "x")
	c.at = c.at.Add(2 * time.Minute)
	if got := has(t, s, "a", "old", "new"); got != "new" {
		t.Error(got)
	}
	if err := s.expire(); err != nil {
		t.Fatal(err)
	}
	c.at = c.at.Add(-3 * time.Minute)
	if got := has(t, s, "a", "old", "new"); got != "new" {
		t.Errorf("%q after the old one was deleted", got)
	}
}

func TestTheOwnerOfTheMostMakesRoom(t *testing.T) {
	t.Parallel()
	s, _, _ := opened(t, Options{MaxBytes: 100, MaxAge: time.Hour})
	put(t, s, "small", "s", strings.Repeat("x", 30))
	for i := range 20 {
		put(t, s, "big", fmt.Sprint(i), strings.Repeat("x", 20))
	}
	if got := has(t, s, "small", "s") + has(t, s, "big", "16", "17", "18", "19"); got != "s17 18 19" {
		t.Error(got)
	}
	var f *fault.Error
	if err := s.Put("big", "huge", make([]byte, 101)); !errors.As(err, &f) || f.Code != fault.LimitExceeded {
		t.Error(err)
	}
	put(t, s, "big", "all", strings.Repeat("x", 100))
	if got := has(t, s, "small", "s") + has(t, s, "big", "19", "all"); got != "all" {
		t.Error(got)
	}
}

func TestAStoreOutlivesItsProcess(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "store")
	for i, want := range []string{"", "k"} {
		s, err := Open(path, Options{MaxBytes: 10, MaxAge: time.Hour})
		if err != nil {
			t.Fatal(err)
		}
		if got := has(t, s, "a", "k"); got != want {
			t.Errorf("opened %d times: %q", i+1, got)
		}
		put(t, s, "a", "k", "x")
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
