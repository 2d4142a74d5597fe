package plugins

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/dragoman-project/dragoman/host/plugins/process"
)

func TestAKilledProcessIsReplacedByTheNextPlan(t *testing.T) {
	t.Parallel()
	b, h := one(t, Options{}, nil)
	for i := range 8 { // more than the allowed number of consecutive failures
		process := pid(t, h)
		if err := syscall.Kill(process, syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		if after := pid(t, h); after == process {
			t.Fatalf("after kill %d, process %d still answers", i+1, process)
		}
	}
	if s := b.state("rogue"); s.Condition != Serving || s.Starts != 9 {
		t.Errorf("state %+v", s)
	}
}

func TestPlansUnderWayWhenTheProcessDiesAreRetried(t *testing.T) {
	_, h := one(t, Options{}, map[string]any{"Plan": "exit", "Once": filepath.Join(t.TempDir(), "once")})
	done := make(chan error)
	for range 50 {
		go func() { _, err := h.Plan(t.Context(), input()); done <- err }()
	}
	for range 50 {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
}

func TestAProcessThatHangsOrIsStoppedIsReplaced(t *testing.T) {
	t.Parallel()
	for _, how := range []string{"hang", "stop"} {
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			b, h := one(t, Options{CallTimeout: time.Second}, map[string]any{"Plan": how, "Once": filepath.Join(t.TempDir(), "once")})
			pid(t, h)
			if s := b.state("rogue"); s.Starts != 2 || !strings.Contains(s.LastError, "no answer within 1s") {
				t.Errorf("state %+v", s)
			}
		})
	}
}

func TestAStoppedProcessIsFoundByItsHealthCheck(t *testing.T) {
	t.Parallel()
	b, h := one(t, Options{HealthInterval: 20 * time.Millisecond, HealthTimeout: time.Second}, nil)
	process := pid(t, h)
	if err := syscall.Kill(process, syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the process is gone", func() bool { return !alive(process) })
	if s := b.state("rogue"); !strings.Contains(s.LastError, "health check") {
		t.Errorf("state %+v", s)
	}
	pid(t, h)
}

func TestAStoppedProcessDoesNotKeepTheManagerFromClosing(t *testing.T) {
	t.Parallel()
	b, h := one(t, Options{}, nil)
	process := pid(t, h)
	if err := syscall.Kill(process, syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	if err := b.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if alive(process) {
		t.Error("the process is still alive")
	}
}

// TestNoFileIsLeftOpen counts the open files of the test process after plugins have misbehaved.
func TestNoFileIsLeftOpen(t *testing.T) {
	open := func() int {
		all, err := os.ReadDir("/proc/self/fd")
		if err != nil {
			t.Skipf("this system does not list open files: %v", err)
		}
		return len(all)
	}
	b, h := one(t, Options{StartTimeout: 300 * time.Millisecond}, nil)
	pid(t, h)
	before := open()
	for range 5 {
		if err := syscall.Kill(pid(t, h), syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
	}
	for _, options := range []map[string]any{{"Start": "exit"}, {"Start": "hang"}, {"Version": "9.9.9"}, {"Start": "exit", "Child": true}} {
		b.manifest("rogue", "", options)
		if err := b.Load(b.dir); err == nil {
			t.Errorf("%v was not refused", options)
		}
	}
	pid(t, h)
	eventually(t, "no more files are open than before", func() bool { return open() <= before })
}

func TestAPluginThatNeverWorksStaysDownUntilItsFileChanges(t *testing.T) {
	t.Parallel()
	b, h := one(t, Options{}, map[string]any{"Start": "exit"})
	for range maxFailures {
		_, err := h.Plan(t.Context(), input())
		wantError[*Unavailable](t, err, "")
	}
	starts := b.state("rogue").Starts
	_, err := h.Plan(t.Context(), input())
	wantError[*Unavailable](t, err, "stays down until its file changes")
	wantError[*Unavailable](t, err, "exit status 7; it printed: no licence found")
	if s := b.state("rogue"); s.Condition != Down || s.Starts != starts {
		t.Errorf("state %+v", s)
	}
	b.manifest("rogue", "", nil)
	b.load()
	pid(t, b.handler("rogue"))
}

func TestFinalOutputThatIsNotUTF8CanBeReported(t *testing.T) {
	t.Parallel()
	b, h := one(t, Options{}, map[string]any{"Start": "garble"})
	_, err := h.Plan(t.Context(), input())
	wantError[*Unavailable](t, err, "it printed: caf\uFFFD é")
	if s := b.state("rogue"); !utf8.ValidString(err.Error()) || !utf8.ValidString(s.LastError) {
		t.Errorf("error %q, state %+v", err, s)
	}
}

func TestARequestThatKillsEveryProcessDoesNotTakeThePluginFromOthers(t *testing.T) {
	t.Parallel()
	b, h := one(t, Options{}, map[string]any{"Plan": "exit", "Only": "poison"})
	poison := input()
	poison.Template.Name = "poison"
	for range 1 + maxFailures/2 { // each kills two processes
		_, err := h.Plan(t.Context(), poison)
		wantError[*Unavailable](t, err, "cannot go on")
	}
	pid(t, h)
	if s := b.state("rogue"); s.Condition != Serving {
		t.Errorf("state %+v", s)
	}
}

func TestAPluginThatDiesOfEveryRequestStaysDown(t *testing.T) {
	t.Parallel()
	b, h := one(t, Options{}, map[string]any{"Plan": "exit"})
	var err error
	for i := range 2 * maxSuspects {
		in := input()
		in.Template.Name = fmt.Sprint("template", i)
		_, err = h.Plan(t.Context(), in)
		wantError[*Unavailable](t, err, "")
	}
	wantError[*Unavailable](t, err, "stays down until its file changes")
	if s := b.state("rogue"); s.Condition != Down || s.Restarts != s.Starts-1 {
		t.Errorf("state %+v", s)
	}
}

func TestADownPluginIsTriedAgainWhenItsFileIsTouched(t *testing.T) {
	t.Parallel()
	licence := filepath.Join(t.TempDir(), "once")
	if err := os.WriteFile(licence, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	b, h := one(t, Options{}, map[string]any{"Start": "exit", "Unless": licence + "2"})
	for b.state("rogue").Condition != Down {
		_, err := h.Plan(t.Context(), input())
		wantError[*Unavailable](t, err, "")
	}
	if err := os.Rename(licence, licence+"2"); err != nil {
		t.Fatal(err)
	}
	b.load()
	if s := b.state("rogue"); s.Condition != Down {
		t.Errorf("nothing has changed, but the plugin is %s", s.Condition)
	}
	if err := os.Chtimes(filepath.Join(b.dir, "rogue"), time.Time{}, time.Now().Add(time.Second)); err != nil {
		t.Fatal(err)
	}
	b.load()
	pid(t, b.handler("rogue"))
}

func TestAProcessThatDoesNotStartInTimeIsKilled(t *testing.T) {
	t.Parallel()
	_, h := one(t, Options{StartTimeout: 200 * time.Millisecond}, map[string]any{"Start": "hang"})
	_, err := h.Plan(t.Context(), input())
	wantError[*Unavailable](t, err, "timeout while waiting for plugin to start")
}

func TestFaultsOfAHandlerAreReportedAndDoNoHarm(t *testing.T) {
	t.Parallel()
	for plan, want := range map[string]string{"panic": "index out of range", "fail": "out of paper"} {
		b, h := one(t, Options{}, map[string]any{"Plan": plan, "Once": filepath.Join(t.TempDir(), "once")})
		_, err := h.Plan(t.Context(), input())
		wantError[*Fault](t, err, want)
		pid(t, h)
		if s := b.state("rogue"); s.Starts != 1 {
			t.Errorf("%s: state %+v", plan, s)
		}
	}
}

func TestWhatAPluginPrintsIsLoggedAndBlocksNothing(t *testing.T) {
	b, h := one(t, Options{}, map[string]any{"Start": "chatter", "Plan": "flood"})
	for range 5 {
		pid(t, h)
	}
	if logged := b.logs.String(); !strings.Contains(logged, "loading weights…") {
		t.Errorf("not logged: %.300s", logged)
	}
	if n := len(b.logs.String()); n > 10*process.MaxLine {
		t.Errorf("%d bytes are logged", n)
	}
}

func TestAPluginSeesNothingOfTheHost(t *testing.T) {
	t.Setenv("SECRET", "of the host")
	b, h := one(t, Options{}, map[string]any{"Plan": "surroundings"})
	seen := declined(t, h)
	for _, must := range []string{"stdin=true", "directory=" + filepath.Base(b.dir), "TMPDIR="} {
		if !strings.Contains(seen, must) {
			t.Errorf("%q is missing in\n%s", must, seen)
		}
	}
	for _, mustNot := range []string{"SECRET", "HOME="} {
		if strings.Contains(seen, mustNot) {
			t.Errorf("%q must not be in\n%s", mustNot, seen)
		}
	}
}

func TestGrandchildrenDieWithTheProcess(t *testing.T) {
	t.Parallel()
	for _, how := range []syscall.Signal{syscall.SIGKILL, syscall.SIGSTOP} {
		t.Run(how.String(), func(t *testing.T) {
			t.Parallel()
			b, h := one(t, Options{HealthInterval: 20 * time.Millisecond, HealthTimeout: time.Second}, map[string]any{"Plan": "child"})
			child, err := strconv.Atoi(declined(t, h))
			if err != nil {
				t.Fatal(err)
			}
			if err := syscall.Kill(b.state("rogue").PID, how); err != nil {
				t.Fatal(err)
			}
			eventually(t, "the grandchild is gone", func() bool { return !alive(child) })
		})
	}
}

func TestAnIdleProcessIsStoppedAndComesBack(t *testing.T) {
	t.Parallel()
	b, h := one(t, Options{HealthInterval: 20 * time.Millisecond, IdleTimeout: 50 * time.Millisecond}, nil)
	process := pid(t, h)
	eventually(t, "the process is gone", func() bool { return !alive(process) })
	if s := b.state("rogue"); s.Condition != Idle || s.LastError != "" {
		t.Errorf("state %+v", s)
	}
	pid(t, h)
}

func TestACallerThatGivesUpIsNotHeld(t *testing.T) {
	t.Parallel()
	_, h := one(t, Options{StartTimeout: 500 * time.Millisecond}, map[string]any{"Start": "hang"})
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if _, err := h.Plan(ctx, input()); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
}

// TestOrphans is the host that TestNoPluginOutlivesTheHost runs in a separate process and kills.
func TestOrphans(t *testing.T) {
	dir := os.Getenv("ORPHANS_DIR")
	if dir == "" {
		t.Skip("run by another test")
	}
	m, err := New(Options{RunDir: dir})
	if err != nil {
		t.Fatal(err)
	}
	if err := m.Load(os.Getenv("ORPHANS_PLUGINS")); err != nil {
		t.Fatal(err)
	}
	h, _ := m.Handler("rogue")
	if err := os.WriteFile(filepath.Join(dir, "pid"), []byte(strconv.Itoa(pid(t, h))), 0o600); err != nil {
		t.Fatal(err)
	}
	select {}
}

// TestNoPluginOutlivesTheHost kills a host whose plugin, running or stopped, has a child process.
func TestNoPluginOutlivesTheHost(t *testing.T) {
	for _, stopped := range []bool{false, true} {
		b := newBench(t, Options{})
		b.install("rogue", "", map[string]any{"Child": true})
		base, err := os.MkdirTemp("", "run")
		if err != nil {
			t.Fatal(err)
		}
		defer os.RemoveAll(base)
		host := exec.Command(os.Args[0], "-test.run=^TestOrphans$")
		host.Env = append(os.Environ(), "ORPHANS_DIR="+base, "ORPHANS_PLUGINS="+b.dir)
		if err := host.Start(); err != nil {
			t.Fatal(err)
		}
		defer host.Wait()
		process := 0
		eventually(t, "the host has a plugin", func() bool {
			text, err := os.ReadFile(filepath.Join(base, "pid"))
			process, _ = strconv.Atoi(string(text))
			return err == nil && process > 0
		})
		family := childrenOf(t, process)
		if len(family) != 1 {
			t.Errorf("the plugin has %d children", len(family))
		}
		if stopped {
			if err := syscall.Kill(process, syscall.SIGSTOP); err != nil {
				t.Fatal(err)
			}
			eventually(t, "the plugin is stopped", func() bool { return halted(process) })
		}
		if err := host.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		for _, p := range append(family, process) {
			eventually(t, "the plugin is gone", func() bool { return !alive(p) })
		}
	}
}

// halted reports whether every thread of a process is stopped.
func halted(pid int) bool {
	threads, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/stat", pid))
	for _, thread := range threads {
		if stat, err := os.ReadFile(thread); err == nil && !strings.Contains(string(stat), ") T ") {
			return false
		}
	}
	return err == nil
}

// childrenOf returns the child processes of parent.
func childrenOf(t *testing.T, parent int) (all []int) {
	t.Helper()
	tasks, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", parent))
	if err != nil {
		t.Fatal(err)
	}
	for _, task := range tasks {
		text, _ := os.ReadFile(task)
		for word := range strings.FieldsSeq(string(text)) {
			child, err := strconv.Atoi(word)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, child)
		}
	}
	return all
}

func TestOneRequestExplainsDeathsIfItWasThereEachTime(t *testing.T) {
	const poison, other, third = 1, 2, 3
	innocent := uint64(100)
	crowd := func(with ...uint64) (all []uint64) {
		for range 10 {
			innocent++
			all = append(all, innocent)
		}
		return append(all, with...)
	}
	for _, test := range []struct {
		name   string
		deaths [][]uint64
		few    bool
	}{
		{"none", nil, true},
		{"one in a crowd", [][]uint64{crowd(poison), crowd(poison), crowd(poison), crowd(poison)}, true},
		{"two by turns", [][]uint64{crowd(poison), crowd(other), crowd(other), crowd(poison)}, true},
		{"the same crowd", [][]uint64{{1, 2, 3, 4}, {1, 2, 3, 4}, {1, 2, 3, 4}}, true},
		{"no request was there", [][]uint64{{}, {}, {}}, true},
		{"three by turns", [][]uint64{{poison}, {other}, {third}}, false},
		{"always others", [][]uint64{crowd(), crowd(), crowd()}, false},
	} {
		var s suspects
		for i, requests := range test.deaths {
			for _, r := range requests {
				s.of(i).requests[r] = true
			}
		}
		if few := s.few(len(test.deaths)); few != test.few {
			t.Errorf("%s: few is %t", test.name, few)
		}
	}
}
