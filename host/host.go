package host

import (
	"context"
	"errors"
	"log/slog"
	"path/filepath"
	"sync"
	"time"

	"github.com/dragoman-project/dragoman/autoparser"
	"github.com/dragoman-project/dragoman/host/config"
	"github.com/dragoman-project/dragoman/host/plugins"
	"github.com/dragoman-project/dragoman/host/recorder"
	"github.com/dragoman-project/dragoman/host/state"
	"github.com/dragoman-project/dragoman/host/trial"
	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/dragoman-project/dragoman/sdk/grammar"
	"github.com/dragoman-project/dragoman/sdk/peg/match"
)

// Options are the choices of New. Config must be set; a nil Logger discards.
type Options struct {
	Config *config.Config
	Logger *slog.Logger
	// LoadConfig parses the configuration again when ConfigFile has changed to this content. Nil: changes are ignored.
	LoadConfig func(file []byte) (*config.Config, error)
	// ConfigFile is watched. Empty: no file.
	ConfigFile string
	// NoEmbedded leaves out the embedded templates.
	NoEmbedded bool
	// Files are further files to watch, whose content others use.
	Files []File
	// Observer observes sessions; nil: nothing does.
	Observer Observer
	// Version is sent to plugins.
	Version string
	// Static reads everything once and watches nothing, for commands that end soon.
	Static bool

	settle time.Duration // state.Options.Settle, in tests
}

// codeBytes bounds the cache of compiled programs. The largest valid program fits, so that its sessions share one code.
const codeBytes = 64 << 20

// Host is the daemon's core. It is safe for concurrent use.
type Host struct {
	log      *slog.Logger
	started  time.Time
	observer Observer
	state    *state.State
	plugins  *plugins.Manager
	trials   trial.Trials
	running  running
	recorder *recorder.Recorder // nil: nothing is recorded
	vetted   vetted
	warned   warned

	// The caches of tools, programs, constraints and code are keyed by all that these are made of, so that they outlive snapshots.
	tools       chat.ToolCache
	programs    autoparser.Cache
	constraints grammar.Cache
	codes       *match.Cache

	closing sync.Once
	closed  error // by closing
}

// New reads everything that the configuration names and returns a Host that can be used. What cannot be read at the start is an
// error: there is no last good state to keep.
func New(ctx context.Context, o Options) (*Host, error) {
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	h := &Host{log: o.Logger, observer: o.Observer, codes: match.NewCache(codeBytes), started: time.Now(), vetted: vetted{due: make(chan struct{}, 1)}}
	h.trials.Host, h.trials.Logger = trialHost{h}, o.Logger
	run := o.Config.Plugins
	store := ""
	if dir := o.Config.State.Dir; dir != "" && !o.Static {
		store = filepath.Join(dir, "plugins")
	}
	var err error
	if h.plugins, err = plugins.New(plugins.Options{
		Logger: o.Logger, HostVersion: o.Version, OnDemand: o.Static, RunDir: run.RunDir, Store: store,
		StartTimeout: run.StartTime, CallTimeout: run.CallTime, IdleTimeout: run.IdleTime,
		DrainTimeout: o.Config.Limits.SessionTime, Try: h.tryPlugin,
	}); err != nil {
		return nil, err
	}
	if !o.Static {
		if h.recorder, err = recorder.New(o.Config.Recorder, o.Version, o.Logger); err != nil {
			return nil, errors.Join(err, h.plugins.Close(ctx))
		}
	}
	if h.state, err = state.New(state.Options{
		Config: o.Config, Logger: o.Logger, LoadConfig: o.LoadConfig, ConfigFile: o.ConfigFile, NoEmbedded: o.NoEmbedded,
		Files: o.Files, Static: o.Static, Settle: o.settle, Plugins: h.plugins, Try: h.try, Changed: h.changed,
	}); err == nil {
		err = h.state.Start(ctx)
	}
	if err != nil {
		h.Close(ctx)
		return nil, err
	}
	h.state.Go(h.vetAll)
	return h, nil
}

// Close stops watching and ends the plugins' processes. Sessions that run programs are not affected. Later calls return what the
// first one returned.
func (h *Host) Close(ctx context.Context) error {
	h.closing.Do(func() { h.closed = h.close(ctx) })
	return h.closed
}

func (h *Host) close(ctx context.Context) error {
	h.recorder.Close()
	if h.state == nil {
		return h.plugins.Close(ctx)
	}
	h.state.Stop()
	err := h.plugins.Close(ctx)
	h.state.Wait()
	return err
}

// changed adapts what is kept beside the snapshot to the one in force now.
func (h *Host) changed(now *state.Snapshot) {
	h.trials.Samples.Fit(now.Names(), now.Config.Canary.Shadow)
	h.recorder.Configure(now.Config.Recorder)
	h.warn()
	select {
	case h.vetted.due <- struct{}{}:
	default: // it is due already
	}
}

// Snapshot returns what is in force.
func (h *Host) Snapshot() *Snapshot { return h.state.Current() }

// Reload reads every source again and returns when all have settled; the error contains what was rejected.
func (h *Host) Reload(ctx context.Context) error { return h.state.Reload(ctx) }

// History returns the snapshots that were in force last, the newest first.
func (h *Host) History() []SnapshotInfo { return h.state.History() }

// Rollback puts an earlier snapshot in force again; see state.State.Rollback.
func (h *Host) Rollback(ctx context.Context, to uint64) (SnapshotInfo, error) {
	return h.state.Rollback(ctx, to)
}
