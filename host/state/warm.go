package state

import (
	"path/filepath"
	"runtime"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"
)

// progressEvery is how often the progress of learning at the start is logged.
const progressEvery = time.Second

// warm opens and learns the templates that exist at the start, while requests are already served: a request for a template that
// is not learned yet waits for that one only. One processor is left to requests.
func (s *State) warm() {
	defer close(s.warmed)
	s.changes.Lock()
	s.cold = false
	snap := s.Current()
	s.changes.Unlock()
	began := time.Now()
	names := snap.Names()
	var done, failed atomic.Int64
	learned := make(chan struct{})
	s.background.Go(func() { s.logProgress(&done, len(names), learned) })
	var g errgroup.Group
	g.SetLimit(max(1, runtime.GOMAXPROCS(0)-1))
	for _, name := range names {
		g.Go(func() error {
			if e, err := snap.Template(name); err == nil && s.ending.Err() == nil {
				if _, err := e.Learn(s.ending); err != nil {
					failed.Add(1)
				}
				done.Add(1)
			}
			return nil
		})
	}
	_ = g.Wait() // none returns an error
	close(learned)
	s.noteOpened(snap.layers[directory])
	s.Logger.Info("templates learned", "templates", done.Load(), "failed", failed.Load(), "duration", time.Since(began).Seconds())
}

// noteOpened records which files of the folder could be used, unless they have changed meanwhile, or were rejected.
func (s *State) noteOpened(entries map[string]*Entry) {
	s.changes.Lock()
	defer s.changes.Unlock()
	now := s.Current().layers[directory]
	dir := filepath.Clean(s.Config.Templates.Dir)
	outcomes := map[string]error{}
	for name, e := range entries {
		if s.ending.Err() != nil || now[name] == nil || now[name].Hash != e.Hash || s.sources.faulty(SourceTemplates, dir, e.Origin) {
			continue
		}
		_, err := e.Open()
		if outcomes[e.Origin] = err; err != nil {
			s.Logger.Error("template refused", "path", e.Origin, "error", err)
		}
	}
	s.sources.noteFiles(SourceTemplates, dir, outcomes)
}

func (s *State) logProgress(done *atomic.Int64, all int, end <-chan struct{}) {
	tick := time.NewTicker(progressEvery)
	defer tick.Stop()
	for {
		select {
		case <-end:
			return
		case <-tick.C:
			s.Logger.Info("learning templates", "learned", done.Load(), "templates", all)
		}
	}
}
