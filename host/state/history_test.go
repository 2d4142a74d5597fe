package state

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"log/slog"
	"os"
	"path/filepath"
	"testing"

	"github.com/dragoman-project/dragoman/host/config"
)

// start starts a State and stops it at the end of the test.
func start(t *testing.T, cfg *config.Config) *State {
	t.Helper()
	s, err := New(Options{
		Config: cfg, Logger: slog.New(slog.DiscardHandler), NoEmbedded: true, Changed: func(*Snapshot) {},
		Try: func(context.Context, string, string, *Snapshot, *Snapshot) error { return nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Stop)
	if err := s.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	return s
}

// TestTheHistoryIsConsistent reads the history while snapshots replace each other.
func TestTheHistoryIsConsistent(t *testing.T) {
	cfg := config.Default()
	cfg.History.Snapshots = 1
	s := start(t, cfg)
	begun := s.Current().Generation
	last := begun + 20_000
	go func() {
		for range last - begun {
			s.changes.Lock()
			s.put(s.Current().with(func(next *Snapshot) { next.Rollback = &Rollback{To: next.Generation} }), Cause{})
			s.changes.Unlock()
		}
	}()
	for at := begun; at < last; {
		all := s.History()
		if len(all) != 1 || !all[0].InForce || all[0].Generation < at {
			t.Fatalf("after generation %d the history is %+v", at, all)
		}
		if at = all[0].Generation; at > begun && all[0].Rollback.To != at {
			t.Fatalf("generation %d has the rollback %+v", at, all[0].Rollback)
		}
	}
}

// TestRollbacksDoNotAccumulate rolls back and forth. Each rollback keeps the state last read from
// disk, not the rollback before it.
func TestRollbacksDoNotAccumulate(t *testing.T) {
	path := filepath.Join(t.TempDir(), "mine.jinja")
	cfg := config.Default()
	cfg.Templates.Dir = filepath.Dir(path)
	if err := os.WriteFile(path, []byte("one"), 0o644); err != nil {
		t.Fatal(err)
	}
	s := start(t, cfg)
	for _, content := range []string{"two", "three"} {
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := s.Reload(context.Background()); err != nil {
			t.Fatal(err)
		}
	}
	last := s.Current().Generation
	for _, to := range []uint64{last - 1, last - 2, last - 1} {
		if _, err := s.Rollback(context.Background(), to); err != nil {
			t.Fatal(err)
		}
		if r := s.Current().Rollback; r == nil || r.read.Rollback != nil {
			t.Fatalf("after a rollback to %d the state read from disk is itself a rollback", to)
		} else if sum := sha256.Sum256([]byte("three")); r.read.files[path] != hex.EncodeToString(sum[:]) {
			t.Errorf("after a rollback to %d the file on disk has the hash %q", to, r.read.files[path])
		}
	}
}
