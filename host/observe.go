package host

import "github.com/dragoman-project/dragoman/sdk/chat"

// Observer observes the sessions of a Host, to count them. It is called concurrently, in the middle of work, and must return at
// once.
type Observer interface {
	// Began is called for a new session. The returned observer gets the rest; it may be nil.
	Began(template, handler string) SessionObserver
}

// SessionObserver observes one session. It is called by one goroutine at a time.
type SessionObserver interface {
	// Fed is called after a chunk, with its length and the number of bytes of the output that are undecided now.
	Fed(bytes, held int)
	// Ended is called once, at the end. The report is nil if the session was abandoned before.
	Ended(report *chat.Report)
}

// unobserved observes nothing.
type unobserved struct{}

func (unobserved) Began(string, string) SessionObserver { return unobserved{} }
func (unobserved) Fed(int, int)                         {}
func (unobserved) Ended(*chat.Report)                   {}

// began returns the observer of a new session.
func began(o Observer, template, handler string) SessionObserver {
	if o == nil {
		return unobserved{}
	}
	if s := o.Began(template, handler); s != nil {
		return s
	}
	return unobserved{}
}
