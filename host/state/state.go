package state

import (
	"context"
	"fmt"
	"io/fs"
	"log/slog"
	"path"
	"sync"
	"sync/atomic"
	"time"

	"github.com/dragoman-project/dragoman"
	"github.com/dragoman-project/dragoman/autoparser/workaround"
	"github.com/dragoman-project/dragoman/host/config"
	"github.com/dragoman-project/dragoman/host/plugins"
	"github.com/dragoman-project/dragoman/host/watch"
	"github.com/dragoman-project/dragoman/sdk/fault"
)

// Options are the choices of New. Config, Logger, Plugins, Try and Changed must be set.
type Options struct {
	Config *config.Config
	Logger *slog.Logger
	// LoadConfig parses the configuration when ConfigFile has changed to this content. Nil: changes are ignored.
	LoadConfig func(file []byte) (*config.Config, error)
	// ConfigFile is watched. Empty: no file.
	ConfigFile string
	// NoEmbedded leaves out the embedded templates.
	NoEmbedded bool
	// Files are further files to watch, whose content others use.
	Files []File
	// Static reads everything once and watches nothing.
	Static bool
	// Settle is how long to wait for files still being written; 0: ten seconds.
	Settle time.Duration

	// Plugins loads the plugins of a folder. Its Options.Try should call TryPlugin.
	Plugins *plugins.Manager
	// Try examines a change before it goes live; its error keeps what is in force. ctx ends with the State.
	Try func(ctx context.Context, source, path string, before, next *Snapshot) error
	// Changed is called after a snapshot or other plugins were put in force.
	Changed func(*Snapshot)
}

// State holds the snapshot in force. It is safe for concurrent use.
type State struct {
	Options
	current atomic.Pointer[Snapshot]
	history history
	sources sources
	watcher *watch.Watcher

	// changes is held while the next snapshot is made.
	changes places

	// ending is done when Stop is called; background counts the goroutines that end then.
	ending     context.Context
	end        context.CancelFunc
	background sync.WaitGroup

	// cold means that no template has been opened yet; warm does that, and closes warmed.
	cold   bool
	warmed chan struct{}

	folder pluginFolder

	memory   memory
	uploads  uploads
	deferred []watch.Change // what the files had at the start in place of what was in force; see resume
}

// New returns a State with the embedded templates and workarounds in force. Start reads the rest.
func New(o Options) (*State, error) {
	s := &State{Options: o, changes: make(places, 1), warmed: make(chan struct{}), cold: !o.Static}
	s.folder.turn = make(places, 1)
	s.ending, s.end = context.WithCancel(context.Background())
	first, err := s.embedded()
	if err != nil {
		return nil, err
	}
	s.current.Store(first)
	return s, nil
}

// Start reads everything that the configuration names and, unless the State is static, goes on watching it. What cannot be
// read at the start is an error: there is no last good state to keep.
func (s *State) Start(ctx context.Context) error {
	if !s.Static {
		err, damage := s.memory.open(s.Config.State.Dir)
		if err != nil {
			return err
		}
		if damage != nil {
			s.Logger.Error("the state folder is damaged: files decide what is in force, and earlier decisions are forgotten", "error", damage)
		}
	}
	s.restoreUploads()
	if err := s.watch(ctx); err != nil {
		return err
	}
	s.begin()
	if !s.Static {
		s.resume()
		s.resumePlugins()
		s.background.Go(s.warm)
	}
	return nil
}

// Go runs work in the background, once the templates that exist at the start are learned. Its context ends with the State. A
// static State runs nothing.
func (s *State) Go(work func(context.Context)) {
	if s.Static {
		return
	}
	s.background.Go(func() {
		select {
		case <-s.warmed:
			work(s.ending)
		case <-s.ending.Done():
		}
	})
}

// embedded returns the first snapshot: what the binary itself contains.
func (s *State) embedded() (*Snapshot, error) {
	rules, err := workaround.Parse(dragoman.WorkaroundsName, dragoman.Workarounds)
	if err != nil {
		return nil, &fault.Error{Code: fault.Internal, Place: dragoman.WorkaroundsName, Message: err.Error(), Err: err}
	}
	snap := &Snapshot{Config: s.Config, Rules: rules}
	if s.NoEmbedded {
		return snap, nil
	}
	files, err := fs.Glob(dragoman.Templates, "templates/*.jinja")
	if err != nil {
		return nil, err
	}
	entries := map[string]*Entry{}
	for _, file := range files {
		data, err := fs.ReadFile(dragoman.Templates, file)
		if err != nil {
			return nil, err
		}
		name := CanonicalName(path.Base(file))
		entries[name] = NewEntry(TemplateSource{Name: name, Source: string(data), Origin: "embedded"}, rules)
	}
	return snap.withLayer(embedded, entries), nil
}

// begin makes what is in force at the start the first snapshot of the history.
func (s *State) begin() {
	s.changes.Lock()
	defer s.changes.Unlock()
	first := *s.Current()
	s.history.open.Store(true)
	first.plugins = s.pluginsInForce()
	s.putPlugins(&first, first.plugins, Cause{Source: SourceStart})
}

// Started reports whether Start has put the first snapshot in force.
func (s *State) Started() bool { return s.history.open.Load() }

// Stop ends watching, and trials that are under way. Plugins may still be loading; see Wait.
func (s *State) Stop() {
	s.end()
	s.background.Wait()
	defer s.memory.close()
	if s.watcher != nil {
		if err := s.watcher.Close(); err != nil {
			s.Logger.Warn("the watcher did not close", "error", err)
		}
	}
}

// Wait waits until no plugins are being loaded, once the loader itself has been closed.
func (s *State) Wait() { s.folder.loading.Wait() }

// Current returns the snapshot in force.
func (s *State) Current() *Snapshot { return s.current.Load() }

// put puts a snapshot in force. The caller holds changes.
func (s *State) put(next *Snapshot, cause Cause) {
	next.At, next.Cause = time.Now(), cause
	s.history.put(next, &s.current)
	if s.Started() {
		for _, c := range cause.Changes {
			delete(s.memory.refused, c.Path)
		}
		s.remember()
	}
	s.changed()
}

// changed tells the owner, once Start is done.
func (s *State) changed() {
	if s.Started() {
		s.Changed(s.Current())
	}
}

// try examines a change of a source. The caller holds changes.
func (s *State) try(ctx context.Context, source, path string, next *Snapshot) error {
	return s.Try(ctx, source, path, s.Current(), next)
}

// Put adds a template, or replaces one that was put before. The template is opened and learned at once, so that one that cannot be
// used is an error and changes nothing. With the context of a client it is one of the client's own.
func (s *State) Put(ctx context.Context, src TemplateSource) (*Snapshot, *Entry, error) {
	src.Name = CanonicalName(src.Name)
	if err := checkName(src.Name); err != nil {
		return nil, nil, err
	}
	if src.Origin == "" {
		src.Origin = SourceUpload
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(s.ending, cancel)()
	if own := OwnOf(ctx); own != nil {
		return s.putOwn(ctx, own, src)
	}
	e := NewEntry(src, nil)
	for {
		snap := s.Current()
		if err := snap.hasRoom(src.Name); err != nil {
			return nil, nil, err
		}
		e = e.Under(snap.Rules)
		if _, err := e.Learn(ctx); err != nil { // without holding changes, since it takes long
			return nil, nil, err
		}
		if err := s.changes.enter(ctx); err != nil {
			return nil, nil, err
		}
		if s.Current().Rules == snap.Rules {
			break
		}
		s.changes.Unlock()
	}
	defer s.changes.Unlock()
	return s.putLearned(ctx, e)
}

// hasRoom returns an error if no further template may be put under that name.
func (s *Snapshot) hasRoom(name string) error {
	limit := s.Config.Limits.Templates
	if limit <= 0 || len(s.layers[uploaded]) < limit || s.layers[uploaded][name] != nil {
		return nil
	}
	return &fault.Error{Code: fault.LimitExceeded, Place: name, Message: fmt.Sprintf("%d templates have been put already", limit),
		Remedy: "replace one of them, keep templates in the folder templates.dir, or raise limits.templates"}
}

// putLearned puts a template that was learned under the rules in force. The caller holds changes.
func (s *State) putLearned(ctx context.Context, e *Entry) (*Snapshot, *Entry, error) {
	snap := s.Current()
	if err := snap.hasRoom(e.Name); err != nil {
		return nil, nil, err
	}
	cause := Cause{Source: SourceUpload, Changes: []ContentChange{{Path: e.Name, After: e.Hash}}}
	if old := snap.layers[uploaded][e.Name]; old != nil {
		if old.Hash == e.Hash {
			return snap, old, nil // no change, nothing to remember
		}
		cause.Changes[0].Before = old.Hash
	}
	next := snap.withTemplate(uploaded, e)
	if err := s.try(ctx, SourceUpload, e.Name, next); err != nil {
		return nil, nil, err
	}
	s.put(next, cause)
	s.Logger.Info("template put", "template", e.Name, "sha256", e.Hash)
	return next, e, nil
}
