package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/dragoman-project/dragoman/client"
	dragomanv1 "github.com/dragoman-project/dragoman/sdk/proto/dragoman/v1"
	"github.com/dragoman-project/dragoman/sdk/proto/dragoman/v1/dragomanv1connect"
)

// daemon is the process under test.
type daemon struct {
	cmd     *exec.Cmd
	log     io.Closer
	drained chan struct{} // closed at the end of its log
	address string
	clients []*client.Client
	via     []opener // the connections for outputs
}

// startDaemon starts the daemon and connects to it.
func startDaemon(ctx context.Context, o options, dir folder) (*daemon, error) {
	d := &daemon{drained: make(chan struct{})}
	// In a process group of its own the daemon gets no signals from the terminal; this process stops it.
	d.cmd = exec.CommandContext(context.WithoutCancel(ctx), o.daemon, "serve", "--listen", "127.0.0.1:0", "--log-format", "json",
		"--templates", dir.templates(), "--workarounds", dir.rules(), "--plugins", dir.plugins())
	d.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	log, err := os.Create(o.logFile(dir))
	if err != nil {
		return nil, err
	}
	d.log = log
	out, err := d.cmd.StderrPipe()
	if err != nil {
		return nil, err
	}
	if err := d.cmd.Start(); err != nil {
		return nil, fmt.Errorf("%w; build it with make build", err)
	}
	address := make(chan string, 1)
	go func() {
		defer close(d.drained)
		follow(out, log, address)
	}()
	select {
	case d.address = <-address:
	case <-d.drained:
		return nil, fmt.Errorf("the daemon exited: %w; see its log (-log FILE)", d.cmd.Wait())
	}
	return d, d.connect(ctx, o)
}

// connect opens the connections for outputs.
func (d *daemon) connect(ctx context.Context, o options) error {
	for range o.conns {
		c := client.New("http://"+d.address, client.Options{})
		d.clients = append(d.clients, c)
		if o.each {
			d.via = append(d.via, each{c})
			continue
		}
		streams, err := c.ParseStreams(context.WithoutCancel(ctx))
		if err != nil {
			return err
		}
		d.via = append(d.via, streams)
	}
	return nil
}

func (o options) logFile(dir folder) string {
	if o.log != "" {
		return o.log
	}
	return filepath.Join(string(dir), "log")
}

// follow copies the log, and sends the address that the daemon listens on.
func follow(from io.Reader, to io.Writer, address chan<- string) {
	lines := bufio.NewScanner(from)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		fmt.Fprintln(to, lines.Text())
		var line struct{ Msg, Address string }
		if json.Unmarshal(lines.Bytes(), &line) == nil && line.Msg == "listening" {
			address <- line.Address
		}
	}
}

// status returns the daemon's status.
func (d *daemon) status(ctx context.Context) (*dragomanv1.GetStatusResponse, error) {
	http, base := d.clients[0].HTTPClient()
	return dragomanv1connect.NewAdminServiceClient(http, base).GetStatus(ctx, &dragomanv1.GetStatusRequest{})
}

// watch samples the daemon's memory every second until end is closed.
func (d *daemon) watch(t *tally, end <-chan struct{}) {
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		select {
		case <-end:
			return
		case <-tick.C:
			t.sample(resident(d.cmd.Process.Pid))
		}
	}
}

// resident returns the resident memory of a process in bytes, or 0 if it is unknown.
func resident(pid int) int {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", pid))
	fields := strings.Fields(string(data))
	if err != nil || len(fields) < 2 {
		return 0
	}
	pages, err := strconv.Atoi(fields[1])
	if err != nil {
		return 0
	}
	return pages * os.Getpagesize()
}

// stop terminates the daemon as a supervisor would, and waits for it.
func (d *daemon) stop() error {
	var err error
	for _, v := range d.via {
		if streams, ok := v.(*client.Streams); ok {
			streams.Close()
		}
	}
	for _, c := range d.clients {
		c.Close()
	}
	err = errors.Join(err, d.cmd.Process.Signal(syscall.SIGTERM))
	<-d.drained
	if fault := d.cmd.Wait(); fault != nil {
		err = errors.Join(err, fmt.Errorf("the daemon: %w", fault))
	}
	return errors.Join(err, d.log.Close())
}
