package api

import "time"

// workers do things that may wait, each in a goroutine. One that is done stays for a while and does what comes next: a new one
// would begin with a small stack, and copy it several times until it is as large as planning and plugins need.
type workers chan func()

// lingering is how long a goroutine waits for something to do.
const lingering = 200 * time.Millisecond

// do begins to do something, at once.
func (w workers) do(something func()) {
	select {
	case w <- something:
	default:
		go w.work(something)
	}
}

func (w workers) work(something func()) {
	idle := time.NewTimer(lingering)
	defer idle.Stop()
	for {
		something()
		idle.Reset(lingering)
		select {
		case something = <-w:
		case <-idle.C:
			return
		}
	}
}
