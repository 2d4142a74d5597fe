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

// Options say how plugins are run. The zero value works.
type Options struct {
	// Logger gets what plugins print, and what becomes of their processes. Nil discards it.
	Logger *slog.Logger
	// HostVersion is told to the plugins.
	HostVersion string
	// OnDemand leaves executables where they are until their first process is started, and checks no checksum before: for hosts
	// that end soon, and use few of the plugins.
	OnDemand bool
	// RunDir is where the private directory is made. It must have a short path and allow execution. Empty: os.TempDir.
	RunDir string
	// StartTimeout is how long a process may take until it has described itself. 0: 5 s.
	StartTimeout time.Duration
	// VerifyTimeout is how long the golden cases of a handler may take. 0: 30 s.
	VerifyTimeout time.Duration
	// CallTimeout is how long a call may take until the process counts as hanging and is killed. 0: 5 s.
	CallTimeout time.Duration
	// HealthInterval is how often a process is asked whether it is well, and HealthTimeout how long it may take to say so.
	// 0: 10 s and 2 s.
	HealthInterval, HealthTimeout time.Duration
	// DrainTimeout is how long a retired process may finish its calls and streams. 0: 10 min.
	DrainTimeout time.Duration
	// IdleTimeout is how long a process that nobody uses stays. 0: for ever.
	IdleTimeout time.Duration
	// Try is asked about each version that has passed its own golden cases, and each plugin that was not there before, while
	// what was in force goes on serving. An error keeps it so. It must end with its context, and must not load plugins; nil:
	// everything is welcome.
	Try func(context.Context, Change) error

	contracts contracts // nil: those that every host speaks
}

func (o Options) complete() Options {
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.contracts == nil {
		o.contracts = spoken()
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

// Manager knows the plugins of a directory and keeps their processes. It is safe for concurrent use.
type Manager struct {
	shared
	current atomic.Pointer[set]

	// examining is over when new versions are not examined any longer.
	examining context.Context
	examined  context.CancelFunc

	loading sync.Mutex // held by those who make the next set
	closed  bool
	retired retired
}

// shared is what the slots of a manager have in common.
type shared struct {
	opts    Options
	dir     *rundir.Dir
	counter atomic.Int64  // of generations
	hurry   chan struct{} // closed when calls under way are not waited for any longer
	// serving finds the slot in force of a handler, or nil.
	serving func(handler string) *slot
}

// retired are the slots that are no longer in the set, and not gone yet.
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

// New returns a manager without plugins. It makes a private directory, which Close removes.
func New(o Options) (*Manager, error) {
	o = o.complete()
	dir, err := rundir.New(o.RunDir)
	if err != nil {
		return nil, fmt.Errorf("the directory for plugins: %w", err)
	}
	m := &Manager{shared: shared{opts: o, dir: dir, hurry: make(chan struct{})}}
	m.serving = m.slotOf
	m.examining, m.examined = context.WithCancel(context.Background())
	m.current.Store(newSet(""))
	return m, nil
}

// Load makes the plugins of a directory those in force. It may be called again at any time: what did not change keeps its
// process; a new version takes over when it has started and its golden cases hold; what was removed finishes its calls. The
// error joins every fault; a plugin at fault stays as it was before, and the others go on.
func (m *Manager) Load(dir string) error {
	m.loading.Lock()
	defer m.loading.Unlock()
	if m.closed {
		return errors.New("the plugin manager is closed")
	}
	manifests, err := findManifests(dir)
	if err != nil {
		return err
	}
	old := m.current.Load()
	next := m.build(dir, manifests, old)
	m.current.Store(next)
	for _, s := range old.slots {
		if !slices.Contains(next.slots, s) {
			m.retire(s)
		}
	}
	var used []rundir.Binary
	for _, s := range slices.Concat(next.slots, m.retired.list()) {
		used = append(used, s.executable())
	}
	m.dir.Keep(used)
	return next.fault()
}

// List tells the state of the plugins of a directory, of which none is started.
func List(ctx context.Context, dir string) (_ []State, err error) {
	m, err := New(Options{})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, m.Close(ctx)) }()
	_ = m.Load(dir) // the state of each plugin tells what is wrong with it
	return m.Status(), nil
}

// retire lets a slot that is no longer in force finish its calls.
func (m *Manager) retire(s *slot) {
	s.close()
	m.retired.add(s)
}

// Reload loads the directory of the last Load again.
func (m *Manager) Reload() error { return m.Load(m.current.Load().dir) }

// findManifests lists the manifests of a directory; one that does not exist has none.
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

// Match returns the handlers that claim a template, the highest priority first.
func (m *Manager) Match(facts *workaround.Facts) []handler.Handler {
	claims := m.current.Load().claimed(facts, func(c *candidate, err error) {
		m.opts.Logger.Warn("a plugin's predicate fails", "handler", c.Name, "template", facts.Name, "error", err)
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

// Conflicts lists the claims of the same template at the same priority that Match met since the last Load. The handler whose
// name comes first is preferred then.
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
