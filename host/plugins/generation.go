package plugins

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/hashicorp/go-hclog"
	goplugin "github.com/hashicorp/go-plugin"
	"github.com/hashicorp/go-plugin/runner"
	"google.golang.org/grpc"
	"google.golang.org/grpc/health/grpc_health_v1"

	"github.com/dragoman-project/dragoman/host/plugins/manifest"
	"github.com/dragoman-project/dragoman/host/plugins/process"
	"github.com/dragoman-project/dragoman/host/plugins/rundir"
	"github.com/dragoman-project/dragoman/internal/wire"
	"github.com/dragoman-project/dragoman/internal/wire/rpc"
)

// generation is one process of a plugin. While it serves, any number of calls hold it; once retired it accepts no more, and
// ends with its last call.
type generation struct {
	number   int
	process  *process.Process
	client   *goplugin.Client
	health   grpc_health_v1.HealthClient
	handlers map[string]remote // by name
	started  time.Time
	outputs  []io.Closer // the logs of what the process prints over the connection
	stay     func() bool // detaches the process from the context of its launch; false: it has ended

	mu       sync.Mutex
	holders  int
	retired  bool
	answered bool // it has answered a call
	used     time.Time
	drained  chan struct{} // closed when it is retired and has no holders
	killing  sync.Once
	dead     chan struct{} // closed when the process and everything of it is gone
}

// launch starts a process of a binary and waits until it has described itself, or ctx ends. On an error nothing is left
// behind.
func launch(ctx context.Context, sh *shared, b rundir.Binary, m *manifest.Manifest, dir string, number int) (*generation, error) {
	o := &sh.opts
	log := &process.Log{Log: o.Logger.With("plugin", m.Name, "generation", number)}
	g := &generation{stay: func() bool { return true }, number: number, started: time.Now(), used: time.Now(), drained: make(chan struct{}), dead: make(chan struct{})}
	conn := new(connection)
	stdout, stderr := log.Writer("stdout"), log.Writer("stderr")
	g.outputs = []io.Closer{stdout, stderr}
	g.client = goplugin.NewClient(&goplugin.ClientConfig{
		HandshakeConfig:  goplugin.HandshakeConfig{MagicCookieKey: wire.CookieKey, MagicCookieValue: wire.CookieValue},
		VersionedPlugins: map[int]goplugin.PluginSet{m.Protocol: {wire.ServiceName: conn}},
		RunnerFunc:       runnerFor(ctx, g, sh.dir, b, m, dir, log),
		UnixSocketConfig: &goplugin.UnixSocketConfig{TempDir: dir},
		AllowedProtocols: []goplugin.Protocol{goplugin.ProtocolGRPC},
		StartTimeout:     o.StartTimeout,
		SkipHostEnv:      true,
		Logger:           hclog.NewNullLogger(),
		SyncStdout:       stdout,
		SyncStderr:       stderr,
		GRPCDialOptions:  rpc.DialOptions(),
	})
	err := g.connect(ctx, conn, o, o.contracts[m.Protocol])
	if !g.stay() && err == nil {
		err = ctx.Err()
	}
	if err != nil {
		g.kill(0)
		return nil, g.explain(err)
	}
	return g, nil
}

// runnerFor returns what go-plugin calls to prepare the process once it has put together the environment. The process is
// killed when ctx ends, unless g.stay is called before.
func runnerFor(ctx context.Context, g *generation, run *rundir.Dir, b rundir.Binary, m *manifest.Manifest, dir string, log *process.Log) func(hclog.Logger, *exec.Cmd, string) (runner.Runner, error) {
	return func(_ hclog.Logger, prepared *exec.Cmd, socketDir string) (runner.Runner, error) {
		options, err := m.EncodedOptions()
		if err != nil {
			return nil, err
		}
		cmd := exec.CommandContext(context.Background(), b.Path)
		cmd.Dir = dir
		cmd.Env = append(slices.Clone(prepared.Env),
			"PATH=/usr/local/bin:/usr/bin:/bin",
			"TMPDIR="+dir,
			wire.LifelineKey+"="+strconv.Itoa(process.LifelineFD),
			wire.OptionsKey+"="+options,
			wire.DirectoryKey+"="+m.Directory())
		credential, err := m.Credential()
		if err != nil {
			return nil, err
		}
		if err := run.Admit(credential, b, dir, socketDir); err != nil {
			return nil, err
		}
		p, err := process.New(cmd, &m.Confinement, socketDir, log)
		if err != nil {
			return nil, err
		}
		g.process, g.stay = p, context.AfterFunc(ctx, p.KillGroup)
		return p, nil
	}
}

// connection receives the connection from go-plugin.
type connection struct {
	goplugin.NetRPCUnsupportedPlugin
	conn *grpc.ClientConn
}

// GRPCClient keeps the connection.
func (c *connection) GRPCClient(_ context.Context, _ *goplugin.GRPCBroker, conn *grpc.ClientConn) (any, error) {
	c.conn = conn
	return conn, nil
}

// GRPCServer fails: it is for the side of the plugin.
func (c *connection) GRPCServer(*goplugin.GRPCBroker, *grpc.Server) error {
	return errors.New("not available in a host")
}

func (g *generation) connect(ctx context.Context, c *connection, o *Options, ask contract) error {
	protocol, err := g.client.Client()
	if err != nil {
		return err
	}
	if _, err := protocol.Dispense(wire.ServiceName); err != nil {
		return err
	}
	g.health = grpc_health_v1.NewHealthClient(c.conn)
	ctx, cancel := context.WithTimeout(ctx, o.StartTimeout)
	defer cancel()
	all, err := ask(ctx, c.conn, o.HostVersion)
	if err != nil {
		return err
	}
	g.handlers = map[string]remote{}
	for _, h := range all {
		g.handlers[h.Describe().Name] = h
	}
	return nil
}

// explain adds to an error of the start how the process ended.
func (g *generation) explain(err error) error {
	first, _, _ := strings.Cut(err.Error(), "\n")
	if g.process == nil {
		return fmt.Errorf("cannot start: %s", first)
	}
	return fmt.Errorf("cannot start: %s; process: %s", first, g.process.End())
}

// check compares the process with the manifest. What its handlers claim is up to the manifest.
func (g *generation) check(m *manifest.Manifest) error {
	var faults []error
	for _, h := range m.Handlers {
		served := g.handlers[h.Name]
		if served == nil {
			faults = append(faults, fmt.Errorf("handler %s: in the manifest, but not served by the process", h.Name))
		} else if version := served.Describe().Version; version != m.Version {
			faults = append(faults, fmt.Errorf("handler %s: the manifest says version %s, the process says %s", h.Name, m.Version, version))
		}
	}
	return errors.Join(faults...)
}

// hold registers a caller, until release; false: the generation accepts no more callers.
func (g *generation) hold() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.retired {
		return false
	}
	g.holders++
	g.used = time.Now()
	return true
}

func (g *generation) release() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.holders--
	g.used = time.Now()
	if g.retired && g.holders == 0 {
		close(g.drained)
	}
}

// retire stops accepting callers. It reports whether the generation was not retired before.
func (g *generation) retire() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.retired {
		return false
	}
	g.retired = true
	if g.holders == 0 {
		close(g.drained)
	}
	return true
}

// idle returns for how long the generation has not been used.
func (g *generation) idle() time.Duration {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.holders > 0 {
		return 0
	}
	return time.Since(g.used)
}

// lives reports whether the process has not ended, as far as is known.
func (g *generation) lives() bool {
	select {
	case <-g.process.Exited:
		return false
	default:
		return true
	}
}

// answers records that the process has answered a call.
func (g *generation) answers() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.answered = true
}

func (g *generation) hasAnswered() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.answered
}

// sessions returns how many callers hold the generation.
func (g *generation) sessions() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.holders
}

// responds checks the health of the process.
func (g *generation) responds(ctx context.Context, within time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	_, err := g.health.Check(ctx, &grpc_health_v1.HealthCheckRequest{Service: goplugin.GRPCServiceName})
	return err
}

// passing returns why the connection broke: how the process ended, if it ends within the given time, or else err.
func (g *generation) passing(within time.Duration, err error) error {
	ctx, cancel := context.WithTimeout(context.Background(), within)
	defer cancel()
	if waitFor(ctx, g.process.Exited) != nil {
		return err
	}
	return errors.New(g.process.End())
}

// kill ends the process: gracefully at first, by force after grace. go-plugin waits forever for a process that is stopped, so
// the force does not come from it. kill returns when everything is gone.
func (g *generation) kill(grace time.Duration) {
	g.killing.Do(func() {
		defer close(g.dead)
		force := time.AfterFunc(grace, func() {
			if g.process != nil {
				g.process.KillGroup()
			}
		})
		defer force.Stop()
		g.client.Kill()
		if g.process != nil {
			g.process.KillGroup()
			<-g.process.Exited
		}
		for _, output := range g.outputs {
			_ = output.Close()
		}
	})
	<-g.dead
}
