package load

import (
	"bufio"
	"bytes"
	"context"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

var (
	streams = flag.Int("load.streams", 8, "streams at the same time")
	pieces  = flag.Int("load.pieces", 12, "pieces of each output")
	outputs = flag.Int("load.outputs", 1, "outputs of each stream, one after the other")
	limit   = flag.Duration("load.p99", 0, "the most that the 99th percentile of the delay may be; 0: any")
)

// pace is the time between two pieces of an output: 30 a second.
const pace = time.Second / 30

// role tells a child process of the test what it is.
const role = "DRAGOMAN_LOAD_ROLE"

func TestMain(m *testing.M) {
	var err error
	switch os.Getenv(role) {
	case "engine":
		err = runEngine()
	case "gateway":
		err = runGateway(os.Args[1])
	default:
		os.Exit(m.Run())
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// TestTheGatewayUnderLoad compares the delays of pieces from an engine, which writes into each when it was sent, with the gateway and
// without it, and looks for what is left of the streams.
func TestTheGatewayUnderLoad(t *testing.T) {
	engine := start(t, "engine")
	gateway := start(t, "gateway", engine.url)
	gateway.load(t, "/v1/chat/completions", 2, 1) // fills what is built once
	before := gateway.measure(t)
	alone := engine.load(t, "/v1/completions", *streams, *outputs)
	delays := gateway.load(t, "/v1/chat/completions", *streams, *outputs)
	after := gateway.measure(t)
	for deadline := time.Now().Add(time.Minute); after.goroutines > before.goroutines && time.Now().Before(deadline); {
		time.Sleep(10 * time.Millisecond) // connections are being closed
		after = gateway.measure(t)
	}
	t.Logf("%d streams, %d pieces; delay median %v, 99%% %v, most %v; without the gateway %v, %v, %v", *streams, len(delays),
		share(delays, 0.5), share(delays, 0.99), share(delays, 1), share(alone, 0.5), share(alone, 0.99), share(alone, 1))
	t.Logf("the gateway took %v of processor time for a piece; before: %+v, after: %+v", (after.cpu-before.cpu)/time.Duration(max(len(delays), 1)), before, after)
	const slack = 4 << 20 // bytes: caches, memory for connections to be reused
	if after.goroutines > before.goroutines || after.heap > before.heap+slack {
		t.Errorf("left behind: %+v, before: %+v", after, before)
	}
	if p99 := share(delays, 0.99); *limit > 0 && p99 > *limit {
		t.Errorf("the 99th percentile of the delay is %v, expected %v at most", p99, *limit)
	}
}

// process is a child process that serves.
type process struct {
	url string
	in  io.Writer
	out *bufio.Scanner
}

// start starts a child process in a role, which prints its address first.
func start(t *testing.T, as string, args ...string) *process {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0], args...)
	cmd.Env, cmd.Stderr = append(os.Environ(), role+"="+as), os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = in.Close() // which ends it
		if err := cmd.Wait(); err != nil && t.Context().Err() == nil {
			t.Error(err)
		}
	})
	p := &process{in: in, out: bufio.NewScanner(out)}
	if !p.out.Scan() {
		t.Fatal("it does not start: ", p.out.Err())
	}
	p.url = p.out.Text()
	return p
}

// state is what a process holds.
type state struct {
	goroutines, heap int
	cpu              time.Duration // used so far
}

// measure asks the process for its state after a garbage collection, without idle connections.
func (p *process) measure(t *testing.T) (s state) {
	t.Helper()
	http.DefaultClient.CloseIdleConnections()
	if _, err := fmt.Fprintln(p.in, "measure"); err != nil || !p.out.Scan() {
		t.Fatal(err)
	}
	if _, err := fmt.Sscan(p.out.Text(), &s.goroutines, &s.heap, (*int64)(&s.cpu)); err != nil {
		t.Fatal(err)
	}
	return s
}

// load reads streams from a path, and returns the delays of their pieces, sorted.
func (p *process) load(t *testing.T, path string, streams, outputs int) []time.Duration {
	t.Helper()
	http.DefaultTransport.(*http.Transport).MaxIdleConnsPerHost = streams
	var all sync.WaitGroup
	delays := make([][]time.Duration, streams)
	for i := range streams {
		all.Go(func() {
			time.Sleep(pace * time.Duration(i) / time.Duration(streams)) // so that pieces do not come all at once
			for range outputs {
				got, err := p.read(t.Context(), path)
				if err != nil {
					t.Error(err)
					return
				}
				delays[i] = append(delays[i], got...)
			}
		})
	}
	all.Wait()
	together := slices.Concat(delays...)
	slices.Sort(together)
	if len(together) != streams*outputs**pieces {
		t.Errorf("%d pieces came of %d", len(together), streams*outputs**pieces)
	}
	return together
}

// read reads a stream, and returns the delay of each piece.
func (p *process) read(ctx context.Context, path string) (delays []time.Duration, err error) {
	body := `{"model":"m","stream":true,"prompt":"Hi","messages":[{"role":"user","content":"Hi"}],"max_tokens":` + strconv.Itoa(*pieces) + `}`
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, p.url+path, strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Content-Type", "application/json")
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	lines, done := bufio.NewScanner(res.Body), false
	for lines.Scan() {
		_, text, stamped := bytes.Cut(lines.Bytes(), []byte("@"))
		done = done || bytes.HasSuffix(lines.Bytes(), []byte("[DONE]"))
		if !stamped {
			continue
		}
		text, _, _ = bytes.Cut(text, []byte(";"))
		sent, err := strconv.ParseInt(string(text), 10, 64)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", lines.Bytes(), err)
		}
		delays = append(delays, time.Duration(time.Now().UnixNano()-sent))
	}
	if !done {
		return nil, fmt.Errorf("status %d, the stream broke off: %w", res.StatusCode, lines.Err())
	}
	return delays, nil
}

// share returns the delay that a share of all does not exceed.
func share(sorted []time.Duration, of float64) time.Duration {
	if len(sorted) == 0 {
		return 0
	}
	return sorted[int(of*float64(len(sorted)-1))].Round(10 * time.Microsecond)
}
