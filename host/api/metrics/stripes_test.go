package metrics

import (
	"sync"
	"sync/atomic"
	"testing"
)

func TestSessionsCountTogetherConcurrently(t *testing.T) {
	m := New("")
	var all sync.WaitGroup
	for range 40 {
		all.Go(func() {
			s := m.Began("t", "h")
			for range 100 {
				s.Fed(4, 7)
			}
			s.Fed(4, 3)
		})
	}
	all.Wait()
	chunks := m.perChunk.sum(func(s *stripe) *atomic.Int64 { return &s.chunks })()
	bytes := m.perChunk.sum(func(s *stripe) *atomic.Int64 { return &s.bytes })()
	held := m.perChunk.sum(func(s *stripe) *atomic.Int64 { return &s.held })()
	if chunks != 40*101 || bytes != 40*101*4 || held != 40*3 {
		t.Errorf("%v chunks, %v bytes, %v held", chunks, bytes, held)
	}
}

// BenchmarkFed is to be run with -cpu 1,2: a chunk must not cost more on two.
func BenchmarkFed(b *testing.B) {
	m := New("")
	b.RunParallel(func(pb *testing.PB) {
		s := m.Began("t", "h")
		for i := 0; pb.Next(); i++ {
			s.Fed(4, i&1)
		}
	})
}
