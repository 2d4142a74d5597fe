// Package process runs one process of a plugin for go-plugin: in a process group of its own, confined (Confinement), its
// handshake relayed, everything else that it prints logged and bounded (Log), and ended with the host by a pipe that closes.
package process

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/hashicorp/go-plugin/runner"
)

// pipeGrace is how long to wait for output after the end of a process. A grandchild may keep the pipe open forever.
const pipeGrace = 200 * time.Millisecond

// Process is one run of an executable, in its own process group. It is what go-plugin calls a runner.
type Process struct {
	*Confinement
	cmd    *exec.Cmd
	dir    string // private: the only place where its sockets may be
	log    *Log
	stdout *os.File // the host's ends
	stderr *os.File
	// lifeline closes when the host ends, and the process then ends itself.
	lifeline *os.File
	theirs   []*os.File // the ends of the process, closed once it has started

	negotiate *io.PipeReader // the handshake, for go-plugin
	relay     *io.PipeWriter
	output    sync.WaitGroup // the readers of the pipes
	Exited    chan struct{}  // closed when the process has ended
	err       error          // how it ended, valid then

	signals sync.Mutex
	doomed  bool // killed before it started
	reaped  bool // its id may belong to another process
}

var _ runner.Runner = (*Process)(nil)

// New prepares a run of cmd. Its sockets must be in dir.
func New(cmd *exec.Cmd, c *Confinement, dir string, log *Log) (*Process, error) {
	attributes, err := c.attributes()
	if err != nil {
		return nil, err
	}
	cmd.SysProcAttr = attributes
	p := &Process{Confinement: c, cmd: cmd, dir: dir, log: log, Exited: make(chan struct{})}
	var pipes [3][2]*os.File
	for i := range pipes {
		r, w, err := os.Pipe()
		if err != nil {
			for _, pipe := range pipes[:i] {
				_, _ = pipe[0].Close(), pipe[1].Close()
			}
			return nil, err
		}
		pipes[i] = [2]*os.File{r, w}
	}
	p.stdout, p.stderr, p.lifeline = pipes[0][0], pipes[1][0], pipes[2][1]
	p.theirs = []*os.File{pipes[0][1], pipes[1][1], pipes[2][0]}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = nil, pipes[0][1], pipes[1][1]
	cmd.ExtraFiles = []*os.File{pipes[2][0]} // file descriptor lifelineFD
	p.negotiate, p.relay = io.Pipe()
	return p, nil
}

// LifelineFD is the descriptor of the lifeline in the process: the first of exec.Cmd's ExtraFiles.
const LifelineFD = 3

// Start starts the process and watches it. One thread stays locked for the whole life of the process, because the system
// terminates the process when the thread that started it exits, and so when the host does.
func (p *Process) Start(context.Context) error {
	started := make(chan error)
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := p.start()
		started <- err
		if err == nil {
			p.watch()
		}
	}()
	return <-started
}

func (p *Process) start() error {
	err := p.launch()
	for _, f := range p.theirs {
		_ = f.Close()
	}
	if err != nil {
		p.closeOurs()
		close(p.Exited)
		return err
	}
	if err := p.Limits.limit(p.cmd.Process.Pid); err != nil {
		p.log.Log.Warn("the process cannot be limited", "error", err)
	}
	p.output.Go(func() { relayHandshake(p.stdout, p.relay, p.log) })
	p.output.Go(func() { eachLine(p.stderr, func(line string) { p.log.line("stderr", line) }) })
	return nil
}

var errDoomed = errors.New("the process is no longer needed")

// launch starts the process, unless it was killed before.
func (p *Process) launch() error {
	p.signals.Lock()
	defer p.signals.Unlock()
	if p.doomed {
		return errDoomed
	}
	return p.explainStart(p.cmd.Start())
}

// watch waits for the end of the process and closes its pipes.
func (p *Process) watch() {
	p.err = p.reap()
	timer := time.AfterFunc(pipeGrace, p.closeOurs)
	p.output.Wait()
	timer.Stop()
	p.closeOurs()
	close(p.Exited)
}

func (p *Process) closeOurs() {
	for _, f := range []*os.File{p.stdout, p.stderr, p.lifeline} {
		_ = f.Close()
	}
	_ = p.relay.Close()
}

// KillGroup kills the process and everything that it started in its group.
func (p *Process) KillGroup() {
	p.signals.Lock()
	defer p.signals.Unlock()
	p.doomed = true
	if p.cmd.Process != nil && !p.reaped {
		_ = syscall.Kill(-p.cmd.Process.Pid, syscall.SIGKILL)
	}
}

// reap waits for the end of the process and of its group.
func (p *Process) reap() error {
	if !awaitExit(p.cmd.Process.Pid) {
		err := p.cmd.Wait()
		p.signals.Lock()
		defer p.signals.Unlock()
		p.reaped = true
		return err
	}
	p.KillGroup()
	p.signals.Lock()
	defer p.signals.Unlock()
	p.reaped = true
	return p.cmd.Wait()
}

// Kill ends the process at once.
func (p *Process) Kill(context.Context) error {
	p.KillGroup()
	return nil
}

// Wait waits for the end of the process.
func (p *Process) Wait(context.Context) error {
	<-p.Exited
	return p.err
}

// Stdout returns a reader of the handshake. Everything else that the process prints is logged.
func (p *Process) Stdout() io.ReadCloser { return p.negotiate }

// Stderr returns an empty reader: standard error is logged.
func (p *Process) Stderr() io.ReadCloser { return io.NopCloser(strings.NewReader("")) }

// Name returns the path of the executable.
func (p *Process) Name() string { return p.cmd.Path }

// Dir returns the working directory of the process.
func (p *Process) Dir() string { return p.cmd.Dir }

// ID returns the process id, or "" before the start.
func (p *Process) ID() string {
	if p.cmd.Process == nil {
		return ""
	}
	return strconv.Itoa(p.cmd.Process.Pid)
}

// Diagnose adds nothing to what is logged.
func (p *Process) Diagnose(context.Context) string { return "" }

// PluginToHost checks the address at which the plugin says it listens. It must be a socket in its own directory, so that the
// plugin cannot send the host elsewhere.
func (p *Process) PluginToHost(network, address string) (string, string, error) {
	inside, err := filepath.Rel(p.dir, address)
	if network != "unix" || err != nil || !filepath.IsLocal(inside) {
		return "", "", fmt.Errorf("listens at %s %s; expected a unix socket in the directory of PLUGIN_UNIX_SOCKET_DIR", network, address)
	}
	return network, address, nil
}

// HostToPlugin returns the address unchanged: both sides see the same files.
func (p *Process) HostToPlugin(network, address string) (string, string, error) {
	return network, address, nil
}

// End waits for the end of the process, and returns how it ended and the last lines that it printed.
func (p *Process) End() string {
	<-p.Exited
	how := "exit status 0"
	var status *exec.ExitError
	if errors.As(p.err, &status) {
		how = status.Error()
	} else if p.err != nil {
		how = p.err.Error()
	}
	if tail := p.log.tail(); tail != "" {
		how += "; it printed: " + tail
	}
	return how
}
