package host

import (
	"cmp"
	"slices"
	"sync"
	"time"
)

// Running are the outputs under way that one handler has planned for one template.
type Running struct {
	Template string    `json:"template"`
	Handler  string    `json:"handler"`
	Outputs  int       `json:"outputs"`
	Oldest   time.Time `json:"oldest"` // when the first of them began
}

// running holds the sessions that have not ended. Each is known by the address of its entry.
type running struct {
	mu  sync.Mutex
	all map[*runningSession]struct{}
}

type runningSession struct {
	template, handler string
	began             time.Time
}

// begin adds a session, until the function that it returns is called. A nil r counts nothing.
func (r *running) begin(template, handler string) (end func()) {
	if r == nil {
		return func() {}
	}
	s := &runningSession{template, handler, time.Now()}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.all == nil {
		r.all = map[*runningSession]struct{}{}
	}
	r.all[s] = struct{}{}
	return func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		delete(r.all, s)
	}
}

// Running returns the outputs under way, sorted by template and handler.
func (h *Host) Running() []Running {
	type key struct{ template, handler string }
	sums := map[key]Running{}
	h.running.mu.Lock()
	for s := range h.running.all {
		k := key{s.template, s.handler}
		sum, known := sums[k]
		if !known || s.began.Before(sum.Oldest) {
			sum.Oldest = s.began
		}
		sum.Template, sum.Handler, sum.Outputs = s.template, s.handler, sum.Outputs+1
		sums[k] = sum
	}
	h.running.mu.Unlock()
	all := []Running{}
	for _, sum := range sums {
		all = append(all, sum)
	}
	slices.SortFunc(all, func(a, b Running) int {
		return cmp.Or(cmp.Compare(a.Template, b.Template), cmp.Compare(a.Handler, b.Handler))
	})
	return all
}
