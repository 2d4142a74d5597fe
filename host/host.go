package host

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
	"github.com/dragoman-project/dragoman/autoparser"
	"github.com/dragoman-project/dragoman/autoparser/workaround"
	"github.com/dragoman-project/dragoman/host/config"
	"github.com/dragoman-project/dragoman/host/plugins"
	"github.com/dragoman-project/dragoman/host/watch"
	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/dragoman-project/dragoman/sdk/grammar"
	"github.com/dragoman-project/dragoman/sdk/peg/match"
)

// Options say what a host is made of. Config must be set; a nil Logger discards.
type Options struct {
	Config *config.Config
	Logger *slog.Logger
	// LoadConfig reads the configuration again when the content of ConfigFile has changed to this. Nil: it stays as it is.
	LoadConfig func(file []byte) (*config.Config, error)
	// ConfigFile is watched, and LoadConfig called when it changes. Empty: no file.
	ConfigFile string
	// NoEmbedded leaves the embedded example templates out.
	NoEmbedded bool
	// Files are further files to watch, which others read.
	Files []File
	// Observer is told of sessions; nil: nobody is.
	Observer Observer
	// Version is told to plugins.
	Version string
	// Static reads everything once and watches nothing, for commands that end soon.
	Static bool

	settle time.Duration // other than defaultSettle, in tests
}

// codeBytes bounds the cache of compiled programs. The largest valid program fits, so that its sessions share one code.
const codeBytes = 64 << 20

// Host is the daemon's core. It is safe for concurrent use.
type Host struct {
	log     *slog.Logger
	opts    Options
	started time.Time
	current atomic.Pointer[Snapshot]
	plugins *plugins.Manager
	watcher *watch.Watcher
	// The caches of programs, constraints and code are keyed by all that these are made of, so that they outlive snapshots.
	programs    autoparser.Cache
	constraints grammar.Cache
	codes       *match.Cache

	// ends is closed when the host is; work that nobody waits for ends then, and background has none left.
	ends       chan struct{}
	background sync.WaitGroup
	closing    sync.Once
	closed     error // by closing

	// cold says that the host is starting and has opened no template; warm does, and closes warmed.
	cold   bool
	warmed chan struct{}

	history history
	samples samples
	trial   atomic.Pointer[Trial] // of the last change
	// changes serialises those who make the next snapshot.
	changes sync.Mutex
	sources sources
	warned  warned

	// Plugins are loaded one after the other and beside everything else.
	ready    bool // a change in their folder is not the first look at it
	stale    atomic.Bool
	plugging sync.Mutex
	loading  sync.WaitGroup
}

// New reads all that the configuration names and returns a host that answers. What cannot be read at the start is an
// error: there is no last good state to stay with.
func New(ctx context.Context, o Options) (*Host, error) {
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	h := &Host{log: o.Logger, opts: o, codes: match.NewCache(codeBytes), started: time.Now(), ends: make(chan struct{}), warmed: make(chan struct{}), cold: !o.Static}
	first, err := h.embedded()
	if err != nil {
		return nil, err
	}
	h.current.Store(first)
	run := o.Config.Plugins
	if h.plugins, err = plugins.New(plugins.Options{
		Logger: o.Logger, HostVersion: o.Version, OnDemand: o.Static, RunDir: run.RunDir,
		StartTimeout: run.StartTime, CallTimeout: run.CallTime, IdleTimeout: run.IdleTime,
		DrainTimeout: o.Config.Limits.SessionTime, Try: h.tryPlugin,
	}); err != nil {
		return nil, err
	}
	if err := h.watch(ctx); err != nil {
		h.Close(ctx)
		return nil, err
	}
	h.begin()
	if !o.Static {
		h.background.Go(h.warm)
	}
	return h, nil
}

// embedded is the first snapshot: what the binary itself carries.
func (h *Host) embedded() (*Snapshot, error) {
	rules, err := workaround.Parse(dragoman.WorkaroundsName, dragoman.Workarounds)
	if err != nil {
		return nil, &Error{Code: Internal, Place: dragoman.WorkaroundsName, Message: err.Error(), Err: err}
	}
	snap := &Snapshot{Config: h.opts.Config, Rules: rules}
	if h.opts.NoEmbedded {
		return snap, nil
	}
	files, err := fs.Glob(dragoman.Templates, "templates/*.jinja")
	if err != nil {
		return nil, err
	}
	entries := map[string]*entry{}
	for _, file := range files {
		data, err := fs.ReadFile(dragoman.Templates, file)
		if err != nil {
			return nil, err
		}
		name := canonicalName(path.Base(file))
		entries[name] = newEntry(TemplateSource{Name: name, Source: string(data), Origin: "embedded"}, rules)
	}
	return snap.withLayer(embedded, entries), nil
}

// begin remembers what is in force at the start.
func (h *Host) begin() {
	h.changes.Lock()
	defer h.changes.Unlock()
	first := *h.current.Load()
	h.history.open.Store(true)
	h.put(&first, Cause{Source: sourceStart})
}

// Close stops watching and ends the plugins' processes. Sessions that run on programs are not touched by it. Calls after the
// first one return what it did.
func (h *Host) Close(ctx context.Context) error {
	h.closing.Do(func() { h.closed = h.close(ctx) })
	return h.closed
}

func (h *Host) close(ctx context.Context) error {
	close(h.ends)
	h.background.Wait()
	if h.watcher != nil {
		if err := h.watcher.Close(); err != nil {
			h.log.Warn("the watcher did not close", "error", err)
		}
	}
	err := h.plugins.Close(ctx)
	h.loading.Wait()
	return err
}

// Snapshot returns what is in force.
func (h *Host) Snapshot() *Snapshot { return h.current.Load() }

// PutTemplate adds a template, or replaces one that was put before. It is opened and learned at once, so that a template
// that cannot be used is an error and changes nothing.
func (h *Host) PutTemplate(_ context.Context, src TemplateSource) (TemplateInfo, error) {
	src.Name = canonicalName(src.Name)
	if err := checkName(src.Name); err != nil {
		return TemplateInfo{}, err
	}
	if src.Origin == "" {
		src.Origin = "upload"
	}
	h.changes.Lock()
	defer h.changes.Unlock()
	snap := h.current.Load()
	if limit := snap.Config.Limits.Templates; limit > 0 && len(snap.layers[uploaded]) >= limit && snap.layers[uploaded][src.Name] == nil {
		return TemplateInfo{}, &Error{Code: LimitExceeded, Place: src.Name, Message: fmt.Sprintf("%d templates have been put already", limit),
			Remedy: "replace one of them, keep templates in the folder templates.dir, or raise limits.templates"}
	}
	e := newEntry(src, snap.Rules)
	if _, err := e.learn(); err != nil {
		return TemplateInfo{}, err
	}
	cause := Cause{Source: sourceUpload, Changes: []ContentChange{{Path: e.Name, After: e.hash}}}
	if old := snap.layers[uploaded][e.Name]; old != nil {
		if old.hash == e.hash {
			return h.info(snap, old), nil // history remembers changes
		}
		cause.Changes[0].Before = old.hash
	}
	next := snap.withTemplate(uploaded, e)
	if err := h.try(sourceUpload, e.Name, next); err != nil {
		return TemplateInfo{}, err
	}
	h.put(next, cause)
	h.log.Info("template put", "template", e.Name, "sha256", e.hash)
	return h.info(next, e), nil
}

// Templates lists the templates in force, sorted by name.
func (h *Host) Templates() []TemplateInfo {
	return h.templates(h.current.Load())
}

func (h *Host) templates(snap *Snapshot) (all []TemplateInfo) {
	for _, name := range snap.names() {
		if e, err := snap.template(name); err == nil {
			all = append(all, h.info(snap, e))
		}
	}
	return all
}

// Template returns a template's source and what is known of it.
func (h *Host) Template(name string) (TemplateSource, TemplateInfo, error) {
	snap := h.current.Load()
	e, err := snap.template(name)
	if err != nil {
		return TemplateSource{}, TemplateInfo{}, err
	}
	return e.TemplateSource, h.info(snap, e), nil
}

func (h *Host) info(snap *Snapshot, e *entry) TemplateInfo {
	info := TemplateInfo{Name: e.Name, Origin: e.Origin, SHA256: e.hash, Handler: autoparser.HandlerName}
	learned, err := e.learn()
	if err != nil {
		info.Error = err.Error()
		return info
	}
	claims, err := h.claims(snap, learned, snap.Config.Templates.Handler(e.Name), new(chat.Request))
	if err != nil {
		info.Error = err.Error()
		return info
	}
	if len(claims) > 0 {
		info.Handler = claims[0].Describe().Name
	} else if check, known := learned.SelfChecked(); known {
		info.SelfCheck = check.Score()
	}
	return info
}

// Learned returns what was learned of a template.
func (h *Host) Learned(name string) (*autoparser.Learned, error) {
	e, err := h.current.Load().template(name)
	if err != nil {
		return nil, err
	}
	return e.learn()
}

// Render renders a request's prompt.
func (h *Host) Render(ctx context.Context, name string, req *chat.Request) (autoparser.Rendered, error) {
	e, err := h.current.Load().forRequest(name, req)
	if err != nil {
		return autoparser.Rendered{}, err
	}
	learned, err := e.learn()
	if err != nil {
		return autoparser.Rendered{}, err
	}
	out, err := learned.Render(ctx, req)
	return out, templateFault(e.Name, err)
}

// Explain says what was learned of a template, stage by stage, and what taught it.
func (h *Host) Explain(_ context.Context, name string) (autoparser.Explanation, error) {
	learned, err := h.Learned(name)
	if err != nil {
		return autoparser.Explanation{}, err
	}
	return learned.Explain(), nil
}
