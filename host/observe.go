package host

import "github.com/dragoman-project/dragoman/sdk/chat"

// Observer is told of the outputs that a host parses, so that somebody can count them. It is called by many goroutines at
// once, in the middle of their work, and must return at once.
type Observer interface {
	// Began tells of a new session of a template, whose plan the handler made. What it returns is told the rest; nil: nobody is.
	Began(template, handler string) SessionObserver
}

// SessionObserver is told of one session, by one goroutine at a time.
type SessionObserver interface {
	// Fed tells of a chunk of so many bytes, after which so many bytes of the output are undecided.
	Fed(bytes, held int)
	// Ended tells of the end, once. The report is nil where the session was given up before its output ended.
	Ended(report *chat.Report)
}

// unobserved is the observer of sessions that nobody watches.
type unobserved struct{}

func (unobserved) Began(string, string) SessionObserver { return unobserved{} }
func (unobserved) Fed(int, int)                         {}
func (unobserved) Ended(*chat.Report)                   {}

// began finds who is told of a session.
func began(o Observer, template, handler string) SessionObserver {
	if o == nil {
		return unobserved{}
	}
	if s := o.Began(template, handler); s != nil {
		return s
	}
	return unobserved{}
}
