package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/dragoman-project/dragoman/client"
	"github.com/dragoman-project/dragoman/sdk/session"
)

// costs reports the processor time that daemons spend on a piece of four bytes, for each way of sending pieces. A daemon is a process
// of its own, so the time of the client is not part of it. The daemons are measured in turn, and of all rounds the least counts.
func costs(ctx context.Context, o options, dir folder) error {
	var daemons []*daemon
	names := strings.Split(o.daemon, ",")
	for _, name := range names {
		o.daemon = name
		d, err := startDaemon(ctx, o, dir)
		if err != nil {
			return err
		}
		daemons = append(daemons, d)
	}
	fmt.Printf("%-44s", "µs of processor time per piece")
	for _, name := range names {
		fmt.Printf(" %16s", filepath.Base(name))
	}
	fmt.Println()
	var err error
	for _, w := range ways {
		if !strings.Contains(w.name, o.way) {
			continue
		}
		least := make([]time.Duration, len(daemons))
		for range costRounds {
			for i, d := range daemons {
				spent, fault := w.cost(ctx, d, o.cost)
				if err = errors.Join(err, fault); least[i] == 0 || spent < least[i] {
					least[i] = spent
				}
			}
		}
		fmt.Printf("%-44s", w.name)
		for _, spent := range least {
			fmt.Printf(" %16.2f", float64(spent)/float64(time.Microsecond))
		}
		fmt.Println()
	}
	for _, d := range daemons {
		err = errors.Join(err, d.stop())
	}
	return err
}

// costRounds is how often each way is measured.
const costRounds = 5

// way is a way of sending pieces to a daemon.
type way struct {
	name    string
	outputs int  // at the same time
	alone   bool // a piece is sent when the answer to the one before has arrived
	// send sends the pieces of each output. It calls begin when what is not measured is over.
	send func(ctx context.Context, d *daemon, w way, pieces int, begin func()) error
}

var ways = []way{
	{"lines over HTTP/1.1, in a flow", 1, false, sendLines},
	{"lines over HTTP/1.1, one at a time", 1, true, sendLines},
	{"lines over HTTP/1.1, 32 outputs", 32, true, sendLines},
	{"lines over HTTP/2, in a flow", 1, false, sendLines},
	{"lines over HTTP/2, one at a time", 1, true, sendLines},
	{"a gRPC stream of its own, in a flow", 1, false, sendStream},
	{"a gRPC stream of its own, one at a time", 1, true, sendStream},
	{"gRPC streams of 32 outputs", 32, true, sendStream},
	{"a shared stream, 64 outputs", 64, true, sendShared},
	{"a shared stream, 512 outputs", 512, true, sendShared},
}

// cost returns the processor time of a daemon per piece.
func (w way) cost(ctx context.Context, d *daemon, pieces int) (time.Duration, error) {
	each := max(1, pieces/w.outputs)
	var before time.Duration
	err := w.send(ctx, d, w, each+1, func() { before = spent(d.cmd.Process.Pid) })
	return (spent(d.cmd.Process.Pid) - before) / time.Duration(each*w.outputs), err
}

// spent returns the processor time of a process, in user mode and in the kernel.
func spent(pid int) (sum time.Duration) {
	threads, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", pid))
	for _, path := range threads {
		data, err := os.ReadFile(path)
		fields := strings.Fields(string(data))
		if err != nil || len(fields) == 0 {
			continue
		}
		ns, _ := strconv.ParseInt(fields[0], 10, 64) // the kernel wrote it
		sum += time.Duration(ns)
	}
	return sum
}

const (
	costTemplate = "chatml-json"
	costPiece    = "word" // without white space, so that each piece is decided at once
)

// each runs a function for each output at the same time.
func (w way) each(run func() error) error {
	var g errgroup.Group
	for range w.outputs {
		g.Go(run)
	}
	return g.Wait()
}

// sendLines sends the pieces of each output as lines.
func sendLines(ctx context.Context, d *daemon, w way, pieces int, begin func()) error {
	c := &http.Client{Transport: &http.Transport{MaxConnsPerHost: 0, DisableCompression: true}}
	if strings.Contains(w.name, "HTTP/2") {
		c, _ = d.clients[0].HTTPClient()
	} else {
		defer c.CloseIdleConnections()
	}
	start, err := json.Marshal(map[string]any{"start": map[string]any{
		"template": costTemplate, "request": json.RawMessage(request), "options": map[string]any{"no_ids": true},
	}})
	if err != nil {
		return err
	}
	begin()
	return w.each(func() error { return w.lines(ctx, c, d.address, append(start, '\n'), pieces) })
}

// lines sends the pieces of an output as lines.
func (w way) lines(ctx context.Context, c *http.Client, address string, start []byte, pieces int) error {
	body, in := io.Pipe()
	arrived := make(chan struct{}, 1)
	go func() {
		line := []byte(`{"text":"` + costPiece + `"}` + "\n")
		out := bufio.NewWriter(in)
		if w.alone {
			out = bufio.NewWriterSize(in, 1)
		}
		_, err := out.Write(start)
		for i := 0; i < pieces && err == nil; i++ {
			if _, err = out.Write(line); w.alone {
				<-arrived
			}
		}
		in.CloseWithError(errors.Join(err, out.Flush()))
	}()
	defer in.Close()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+address+"/v1/parse/stream", io.NopCloser(body))
	if err != nil {
		return err
	}
	answer, err := c.Do(r)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	scan := bufio.NewScanner(answer.Body)
	scan.Buffer(nil, 64<<20)
	last := ""
	for scan.Scan() {
		if w.alone {
			select {
			case arrived <- struct{}{}:
			default:
			}
		}
		last = scan.Text()
	}
	if !strings.HasPrefix(last, `{"result"`) {
		return fmt.Errorf("the output ends with %.300q: %w", last, errors.Join(scan.Err(), errWrong))
	}
	return nil
}

var errWrong = errors.New("expected a result")

// sendStream opens a gRPC stream for each output.
func sendStream(ctx context.Context, d *daemon, w way, pieces int, begin func()) error {
	begin()
	return w.each(func() error {
		s, err := d.clients[0].ParseStream(ctx, costTemplate, request, client.NoIDs())
		if err != nil {
			return err
		}
		arrived := make(chan struct{}, 1)
		sent := make(chan error, 1)
		go func() {
			var err error
			for i := 0; i < pieces && err == nil; i++ {
				if err = s.Send(costPiece); w.alone {
					<-arrived
				}
			}
			sent <- errors.Join(err, s.CloseSend())
		}()
		for _, fault := range s.Chunks() {
			err = fault
			if w.alone {
				select {
				case arrived <- struct{}{}:
				default:
				}
			}
		}
		return errors.Join(err, <-sent)
	})
}

// sendShared sends a piece of each output at every step, all on one stream.
func sendShared(ctx context.Context, d *daemon, w way, pieces int, begin func()) error {
	streams, err := d.clients[0].ParseStreams(ctx)
	if err != nil {
		return err
	}
	defer streams.Close()
	step := &stepped{outputs: w.outputs, done: make(chan error, 1)}
	outputs := make([]*client.Sender, w.outputs)
	for i := range outputs {
		if outputs[i], err = streams.ParseInto(ctx, costTemplate, request, step, client.NoIDs(), client.Deltas()); err != nil {
			return err
		}
	}
	for i := range pieces {
		if i == 1 { // all have been planned
			begin()
		}
		streams.Together(func() {
			for _, o := range outputs {
				err = errors.Join(err, o.Send(costPiece))
			}
		})
		if err = errors.Join(err, <-step.done); err != nil {
			return err
		}
	}
	return nil
}

// stepped waits for an answer of each output. One goroutine calls it.
type stepped struct {
	outputs, got int
	done         chan error
}

// Chunk counts the answer to a piece. The first delta of an output has no text.
func (s *stepped) Chunk(delta json.RawMessage) {
	if !bytes.Contains(delta, []byte(costPiece)) {
		return
	}
	if s.got++; s.got == s.outputs {
		s.got = 0
		s.done <- nil
	}
}

// End reports the error of an output; those of outputs that are given up in the end remain unread.
func (s *stepped) End(_ *session.Result, err error) {
	select {
	case s.done <- err:
	default:
	}
}
