package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/dragoman-project/dragoman/internal/shared"
)

var (
	attackAll   = flag.Bool("attack", false, "make all attacks, not only the short form")
	attackP99   = flag.Duration("attack-p99", 0, "fail if the 99th percentile of another client's latency during an attack exceeds this; 0: never")
	attackTimes = flag.Int("attack-times", 1, "how often each attack is made at once")
)

// What one attack may cost the daemon.
const (
	mostTime   = 2 * time.Second // of all processors
	mostMemory = 512 << 20
)

// busy is how much more time the short form allows: other tests run beside it, and compete for caches. What it is to catch costs a
// minute.
const busy = 5

// TestNoRequestCostsMoreThanItsShare sends each attack to a daemon, which measures what it costs, while another client goes on.
func TestNoRequestCostsMoreThanItsShare(t *testing.T) {
	shared.Slow(t)
	binary := buildDaemon(t)
	start := func() *victim { return startVictim(t, binary) }
	most := mostTime * time.Duration(*attackTimes)
	if !*attackAll {
		most *= busy
	}
	v := start()
	for _, a := range attacks() {
		if !*attackAll && !a.short {
			continue
		}
		t.Run(a.name, func(t *testing.T) {
			if v.spent {
				v = start()
			}
			if a.prepare.path != "" {
				v.post(t.Context(), t, a.prepare)
			}
			cost := v.attack(t, a.send)
			t.Logf("%d bytes: %v", len(a.send.body), cost)
			if want := a.status; want != 0 && cost.status != want {
				t.Errorf("status %d, want %d: %s", cost.status, want, cost.answer)
			}
			if cost.time > most || cost.memory > mostMemory*(*attackTimes) {
				t.Errorf("it costs %v", cost)
				v.spent = true
				v.stop()
			}
			if *attackP99 > 0 && cost.p99 > *attackP99 {
				t.Errorf("another client waits %v, want at most %v", cost.p99, *attackP99)
			}
		})
	}
}

// TestWorkEndsWithItsClient measures what a request costs after its client has left.
func TestWorkEndsWithItsClient(t *testing.T) {
	shared.Slow(t)
	v := startVictim(t, buildDaemon(t))
	for _, a := range attacks() {
		if !a.long {
			continue
		}
		ctx, leave := context.WithTimeout(t.Context(), 30*time.Millisecond)
		v.post(ctx, t, a.send)
		leave()
		before := v.processorTime(t)
		if after := v.rested(t) - before; after > mostAfter {
			t.Errorf("%s: it costs %v after the client has left", a.name, after)
		}
	}
}

// mostAfter is the processor time that a request may still cost after its client has left: what lies between two looks at its context,
// and the collection of its garbage. Half of these attacks cost more than twice of it if nobody looks.
const mostAfter = 150 * time.Millisecond

// rested waits until the daemon does next to nothing, for long enough that it was not merely waiting for a processor, and returns the
// processor time that it has used.
func (v *victim) rested(t *testing.T) time.Duration {
	t.Helper()
	const (
		pause = 100 * time.Millisecond
		idle  = 10 * time.Millisecond
		times = 5
	)
	used := v.processorTime(t)
	for quiet, rounds := 0, 0; quiet < times && rounds < 300; rounds++ {
		time.Sleep(pause)
		now := v.processorTime(t)
		if quiet++; now-used > idle {
			quiet = 0
		}
		used = now
	}
	return used
}

// TestTheDaemonEndsUnderAttack ends a daemon while it is busy with the attacks that take longest: within its time of grace, and not by
// force.
func TestTheDaemonEndsUnderAttack(t *testing.T) {
	shared.Slow(t)
	const grace = 10 * time.Second
	v := startVictim(t, buildDaemon(t), "--shutdown-grace", grace.String())
	var busy sync.WaitGroup
	defer busy.Wait()
	for _, a := range attacks() {
		if a.long {
			busy.Go(func() { v.post(t.Context(), t, a.send) })
		}
	}
	time.Sleep(100 * time.Millisecond)
	began := time.Now()
	if err := syscall.Kill(v.pid, syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := v.ended(); err != nil {
		t.Errorf("the daemon ends with %v", err)
	}
	took := time.Since(began)
	t.Logf("it ends after %v", took)
	if took > grace+busyExtra {
		t.Errorf("the daemon ends after %v, and has %v", took, grace)
	}
}

// busyExtra is how much longer than its time of grace a daemon may take on a busy machine.
const busyExtra = 5 * time.Second

// TestTemplatesPutInALoopAreBounded puts templates under ever new names, as an operator and as a client.
func TestTemplatesPutInALoopAreBounded(t *testing.T) {
	shared.Slow(t)
	v := startVictim(t, buildDaemon(t), "--limits-templates", "50")
	before, memory := v.processorTime(t), resident(v.pid)
	refused := 0
	filler := strings.Repeat("{# x #}", 10_000)
	for i := range 150 {
		status, answer := v.post(t.Context(), t, put(fmt.Sprint("t", i), "{% for m in messages %}{{ m.content }}{% endfor %}"+filler+fmt.Sprint(i)))
		if status == http.StatusRequestEntityTooLarge && strings.Contains(answer, "limits.templates") {
			refused++
		}
	}
	if refused != 100 {
		t.Errorf("%d templates are refused, want 100", refused)
	}
	if cost, more := v.processorTime(t)-before, resident(v.pid)-memory; cost > 10*time.Second || more > mostMemory {
		t.Errorf("it costs %v and %d MB", cost, more>>20)
	}
}

// victim is the daemon's process.
type victim struct {
	pid   int
	base  string
	stop  func()
	ended func() error // waits until it has ended
	spent bool         // an attack may still cost it something
}

// buildDaemon builds the daemon and, in the folder plugins beside it, the plugin of this test.
func buildDaemon(t *testing.T) string {
	binary := filepath.Join(t.TempDir(), "dragoman")
	plugin := filepath.Join(pluginsOf(binary), "soakplugin")
	for to, of := range map[string]string{binary: "../cmd/host", plugin: "./plugin"} {
		if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", to, of).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	manifest, err := os.ReadFile("plugin/soakplugin.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(plugin+".yaml", manifest, 0o644); err != nil {
		t.Fatal(err)
	}
	return binary
}

// pluginsOf returns the folder of the plugins for a daemon.
func pluginsOf(binary string) string { return filepath.Join(filepath.Dir(binary), "plugins") }

// startVictim starts a daemon.
func startVictim(t *testing.T, binary string, flags ...string) *victim {
	cmd := exec.Command(binary, append([]string{"serve", "--listen", "127.0.0.1:0", "--log-format", "json", "--plugins", pluginsOf(binary), "--state-dir", t.TempDir()}, flags...)...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	out, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	address, drained := make(chan string, 1), make(chan struct{})
	go func() {
		defer close(drained)
		follow(out, io.Discard, address)
	}()
	ended := sync.OnceValue(func() error {
		<-drained
		return cmd.Wait()
	})
	stop := func() {
		_ = cmd.Process.Kill() // it may have ended
		_ = ended()
	}
	t.Cleanup(stop)
	select {
	case a := <-address:
		v := &victim{pid: cmd.Process.Pid, base: "http://" + a, stop: stop, ended: ended}
		v.post(t.Context(), t, other) // what is built once is not the attack's cost
		return v
	case <-drained:
		t.Fatal("the daemon exited")
	}
	return nil
}

// message is a request to the daemon.
type message struct {
	path string
	body []byte
}

// post sends a request and returns the status and the beginning of the answer.
func (v *victim) post(ctx context.Context, t *testing.T, m message) (int, string) {
	ctx, leave := context.WithTimeout(ctx, 8*time.Second)
	defer leave()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, v.base+"/dragoman.v1."+m.path, bytes.NewReader(m.body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, err.Error()
	}
	defer resp.Body.Close()
	begin, _ := io.ReadAll(io.LimitReader(resp.Body, 300))
	_, _ = io.Copy(io.Discard, resp.Body)
	return resp.StatusCode, string(begin)
}

// cost is what an attack costs.
type cost struct {
	status int
	answer string
	time   time.Duration // of processors
	took   time.Duration
	memory int           // bytes more than before, at most
	p99    time.Duration // of another client's requests
}

func (c cost) String() string {
	return fmt.Sprintf("%d after %v, %v of processors, %d MB, p99 %v", c.status, c.took.Round(time.Millisecond), c.time, c.memory>>20, c.p99.Round(time.Millisecond/10))
}

// attack measures an attack, and what follows it.
func (v *victim) attack(t *testing.T, m message) (c cost) {
	ctx, calm := context.WithCancel(t.Context())
	latency := make(chan histogram)
	go func() { latency <- v.meanwhile(ctx, t) }()
	peak := make(chan int)
	go func() { peak <- v.peak(ctx) }()
	before, memory, began := v.processorTime(t), resident(v.pid), time.Now()
	done := make(chan struct{})
	for range *attackTimes {
		go func() {
			c.status, c.answer = v.post(t.Context(), t, m)
			done <- struct{}{}
		}()
	}
	for range *attackTimes {
		<-done
	}
	c.took = time.Since(began)
	time.Sleep(200 * time.Millisecond) // what goes on after the answer counts, too
	calm()
	others := <-latency
	c.time, c.p99 = v.processorTime(t)-before, others.quantile(0.99)
	c.memory = max(0, <-peak-memory)
	return c
}

// meanwhile sends the requests of another client until ctx ends, and returns how long they take.
func (v *victim) meanwhile(ctx context.Context, t *testing.T) (took histogram) {
	for ctx.Err() == nil {
		began := time.Now()
		v.post(ctx, t, other)
		took.add(time.Since(began))
		time.Sleep(20 * time.Millisecond)
	}
	return took
}

// peak returns the largest resident memory until ctx ends.
func (v *victim) peak(ctx context.Context) (most int) {
	for ctx.Err() == nil {
		most = max(most, resident(v.pid))
		time.Sleep(10 * time.Millisecond)
	}
	return most
}

// processorTime returns the time that all processors have spent on the daemon.
func (v *victim) processorTime(t *testing.T) time.Duration {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", v.pid))
	if err != nil {
		t.Fatal(err)
	}
	fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+2:]))
	var user, system int64
	if _, err := fmt.Sscan(fields[11]+" "+fields[12], &user, &system); err != nil {
		t.Fatal(err)
	}
	return time.Duration(user+system) * time.Second / 100
}
