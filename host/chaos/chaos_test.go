package chaos

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/dragoman-project/dragoman/host"
	"github.com/dragoman-project/dragoman/host/config"
	"github.com/dragoman-project/dragoman/internal/shared"
)

var (
	duration = flag.Duration("chaos.time", 6*time.Second, "duration of the trouble")
	crowd    = flag.Int("chaos.sessions", 500, "number of concurrent sessions")
	pause    = flag.Duration("chaos.pause", 100*time.Millisecond, "mean time between two troubles of one kind")
	seed     = flag.Uint64("chaos.seed", uint64(time.Now().UnixNano()), "seed of what happens; when it happens depends on the machine")
)

// built is the folder of the plugins' executables.
var built string

func TestMain(m *testing.M) {
	flag.Parse()
	os.Exit(func() int {
		var err error
		if built, err = os.MkdirTemp("", "chaos"); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		defer os.RemoveAll(built)
		for name, pkg := range map[string]string{"functionary": "../../plugins/functionary/cmd/functionary", "frames": "./testdata/frames"} {
			build := exec.Command("go", "build", "-o", filepath.Join(built, name), pkg)
			if out, err := build.CombinedOutput(); err != nil {
				fmt.Fprintf(os.Stderr, "go build: %v\n%s", err, out)
				return 1
			}
		}
		code := m.Run()
		if err := goleak.Find(); code == 0 && err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		return code
	}())
}

// tally counts what has happened.
type tally struct {
	sessions, bytes, refused, wrong, lost          atomic.Int64
	kills, stops, replacements, breakages, reloads atomic.Int64
	generations                                    atomic.Int64 // the highest process generation seen
}

// enough reports whether enough has happened for the test to be meaningful.
func (c *tally) enough() bool {
	return c.sessions.Load() > 0 && c.kills.Load() > 2 && c.replacements.Load() > 2 && c.breakages.Load() > 0
}

func (c *tally) String() string {
	return fmt.Sprintf("sessions=%d bytes=%d kills=%d stops=%d replacements=%d breakages=%d reloads=%d processes=%d refused=%d lost=%d wrong=%d",
		c.sessions.Load(), c.bytes.Load(), c.kills.Load(), c.stops.Load(), c.replacements.Load(), c.breakages.Load(), c.reloads.Load(),
		c.generations.Load(), c.refused.Load(), c.lost.Load(), c.wrong.Load())
}

func TestNoSessionIsHurtByWhateverHappensAroundIt(t *testing.T) {
	shared.Slow(t)
	t.Logf("seed %d, %v, %d sessions", *seed, *duration, *crowd)
	dir := newFolder(t)
	h := start(t, dir)
	talks := prepare(t, h)

	count := new(tally)
	over, end := context.WithCancel(t.Context())
	defer end()
	time.AfterFunc(*duration, func() {
		for !count.enough() { // the machine may be busy
			time.Sleep(50 * time.Millisecond)
		}
		end()
	})
	var crowded sync.WaitGroup
	for i := range *crowd {
		s := &speaker{t: t, host: h, talks: talks, count: count, random: rand.New(rand.NewPCG(*seed, uint64(i)))}
		crowded.Go(func() { s.talk(over) })
	}
	files := dir.files(t)
	monkeyOf := func(n uint64) *monkey {
		return &monkey{t: t, host: h, files: files, count: count, random: rand.New(rand.NewPCG(*seed, n<<32))}
	}
	crowded.Go(func() { monkeyOf(1).run(over, toProcesses) })
	second := monkeyOf(2)
	second.run(over, toFiles)
	crowded.Wait()

	second.restore()
	once := &speaker{t: t, host: h, talks: talks, count: count, random: rand.New(rand.NewPCG(*seed, 4<<32)), calm: true}
	for _, one := range talks {
		once.say(t.Context(), one)
	}
	var memory runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&memory)
	t.Logf("%v heap=%dMB", count, memory.HeapAlloc>>20)
	if count.wrong.Load() > 0 || count.lost.Load() > 0 {
		t.Errorf("%d outputs are wrong and %d are lost; -chaos.seed=%d may reproduce it", count.wrong.Load(), count.lost.Load(), *seed)
	}
}

// start starts a host on the folder, with a short timeout for plugins that hang.
func start(t *testing.T, dir folder) *host.Host {
	t.Helper()
	cfg := config.Default()
	cfg.Templates.Dir, cfg.Workarounds.File, cfg.Plugins.Dir = dir.templates(), dir.rules(), dir.plugins()
	cfg.Templates.Handlers = map[string]string{"recipients": "functionary", "frames": "frames"}
	cfg.Plugins.CallTime = 2 * time.Second
	h, err := host.New(t.Context(), host.Options{Config: cfg})
	must(t, err)
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		must(t, h.Close(ctx))
	})
	return h
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
