package host

import (
	"path/filepath"
	"runtime"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"
)

// progressEvery is how often the log tells how far the learning at the start has come.
const progressEvery = time.Second

// warm opens and learns the templates that are there at the start, while the host already answers: whoever asks for one that
// is not learned yet waits for that one only. A processor is left to those who ask.
func (h *Host) warm() {
	defer close(h.warmed)
	h.changes.Lock()
	h.cold = false
	snap := h.current.Load()
	h.changes.Unlock()
	began := time.Now()
	names := snap.names()
	var done, failed atomic.Int64
	learned := make(chan struct{})
	h.background.Go(func() { h.tellProgress(&done, len(names), learned) })
	var g errgroup.Group
	g.SetLimit(max(1, runtime.GOMAXPROCS(0)-1))
	for _, name := range names {
		g.Go(func() error {
			if e, err := snap.template(name); err == nil && !h.ending() {
				if _, err := e.learn(); err != nil {
					failed.Add(1)
				}
				done.Add(1)
			}
			return nil
		})
	}
	_ = g.Wait() // none returns an error
	close(learned)
	h.noteOpened(snap.layers[directory])
	h.log.Info("templates learned", "templates", done.Load(), "failed", failed.Load(), "duration", time.Since(began).Seconds())
}

// noteOpened records which files of the folder could be used, unless they have changed meanwhile: to others, or to what was
// refused.
func (h *Host) noteOpened(entries map[string]*entry) {
	h.changes.Lock()
	defer h.changes.Unlock()
	now := h.current.Load().layers[directory]
	dir := filepath.Clean(h.opts.Config.Templates.Dir)
	outcomes := map[string]error{}
	for name, e := range entries {
		if h.ending() || now[name] == nil || now[name].hash != e.hash || h.sources.faulty(sourceTemplates, dir, e.Origin) {
			continue
		}
		_, err := e.opened()
		if outcomes[e.Origin] = err; err != nil {
			h.log.Error("template refused", "path", e.Origin, "error", err)
		}
	}
	h.sources.noteFiles(sourceTemplates, dir, outcomes)
}

func (h *Host) tellProgress(done *atomic.Int64, all int, end <-chan struct{}) {
	tick := time.NewTicker(progressEvery)
	defer tick.Stop()
	for {
		select {
		case <-end:
			return
		case <-tick.C:
			h.log.Info("learning templates", "learned", done.Load(), "templates", all)
		}
	}
}

// ending says whether the host is being closed.
func (h *Host) ending() bool {
	select {
	case <-h.ends:
		return true
	default:
		return false
	}
}
