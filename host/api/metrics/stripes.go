package metrics

import (
	"sync/atomic"

	"github.com/prometheus/client_golang/prometheus"
)

// stripes count what happens for every chunk. Sessions are distributed over them, so that processors which parse at the same time do
// not wait for the same cache line; a scrape adds them up.
type stripes struct {
	all  [16]stripe
	next atomic.Uint32
}

// stripe is what some of the sessions have counted.
type stripe struct {
	chunks, bytes, held atomic.Int64
	_                   [128 - 3*8]byte // two cache lines, which processors fetch together
}

// pick returns a stripe for a session.
func (s *stripes) pick() *stripe { return &s.all[s.next.Add(1)%uint32(len(s.all))] }

// sum returns a function that adds up a field of all stripes.
func (s *stripes) sum(field func(*stripe) *atomic.Int64) func() float64 {
	return func() float64 {
		var sum int64
		for i := range s.all {
			sum += field(&s.all[i]).Load()
		}
		return float64(sum)
	}
}

// metrics returns the sums as metrics.
func (s *stripes) metrics() []prometheus.Collector {
	return []prometheus.Collector{
		prometheus.NewCounterFunc(prometheus.CounterOpts{Name: "dragoman_session_chunks_total", Help: "Chunks of outputs that were parsed."},
			s.sum(func(s *stripe) *atomic.Int64 { return &s.chunks })),
		prometheus.NewCounterFunc(prometheus.CounterOpts{Name: "dragoman_session_bytes_total", Help: "Bytes of outputs that were parsed."},
			s.sum(func(s *stripe) *atomic.Int64 { return &s.bytes })),
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "dragoman_session_held_bytes", Help: "Bytes of running outputs that are received and not yet decided."},
			s.sum(func(s *stripe) *atomic.Int64 { return &s.held })),
	}
}
