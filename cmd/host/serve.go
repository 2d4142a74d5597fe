package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	gc "runtime/debug"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/dragoman-project/dragoman/gateway/responses"
	"github.com/dragoman-project/dragoman/host"
	"github.com/dragoman-project/dragoman/host/api"
	"github.com/dragoman-project/dragoman/host/api/metrics"
	"github.com/dragoman-project/dragoman/host/api/tracing"
	"github.com/dragoman-project/dragoman/host/config"
	"github.com/dragoman-project/dragoman/workbench"
	"github.com/spf13/cobra"
)

func newServe() *cobra.Command {
	var file string
	cmd := &cobra.Command{
		Use:   "serve [flags]",
		Short: "Run the daemon",
		Long: `Run the daemon until SIGINT or SIGTERM.

Every setting can be given as a flag, as an environment variable (DRAGOMAN_ and the key in capitals), or in a YAML file;
flags override the environment, and the environment overrides the file. The daemon watches its files and folders: a change
takes effect when it is complete and valid, otherwise nothing changes. SIGHUP reads everything again.`,
		Example: example(`
			dragoman serve
			dragoman serve --listen 127.0.0.1:9000 --templates templates --log-level debug
			dragoman serve --config dragoman.yaml`),
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := config.CheckFlags(cmd.Flags()); err != nil {
				return &usageError{err}
			}
			load := func(content []byte) (*config.Config, error) {
				cfg, err := loadConfig(config.Sources{File: file, Data: content, Environ: settings(), Flags: cmd.Flags()})
				if err == nil && cfg.Plugins.Dir == "" {
					cfg.Plugins.Dir = pluginsBeside()
				}
				if err == nil && cfg.State.Dir == "" {
					cfg.State.Dir = stateFolder(cfg, file)
				}
				return cfg, err
			}
			return serve(cmd.Context(), cmd.ErrOrStderr(), file, load)
		},
	}
	config.AddFlags(cmd.Flags())
	addConfigFile(cmd, &file)
	return cmd
}

// stateFolder returns the folder of a daemon's state: systemd's, or one of the user's that no other daemon with these files and this
// address has; "" without one, such as with a port that changes, or nothing to remember.
func stateFolder(cfg *config.Config, file string) string {
	if dirs := filepath.SplitList(os.Getenv("STATE_DIRECTORY")); len(dirs) > 0 {
		return dirs[0]
	}
	base := os.Getenv("XDG_STATE_HOME")
	if home, err := os.UserHomeDir(); base == "" && err == nil {
		base = filepath.Join(home, ".local", "state")
	}
	if base == "" || cfg.Workarounds.File == "" && cfg.Templates.Dir == "" || strings.HasSuffix(cfg.Listen.Address, ":0") {
		return ""
	}
	sum := sha256.New()
	fmt.Fprintln(sum, cfg.Listen.Address)
	for _, path := range []string{file, cfg.Workarounds.File, cfg.Templates.Dir} {
		whole, _ := filepath.Abs(path) // fails only without a working directory
		fmt.Fprintln(sum, whole)
	}
	const enough = 8 // bytes
	dir := filepath.Join(base, "dragoman", hex.EncodeToString(sum.Sum(nil)[:enough]))
	if os.MkdirAll(dir, 0o700) != nil {
		return "" // such as in a container without a writable home
	}
	return dir
}

// collectAt is the daemon's GOGC: learning templates and planning requests allocate much and keep little, so that collecting garbage
// half as often takes a fifth of the processor time from the first, for a fifth more memory.
const collectAt = 200

// serve runs the daemon until ctx ends.
func serve(ctx context.Context, errs io.Writer, file string, load func([]byte) (*config.Config, error)) (err error) {
	hangup := make(chan os.Signal, 1)
	signal.Notify(hangup, syscall.SIGHUP) // first of all: an early SIGHUP would kill the daemon
	defer signal.Stop(hangup)
	cfg, err := load(nil)
	if err != nil {
		return err
	}
	for key, dir := range map[string]string{"templates.dir": cfg.Templates.Dir, "plugins.dir": cfg.Plugins.Dir} {
		if dir == "" {
			continue
		}
		if err := checkFolder(cfg.Placed(key), dir); err != nil {
			return err
		}
	}
	level := &liveLevel{first: levelOf(cfg.Log)}
	log := newLogger(errs, cfg.Log, level)
	if cfg.Templates.Download {
		if err := download(ctx, func(text string) { log.Info(text) }, cfg.Templates.Models...); err != nil {
			return err
		}
	}
	secrets, err := api.NewSecrets(cfg)
	if err != nil {
		return err
	}
	if os.Getenv("GOGC") == "" {
		gc.SetGCPercent(collectAt)
	}
	tracer, flush, err := tracing.Start(ctx, cfg.Tracing, version, log)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, flush(context.WithoutCancel(ctx))) }()
	counts := metrics.New(version)
	h, err := host.New(ctx, host.Options{
		Config: cfg, Logger: log, LoadConfig: load, ConfigFile: file, Version: version, Files: secrets.Files(), Observer: counts,
	})
	if err != nil {
		return err
	}
	level.host.Store(h)
	if cfg.State.Dir == "" && cfg.Canary.Mode == "enforce" && cfg.Canary.Cases != "" {
		log.Warn("without state.dir a restart puts what is on disk in force, untried")
	}
	defer func() { err = errors.Join(err, h.Close(context.WithoutCancel(ctx))) }()
	stop, err := debug(ctx, cfg.Debug.Address, counts, log)
	if err != nil {
		return err
	}
	defer stop()
	listener, err := api.Listen(ctx, cfg.Listen)
	if err != nil {
		return err
	}
	log.Info("listening", "address", listener.Addr().String(), "version", version)
	go reloadOn(ctx, hangup, h, log)
	front, err := newGateway(ctx, cfg.Engines, h, log)
	if err != nil {
		return err
	}
	defer front.Close()
	kept, closed, err := openStore(cfg.Engines.Store)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, closed()) }()
	endpoints, err := newEndpoints(cfg.Engines, h, responses.Options{Gateway: front, Store: kept, Logger: log})
	if err != nil {
		return err
	}
	endpoints = append(endpoints, workbench.Endpoints(workbench.Options{Host: h, Gateway: front, Metrics: counts})...)
	server := api.New(h, api.Options{Logger: log, Version: version, Secrets: secrets, Metrics: counts, Tracer: tracer, Endpoints: endpoints})
	return server.Serve(ctx, listener)
}

// liveLevel is the log level of the configuration in force; before there is a host, the first configuration's.
type liveLevel struct {
	first slog.Level
	host  atomic.Pointer[host.Host]
}

// Level implements slog.Leveler.
func (l *liveLevel) Level() slog.Level {
	h := l.host.Load()
	if h == nil {
		return l.first
	}
	return levelOf(h.Snapshot().Config.Log)
}

// levelOf returns the level that a configuration names, which has been validated.
func levelOf(cfg config.Log) (level slog.Level) {
	_ = level.UnmarshalText([]byte(cfg.Level))
	return level
}

// newLogger returns a logger in the configured format.
func newLogger(to io.Writer, cfg config.Log, level slog.Leveler) *slog.Logger {
	options := &slog.HandlerOptions{Level: level}
	if cfg.Format == "json" {
		return slog.New(slog.NewJSONHandler(to, options))
	}
	return slog.New(slog.NewTextHandler(to, options))
}

// debug serves profiles and metrics at an address until stop is called; at none if the address is empty.
func debug(ctx context.Context, address string, counts *metrics.Metrics, log *slog.Logger) (stop func(), err error) {
	if address == "" {
		return func() {}, nil
	}
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", address)
	if err != nil {
		return nil, fmt.Errorf("cannot listen on debug.address: %w", err)
	}
	log.Info("serving profiles", "address", listener.Addr().String())
	srv := &http.Server{Handler: api.Debug(counts), ReadHeaderTimeout: 10 * time.Second}
	go func() { _ = srv.Serve(listener) }() // ends with Close
	return func() { _ = srv.Close() }, nil
}

// reloadOn reloads everything at each SIGHUP.
func reloadOn(ctx context.Context, hangup <-chan os.Signal, h *host.Host, log *slog.Logger) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-hangup:
			log.Info("reloading at SIGHUP")
			if err := h.Reload(ctx); err != nil {
				log.Error("reload failed", "error", err)
			}
		}
	}
}
