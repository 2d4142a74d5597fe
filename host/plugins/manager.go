package plugins

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/dragoman-project/dragoman/autoparser/workaround"
	"github.com/dragoman-project/dragoman/host/plugins/rundir"
	"github.com/dragoman-project/dragoman/sdk/handler"
)

// Options configure how plugins are run. The zero value works.
type Options struct {
	// Logger logs what plugins print, and the life of their processes; nil: nothing is logged.
	Logger *slog.Logger
	// HostVersion is sent to the plugins.
	HostVersion string
	// OnDemand copies and verifies executables only when their first process is started: for hosts that end soon and use few of
	// the plugins.
	OnDemand bool
	// RunDir is where the private directory is created. It needs a short path, and a file system without noexec. Empty: os.TempDir.
	RunDir string
	// Store is the folder where Save keeps the executables in force, so that a later manager can restore them. Empty: none.
	Store string
	// StartTimeout limits the time until a process has described itself. 0: 5 s.
	StartTimeout time.Duration
	// VerifyTimeout limits the golden cases of a handler. 0: 30 s.
	VerifyTimeout time.Duration
	// CallTimeout limits a call; after it the process counts as hanging and is killed. 0: 5 s.
	CallTimeout time.Duration
	// HealthInterval is the time between health checks of a process, and HealthTimeout limits each of them. 0: 10 s and 2 s.
	HealthInterval, HealthTimeout time.Duration
	// DrainTimeout limits the time in which a retired process finishes its calls and streams. 0: 10 min.
	DrainTimeout time.Duration
	// IdleTimeout is after how long an unused process is stopped. 0: never.
	IdleTimeout time.Duration
	// Try is called for each version that has passed its own golden cases, and for each new plugin, while what was in force
	// continues to serve. If it returns an error, the change is refused. It must return when its context ends, and must not load
	// plugins; nil: every change is accepted.
	Try func(context.Context, Change) error

	contracts contracts // nil: those that every host supports
}

func (o Options) complete() Options {
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.contracts == nil {
		o.contracts = supported()
	}
	for _, d := range []struct {
		value *time.Duration
		zero  time.Duration
	}{
		{&o.StartTimeout, 5 * time.Second},
		{&o.VerifyTimeout, 30 * time.Second},
		{&o.CallTimeout, 5 * time.Second},
		{&o.HealthInterval, 10 * time.Second},
		{&o.HealthTimeout, 2 * time.Second},
		{&o.DrainTimeout, 10 * time.Minute},
	} {
		*d.value = cmp.Or(*d.value, d.zero)
	}
	return o
}

// Manager keeps the plugins of a directory and their processes. It is safe for concurrent use.
type Manager struct {
	shared
	current atomic.Pointer[set]

	// examining is done when the examination of new versions must stop.
	examining context.Context
	examined  context.CancelFunc

	loading sync.Mutex // held while the next set is built
	closed  bool
	kept    []string // the checksums of executables to keep, beside those in use
	retired retired
}

// shared is what the slots of a manager have in common.
type shared struct {
	opts    Options
	dir     *rundir.Dir
	counter atomic.Int64  // of generations
	hurry   chan struct{} // closed when calls under way must be cut off
	// serving returns the slot in force of a handler, or nil.
	serving func(handler string) *slot
}

// retired holds the slots that are no longer in the set and not gone yet.
type retired struct {
	mu   sync.Mutex
	all  []*slot
	gone sync.WaitGroup
}

// add keeps a slot until everything of it has ended.
func (r *retired) add(s *slot) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.all = append(r.all, s)
	r.gone.Go(func() {
		s.running.Wait()
		r.mu.Lock()
		defer r.mu.Unlock()
		r.all = slices.DeleteFunc(r.all, func(other *slot) bool { return other == s })
	})
}

func (r *retired) list() []*slot {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.all)
}

// New returns a manager without plugins. It creates a private directory, which Close removes.
func New(o Options) (*Manager, error) {
	o = o.complete()
	dir, err := rundir.New(o.RunDir)
	if err != nil {
		return nil, fmt.Errorf("directory for plugins: %w", err)
	}
	m := &Manager{shared: shared{opts: o, dir: dir, hurry: make(chan struct{})}}
	m.serving = m.slotOf
	m.examining, m.examined = context.WithCancel(context.Background())
	m.current.Store(newSet(""))
	return m, nil
}

// Load puts the plugins of a directory in force. It may be called again at any time: unchanged plugins keep their process; a
// new version takes over when it has started and its golden cases pass; removed plugins finish their calls. The error joins
// every fault, each of which is logged; a plugin at fault stays as it was before, and the others take effect.
func (m *Manager) Load(dir string) error {
	m.loading.Lock()
	defer m.loading.Unlock()
	if m.closed {
		return errClosed
	}
	manifests, err := findManifests(dir)
	if err != nil {
		m.opts.Logger.Error("plugins cannot be read", "path", dir, "error", err)
		return err
	}
	old := m.current.Load()
	next := m.build(dir, manifests, old)
	m.replace(old, next)
	return next.fault()
}

var errClosed = errors.New("the plugin manager is closed")

// replace puts a set in force.
func (m *Manager) replace(old, next *set) {
	m.current.Store(next)
	for _, s := range old.slots {
		if !slices.Contains(next.slots, s) {
			m.retire(s)
		}
	}
	m.tidy()
}

// List returns the state of the plugins of a directory, without starting any.
func List(ctx context.Context, dir string) (_ []State, err error) {
	m, err := New(Options{})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, m.Close(ctx)) }()
	_ = m.Load(dir) // faults are in the states
	return m.Status(), nil
}

// retire closes a slot that is no longer in force; it finishes its calls.
func (m *Manager) retire(s *slot) {
	s.close()
	m.retired.add(s)
}

// Reload loads the directory of the last Load again.
func (m *Manager) Reload() error { return m.Load(m.current.Load().dir) }

// findManifests lists the manifests of a directory, which need not exist.
func findManifests(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	var found []string
	for _, e := range entries {
		if ext := filepath.Ext(e.Name()); (ext == ".yaml" || ext == ".yml") && e.Name()[0] != '.' {
			found = append(found, filepath.Join(dir, e.Name()))
		}
	}
	return found, nil
}

// Match returns the handlers that claim a template, highest priority first.
func (m *Manager) Match(facts *workaround.Facts) []handler.Handler {
	claims := m.current.Load().claimed(facts, func(c *candidate, err error) {
		m.opts.Logger.Warn("predicate of a plugin failed", "handler", c.Name, "template", facts.Name, "error", err)
	})
	return handlersOf(claims)
}

// Handler returns the handler of that name, whatever it claims.
func (m *Manager) Handler(name string) (handler.Handler, bool) { return m.current.Load().handler(name) }

func (m *Manager) slotOf(handler string) *slot {
	if c := m.current.Load().candidate(handler); c != nil {
		return c.slot
	}
	return nil
}

// Conflicts lists the claims of the same template at the same priority that Match found since the last Load. The handler
// whose name sorts first is preferred then.
func (m *Manager) Conflicts() []string { return m.current.Load().conflicts.list() }

// Close lets the calls under way finish, ends all processes, and removes the private directory. When ctx ends first, the
// processes are killed.
func (m *Manager) Close(ctx context.Context) error {
	m.examined()
	m.loading.Lock()
	defer m.loading.Unlock()
	if m.closed {
		return nil
	}
	m.closed = true
	for _, s := range m.current.Swap(newSet("")).slots {
		m.retire(s)
	}
	done := make(chan struct{})
	go func() { defer close(done); m.retired.gone.Wait() }()
	if err := waitFor(ctx, done); err != nil {
		close(m.hurry)
		<-done
	}
	return m.dir.Remove()
}
