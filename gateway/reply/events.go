package reply

import (
	"net/http"
	"sync"
)

// Events writes server-sent events, of several goroutines. Reply.Events returns one.
type Events struct {
	mu sync.Mutex
	w  http.ResponseWriter
}

// Events sends the headers of a reply that is a stream of events.
func (r *Reply) Events() *Events { return NewEvents(r.w) }

// NewEvents sends the headers of an answer that is a stream of events.
func NewEvents(w http.ResponseWriter) *Events {
	h := w.Header()
	h.Set("Content-Type", "text/event-stream; charset=utf-8")
	h.Set("Cache-Control", "no-cache")
	h.Set("X-Accel-Buffering", "no") // proxies should pass events on at once
	w.WriteHeader(http.StatusOK)
	return &Events{w: w}
}

// Send sends whole events, unless there are none.
func (e *Events) Send(text []byte) error {
	if len(text) == 0 {
		return nil
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if _, err := e.w.Write(text); err != nil {
		return err
	}
	return http.NewResponseController(e.w).Flush()
}
