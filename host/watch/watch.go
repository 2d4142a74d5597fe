package watch

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/fsnotify/fsnotify"
)

// The defaults of Options.
const (
	DefaultDebounce = 50 * time.Millisecond
	DefaultMaxDelay = 500 * time.Millisecond
	DefaultQuiet    = 300 * time.Millisecond
	DefaultPoll     = 10 * time.Second
	DefaultMaxBytes = 64 << 20
)

// ErrEmpty is the error of a file without content, or with white space only.
var ErrEmpty = errors.New("the file is empty: its content before stays in force; write it again, or remove the file")

// ErrNoDirectory is the error of a directory that does not exist, or no longer.
var ErrNoDirectory = errors.New("there is no such folder: what was read from it stays in force; create it, or name another")

// ErrClosed is the error of calls on a watcher that was closed.
var ErrClosed = errors.New("watch: the watcher is closed")

// Options configure a Watcher. Each zero value stands for the default of that name.
type Options struct {
	// Handle gets the changes, sorted by path. It must not call Trigger or Close.
	Handle func([]Change)
	// Debounce is how long events must pause before files are looked at.
	Debounce time.Duration
	// MaxDelay is how long events that never pause can delay a look.
	MaxDelay time.Duration
	// Quiet is how long a file must stay unchanged if nothing better proves that its writer has finished.
	Quiet time.Duration
	// Poll is how often everything is looked at without an event.
	Poll time.Duration
	// MaxBytes is the size of the largest file that is read.
	MaxBytes int64

	events func() (*fsnotify.Watcher, error) // the source of events; the system's, except in tests
	lease  func(*os.File) (writers, func())  // proves that no process writes; the system's, except in tests
}

// Change is a change of one file. Exactly one of Data, Unread, Removed and Err is set, except for a directory that can be listed
// again after an Err: then none is.
type Change struct {
	// Path is as given to Add; for a file of a directory it is the directory as given to AddDir, joined with the name.
	Path string
	// Data is the whole content, never empty. The receiver may keep it.
	Data []byte
	// SHA256 is the hash of Data.
	SHA256 [sha256.Size]byte
	// Unread means that the file has a new content, which was not read: see AddDirUnread.
	Unread bool
	// Removed means that the file does not exist, or no longer.
	Removed bool
	// Err is why the file cannot be used: ErrEmpty, its size, its kind, or an error of the system. The content that was
	// delivered before is still the last good one.
	Err error
}

// Watcher watches files and directories of files. It is safe for concurrent use.
type Watcher struct {
	opts    Options
	fs      *fsnotify.Watcher // nil: there are no events, and blind is why
	blind   error
	wake    chan struct{} // wakes the loop when added or waiting is no longer empty
	closing chan struct{}
	closed  chan struct{}

	mu      sync.Mutex
	added   []source
	waiting []waiter // callers of Trigger for which no pass has begun
	busy    []string // files that were unsettled in the last pass
	shut    bool

	loop loop
}

// waiter is a caller of Trigger.
type waiter struct {
	gaveUp <-chan struct{}
	done   chan struct{} // closed when everything has settled
}

// isGone reports whether the caller no longer waits.
func (w waiter) isGone() bool {
	select {
	case <-w.gaveUp:
		return true
	default:
		return false
	}
}

// source is what to watch: a file, or the files of a directory whose names match glob.
type source struct {
	path   string
	glob   string // empty: path is a file
	unread bool   // contents are not read
}

// New starts a watcher without files. If the system provides no events, such as when other processes use up its limit, the watcher
// polls; see Blind.
func New(opts Options) *Watcher {
	w := &Watcher{
		opts:    withDefaults(opts),
		wake:    make(chan struct{}, 1),
		closing: make(chan struct{}),
		closed:  make(chan struct{}),
	}
	fs, err := w.opts.events()
	if err != nil {
		w.blind = fmt.Errorf("watch: the system provides no events, so changes are seen only every %v: %w; raise its limits, such as fs.inotify.max_user_instances", w.opts.Poll, err)
	} else {
		w.fs = fs
	}
	w.loop = newLoop(w)
	go w.loop.run()
	return w
}

// Blind returns why the watcher sees changes only by polling; nil if it gets events.
func (w *Watcher) Blind() error { return w.blind }

func withDefaults(o Options) Options {
	setDefault(&o.Debounce, DefaultDebounce)
	setDefault(&o.MaxDelay, DefaultMaxDelay)
	setDefault(&o.Quiet, DefaultQuiet)
	setDefault(&o.Poll, DefaultPoll)
	setDefault(&o.MaxBytes, DefaultMaxBytes)
	if o.lease == nil {
		o.lease = lease
	}
	if o.events == nil {
		o.events = fsnotify.NewWatcher
	}
	if o.Handle == nil {
		o.Handle = func([]Change) {}
	}
	return o
}

func setDefault[T time.Duration | int64](v *T, to T) {
	if *v == 0 {
		*v = to
	}
}

// Add watches the file at path, which need not exist. The result of the first look at it is always delivered.
func (w *Watcher) Add(path string) error {
	return w.add(source{path: filepath.Clean(path)})
}

// AddDir watches the files directly in dir, which need not exist, whose names match glob as path.Match does. Names that
// start with a dot never match: editors and Kubernetes use them. A missing directory is delivered as its Err; its files count as
// they were until it is back.
func (w *Watcher) AddDir(dir, glob string) error {
	return w.addDir(source{path: filepath.Clean(dir), glob: glob})
}

// AddDirUnread is AddDir for files that are too large to read here, or that are read elsewhere: a new content is delivered as Unread
// when it has settled. Size, time, mode and identity of a file determine whether its content is new.
func (w *Watcher) AddDirUnread(dir, glob string) error {
	return w.addDir(source{path: filepath.Clean(dir), glob: glob, unread: true})
}

func (w *Watcher) addDir(s source) error {
	if _, err := filepath.Match(s.glob, ""); err != nil || s.glob == "" {
		return fmt.Errorf("watch: invalid pattern %q; use one such as *.yaml", s.glob)
	}
	return w.add(s)
}

func (w *Watcher) add(s source) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.shut {
		return ErrClosed
	}
	w.added = append(w.added, s)
	w.signal()
	return nil
}

// Trigger reads every file again, at once. It returns when all of them have settled and Handle has returned, or with the error
// of ctx.
func (w *Watcher) Trigger(ctx context.Context) error {
	done := make(chan struct{})
	w.mu.Lock()
	w.waiting = append(w.waiting, waiter{ctx.Done(), done})
	w.signal()
	w.mu.Unlock()
	var err error
	select {
	case <-done:
	case <-ctx.Done():
		err = fmt.Errorf("watch: not everything has settled%s: %w", w.stillBusy(), ctx.Err())
	case <-w.closed:
		err = ErrClosed
	}
	select { // several cases may have been ready; settled takes precedence
	case <-done:
		return nil
	default:
		return err
	}
}

// Close stops watching. When it returns, no call of Handle is running, and none begins later.
func (w *Watcher) Close() error {
	w.mu.Lock()
	if !w.shut {
		w.shut = true
		close(w.closing)
	}
	w.mu.Unlock()
	<-w.closed
	if w.fs == nil {
		return nil
	}
	return w.fs.Close()
}

func (w *Watcher) signal() {
	select {
	case w.wake <- struct{}{}:
	default:
	}
}

// take returns what callers asked for since the last call.
func (w *Watcher) take() ([]source, []waiter) {
	w.mu.Lock()
	defer w.mu.Unlock()
	added, waiting := w.added, w.waiting
	w.added, w.waiting = nil, nil
	return added, waiting
}

// noteBusy records which files are unsettled.
func (w *Watcher) noteBusy(files []string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.busy = files
}

// stillBusy describes the unsettled files.
func (w *Watcher) stillBusy() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.busy) == 0 {
		return ""
	}
	return fmt.Sprintf(", %q are still being written", w.busy)
}

// urgent reports whether a caller of Trigger waits for a pass to begin.
func (w *Watcher) urgent() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.waiting) > 0
}
