package host_test

import (
	"context"
	"math"
	"runtime"
	"testing"

	"github.com/dragoman-project/dragoman/host"
	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/dragoman-project/dragoman/sdk/peg/match"
	"github.com/dragoman-project/dragoman/sdk/session"
)

// manySessions is the number of sessions that the benchmark measures.
const manySessions = 10_000

// sessionLimit is the most bytes that an idle session may take.
const sessionLimit = 4 << 10

// idleSession returns the heap bytes of a session that has read the beginning of its output,
// averaged over n sessions, each with its own request.
func idleSession(t testing.TB, n int) int {
	h := start(t, nil)
	open := func() *host.Session {
		s := plan(t, h, "chatml-reasoning", request(t, weather)).Session(context.Background(), session.Options{})
		if _, err := s.Feed([]byte("Let me think about")); err != nil {
			t.Fatal(err)
		}
		return s
	}
	sessions := []*host.Session{open()} // the others share what the first one builds
	before := heap()
	for range n {
		sessions = append(sessions, open())
	}
	bytes := (heap() - before) / n
	runtime.KeepAlive(sessions)
	return bytes
}

// heap returns the bytes in use after a garbage collection.
func heap() int {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}

func TestAnIdleSessionIsSmall(t *testing.T) {
	if bytes := idleSession(t, 500); bytes > sessionLimit {
		t.Errorf("an idle session takes %d bytes, want at most %d", bytes, sessionLimit)
	}
}

// TestLimitsAndObserversCostNoAllocation compares the allocations per chunk of a host's session
// with those of a plain one from package session.
func TestLimitsAndObserversCostNoAllocation(t *testing.T) {
	p := plan(t, start(t, nil), "chatml-reasoning", request(t, weather))
	watched, plain := p.Session(t.Context(), session.Options{}), p.Plan.Session(t.Context(), session.Options{})
	chunk := []byte("word")
	// Allocations are counted over the whole process, in which hosts of other tests may be ending: the least count is right.
	allocations := func(feed func([]chat.Piece, []byte, []match.Range) ([]chat.Piece, error)) float64 {
		least := math.Inf(1)
		var pieces []chat.Piece
		for range 5 {
			least = min(least, testing.AllocsPerRun(200, func() {
				var err error
				if pieces, err = feed(pieces[:0], chunk, nil); err != nil {
					t.Error(err)
				}
			}))
		}
		return least
	}
	if got, want := allocations(watched.Append), allocations(plain.Append); got > want {
		t.Errorf("a chunk takes %v allocations, in package session %v", got, want)
	}
}

func BenchmarkIdleSession(b *testing.B) {
	for b.Loop() {
		b.ReportMetric(float64(idleSession(b, manySessions)), "B/session")
	}
}
