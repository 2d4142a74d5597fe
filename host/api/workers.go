package api

import "time"

// workers run functions that may block, each in a goroutine. An idle goroutine waits a while for the next function: a new one
// would start with a small stack, and copy it several times until it is as large as planning and plugins need.
type workers chan func()

// lingering is how long an idle goroutine waits.
const lingering = 200 * time.Millisecond

// do starts a function at once.
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
