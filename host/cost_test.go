package host_test

import (
	"context"
	"runtime"
	"testing"

	"github.com/dragoman-project/dragoman/host"
	"github.com/dragoman-project/dragoman/sdk/session"
)

// manySessions is how many sessions are held at once to see what one costs.
const manySessions = 10_000

// sessionLimit is what an idle session may cost in bytes.
const sessionLimit = 4 << 10

// idleSession is the heap that a session takes which has read the beginning of its output, each from a request of its own.
func idleSession(t testing.TB, n int) int {
	h := start(t, nil)
	open := func() *host.Session {
		s := plan(t, h, "chatml-reasoning", request(t, weather)).Session(context.Background(), session.Options{})
		if _, err := s.Feed([]byte("Let me think about")); err != nil {
			t.Fatal(err)
		}
		return s
	}
	sessions := []*host.Session{open()} // what the first one makes, all share
	before := heap()
	for range n {
		sessions = append(sessions, open())
	}
	bytes := (heap() - before) / n
	runtime.KeepAlive(sessions)
	return bytes
}

// heap is what is in use after everything else has been thrown away.
func heap() int {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}

func TestAnIdleSessionIsSmall(t *testing.T) {
	if bytes := idleSession(t, 500); bytes > sessionLimit {
		t.Errorf("an idle session takes %d bytes, want %d at most", bytes, sessionLimit)
	}
}

func BenchmarkIdleSession(b *testing.B) {
	for b.Loop() {
		b.ReportMetric(float64(idleSession(b, manySessions)), "B/session")
	}
}
