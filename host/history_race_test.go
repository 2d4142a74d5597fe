package host

import (
	"context"
	"testing"

	"github.com/dragoman-project/dragoman/host/config"
)

// TestTheHistoryIsOfOneMoment asks for it while snapshots follow each other.
func TestTheHistoryIsOfOneMoment(t *testing.T) {
	cfg := config.Default()
	cfg.History.Snapshots = 1
	h, err := New(context.Background(), Options{Config: cfg, NoEmbedded: true})
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close(context.Background())
	begun := h.Snapshot().Generation
	last := begun + 20_000
	go func() {
		for range last - begun {
			h.changes.Lock()
			h.put(h.current.Load().with(func(s *Snapshot) { s.Rollback = &Rollback{To: s.Generation} }), Cause{})
			h.changes.Unlock()
		}
	}()
	for at := begun; at < last; {
		all := h.History()
		if len(all) != 1 || !all[0].InForce || all[0].Generation < at {
			t.Fatalf("behind generation %d it is %+v", at, all)
		}
		if at = all[0].Generation; at > begun && all[0].Rollback.To != at {
			t.Fatalf("generation %d has the rollback %+v", at, all[0].Rollback)
		}
	}
}
