package plugins

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

// pipeGrace is how long output is awaited after the end of a process. A grandchild may keep the pipe open for ever.
const pipeGrace = 200 * time.Millisecond

// process is one run of an executable, in its own process group. It is what go-plugin calls a runner.
type process struct {
	*Confinement
	cmd    *exec.Cmd
	dir    string // private: the only place where its sockets may be
	log    *lineLog
	stdout *os.File // our ends
	stderr *os.File
	// lifeline closes when the host ends, and the process then ends itself.
	lifeline *os.File
	theirs   []*os.File // ends of the process, closed once it has started

	negotiate *io.PipeReader // the handshake, for go-plugin
	relay     *io.PipeWriter
	output    sync.WaitGroup // of what reads the pipes
	exited    chan struct{}  // closed when the process has ended
	err       error          // how, valid then

	signals sync.Mutex
	doomed  bool // it was to end before it had started
	reaped  bool // its id may belong to somebody else
}

var _ runner.Runner = (*process)(nil)

// newProcess prepares a run of cmd.
func newProcess(cmd *exec.Cmd, c *Confinement, dir string, log *lineLog) (*process, error) {
	attributes, err := c.attributes()
	if err != nil {
		return nil, err
	}
	cmd.SysProcAttr = attributes
	p := &process{Confinement: c, cmd: cmd, dir: dir, log: log, exited: make(chan struct{})}
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

// lifelineFD is the number of the first of exec.Cmd's ExtraFiles in the process.
const lifelineFD = 3

// Start starts the process and watches over it. One thread is kept for the whole life of the process, because the system
// tells the process to end when the thread that started it is gone, and so when the host is.
func (p *process) Start(context.Context) error {
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

func (p *process) start() error {
	err := p.launch()
	for _, f := range p.theirs {
		_ = f.Close()
	}
	if err != nil {
		p.closeOurs()
		close(p.exited)
		return err
	}
	if err := p.Limits.limit(p.cmd.Process.Pid); err != nil {
		p.log.log.Warn("the process cannot be limited", "error", err)
	}
	p.output.Go(func() { relayHandshake(p.stdout, p.relay, p.log) })
	p.output.Go(func() { eachLine(p.stderr, func(line string) { p.log.line("stderr", line) }) })
	return nil
}

var errDoomed = errors.New("it is not needed any more")

// launch starts the process, unless it was to end before.
func (p *process) launch() error {
	p.signals.Lock()
	defer p.signals.Unlock()
	if p.doomed {
		return errDoomed
	}
	return p.explainStart(p.cmd.Start())
}

// watch waits for the end of the process and closes its pipes.
func (p *process) watch() {
	p.err = p.reap()
	timer := time.AfterFunc(pipeGrace, p.closeOurs)
	p.output.Wait()
	timer.Stop()
	p.closeOurs()
	close(p.exited)
}

func (p *process) closeOurs() {
	for _, f := range []*os.File{p.stdout, p.stderr, p.lifeline} {
		_ = f.Close()
	}
	_ = p.relay.Close()
}

// killGroup ends the process and all that it started in its group, however they are.
func (p *process) killGroup() {
	p.signals.Lock()
	defer p.signals.Unlock()
	p.doomed = true
	if p.cmd.Process != nil && !p.reaped {
		_ = syscall.Kill(-p.cmd.Process.Pid, syscall.SIGKILL)
	}
}

// reap waits for the end of the process and of its group.
func (p *process) reap() error {
	if !awaitExit(p.cmd.Process.Pid) {
		err := p.cmd.Wait()
		p.signals.Lock()
		defer p.signals.Unlock()
		p.reaped = true
		return err
	}
	p.killGroup()
	p.signals.Lock()
	defer p.signals.Unlock()
	p.reaped = true
	return p.cmd.Wait()
}

// Kill ends the process at once.
func (p *process) Kill(context.Context) error {
	p.killGroup()
	return nil
}

// Wait waits for the end of the process.
func (p *process) Wait(context.Context) error {
	<-p.exited
	return p.err
}

// Stdout gives the handshake, and nothing else of what the process prints.
func (p *process) Stdout() io.ReadCloser { return p.negotiate }

// Stderr gives nothing: it is logged here.
func (p *process) Stderr() io.ReadCloser { return io.NopCloser(strings.NewReader("")) }

// Name is the path of the executable.
func (p *process) Name() string { return p.cmd.Path }

// ID is the process id, or empty before the start.
func (p *process) ID() string {
	if p.cmd.Process == nil {
		return ""
	}
	return strconv.Itoa(p.cmd.Process.Pid)
}

// Diagnose has nothing to add to what is logged.
func (p *process) Diagnose(context.Context) string { return "" }

// PluginToHost checks the address at which the plugin says it listens: a socket in its own directory, so that it cannot
// send the host elsewhere.
func (p *process) PluginToHost(network, address string) (string, string, error) {
	inside, err := filepath.Rel(p.dir, address)
	if network != "unix" || err != nil || !filepath.IsLocal(inside) {
		return "", "", fmt.Errorf("it listens at %s %s, expected a unix socket in the directory of PLUGIN_UNIX_SOCKET_DIR", network, address)
	}
	return network, address, nil
}

// HostToPlugin changes nothing: both sides see the same files.
func (p *process) HostToPlugin(network, address string) (string, string, error) {
	return network, address, nil
}

// end says how the process ended, with the last that it printed; it waits for the end.
func (p *process) end() string {
	<-p.exited
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
