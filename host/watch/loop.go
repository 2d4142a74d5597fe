package watch

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/fsnotify/fsnotify"
)

// loop is the watcher's goroutine and the data that it alone uses.
type loop struct {
	w       *Watcher
	timer   *time.Timer // when the next pass begins
	burst   time.Time   // of the first event since the last pass; zero if there was none
	sources []source
	files   map[string]*file
	listed  map[string]*listing    // directories whose files are watched
	watched map[string]os.FileInfo // directories with a watch, and their state when it was set
	faults  faults                 // as delivered last
	waiting []waiter               // callers of Trigger that wait for everything to settle
}

func newLoop(w *Watcher) loop {
	timer := time.NewTimer(time.Hour)
	timer.Stop()
	return loop{w: w, timer: timer, files: map[string]*file{}, listed: map[string]*listing{}, watched: map[string]os.FileInfo{}}
}

// listing is what is known of a directory whose files are watched.
type listing struct {
	there bool      // it was listed once
	since time.Time // when it was first missing; zero while it exists
}

// gone reports whether a missing directory has been missing for long enough. One that never existed needs no waiting.
func (d *listing) gone(now time.Time, o Options) bool {
	if d.since.IsZero() {
		d.since = now
	}
	return !d.there || now.Sub(d.since) >= o.Quiet
}

func (l *loop) run() {
	defer close(l.w.closed)
	defer l.timer.Stop()
	poll := time.NewTicker(l.w.opts.Poll)
	defer poll.Stop()
	var events <-chan fsnotify.Event // these stay nil without events, and block
	var failures <-chan error
	if l.w.fs != nil {
		events, failures = l.w.fs.Events, l.w.fs.Errors
	}
	for {
		select {
		case <-l.w.closing:
			return
		case ev := <-events:
			l.note(ev)
			l.postpone()
		case err := <-failures:
			if err != nil { // events were lost; a pass looks at everything anyway
				l.postpone()
			}
		case <-l.w.wake:
			if l.w.urgent() {
				l.pass()
			} else {
				l.postpone()
			}
		case <-poll.C:
			l.pass()
		case <-l.timer.C:
			l.pass()
		}
	}
}

// postpone delays the next pass until events pause, but not for longer than MaxDelay.
func (l *loop) postpone() {
	now := time.Now()
	if l.burst.IsZero() {
		l.burst = now
	}
	left := l.burst.Add(l.w.opts.MaxDelay).Sub(now)
	l.timer.Reset(max(0, min(l.w.opts.Debounce, left)))
}

// note records what a later look could not see: that a name was removed before another file got it, and that a watched
// directory is gone.
func (l *loop) note(ev fsnotify.Event) {
	if !ev.Has(fsnotify.Remove) && !ev.Has(fsnotify.Rename) {
		return
	}
	delete(l.watched, ev.Name)
	for _, f := range l.files {
		if f.abs == ev.Name {
			f.active = nil
		}
	}
}

// pass looks at everything and delivers changes. While something is unsettled, another pass follows.
func (l *loop) pass() {
	l.burst = time.Time{}
	added, waiting := l.w.take()
	l.waiting = append(slices.DeleteFunc(l.waiting, waiter.isGone), waiting...)
	for _, s := range added {
		if !slices.Contains(l.sources, s) {
			l.sources = append(l.sources, s)
		}
	}
	if len(waiting) > 0 {
		l.unclean()
	}
	found := faults{}
	listed := l.list(found)
	followed := l.follow(found)
	changes, busy := l.look()
	l.deliver(append(changes, found.since(l.faults)...))
	l.faults = found
	l.w.noteBusy(busy)
	if !listed || !followed || len(busy) > 0 {
		l.timer.Reset(l.w.opts.Debounce)
		return
	}
	for _, w := range l.waiting {
		close(w.done)
	}
	l.waiting = nil
}

// unclean makes the next look read every file, whatever its stamp.
func (l *loop) unclean() {
	for _, f := range l.files {
		f.clean = false
	}
}

// list updates the set of files from the sources. settled is false while a directory that has just vanished may come back.
func (l *loop) list(found faults) (settled bool) {
	settled = true
	now := time.Now()
	for _, s := range l.sources {
		if s.glob == "" {
			l.known(s.path, s.unread)
			continue
		}
		d := l.listed[s.path]
		if d == nil {
			d = new(listing)
			l.listed[s.path] = d
		}
		entries, err := os.ReadDir(s.path)
		switch {
		case errors.Is(err, fs.ErrNotExist) && !d.gone(now, l.w.opts):
			settled = false
		case errors.Is(err, fs.ErrNotExist):
			found[s.path] = fmt.Errorf("%s: %w", s.path, ErrNoDirectory)
		case err != nil:
			found[s.path] = err
		default:
			d.there, d.since = true, time.Time{}
		}
		for _, e := range entries {
			if ok, _ := filepath.Match(s.glob, e.Name()); ok && !strings.HasPrefix(e.Name(), ".") && !e.IsDir() {
				l.known(filepath.Join(s.path, e.Name()), s.unread)
			}
		}
	}
	return settled
}

// known adds a file, unless it is known.
func (l *loop) known(path string, unread bool) {
	if l.files[path] == nil {
		l.files[path] = newFile(path)
		l.files[path].unread = unread
	}
}

// look looks at every file, and drops files that vanished from a directory. Files do not vanish with the directory itself, which may
// be a mount that is late, or coming back. busy are the files to look at again soon.
func (l *loop) look() (changes []Change, busy []string) {
	now := time.Now()
	for _, path := range slices.Sorted(maps.Keys(l.files)) {
		single := slices.Contains(l.sources, source{path: path})
		if d := l.listed[filepath.Dir(path)]; !single && d != nil && !d.since.IsZero() {
			continue
		}
		change, outcome := l.files[path].look(now, l.w.opts)
		switch outcome {
		case unsettled:
			busy = append(busy, path)
		case changed:
			changes = append(changes, change)
			if change.Removed && !single {
				delete(l.files, path)
			}
		case unchanged:
		}
	}
	return changes, busy
}

// deliver calls Handle, if there are changes.
func (l *loop) deliver(changes []Change) {
	if len(changes) == 0 {
		return
	}
	slices.SortStableFunc(changes, func(a, b Change) int { return strings.Compare(a.Path, b.Path) })
	l.w.opts.Handle(changes)
}

// faults are the errors of directories that cannot be listed or watched.
type faults map[string]error

// since returns the changes from before to f.
func (f faults) since(before faults) (changes []Change) {
	for dir, err := range f {
		if was := before[dir]; was == nil || was.Error() != err.Error() {
			changes = append(changes, Change{Path: dir, Err: err})
		}
	}
	for dir := range before {
		if f[dir] == nil {
			changes = append(changes, Change{Path: dir})
		}
	}
	return changes
}
