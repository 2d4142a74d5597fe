package chaos

import (
	"context"
	"math/rand/v2"
	"os"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/dragoman-project/dragoman/host"
)

// monkey causes random trouble.
type monkey struct {
	t       *testing.T
	host    *host.Host
	count   *tally
	random  *rand.Rand
	files   []file
	version int
}

// trouble is an action of the monkey; weight is its frequency.
type trouble struct {
	weight int
	make   func(*monkey)
}

// toProcesses and toFiles list the troubles. Each monkey causes one kind, so that neither kind
// waits for the other.
var (
	toProcesses = []trouble{
		{6, func(m *monkey) { m.signal(syscall.SIGKILL) }},
		{1, func(m *monkey) { m.signal(syscall.SIGSTOP) }},
	}
	toFiles = []trouble{
		{6, (*monkey).replace},
		{3, (*monkey).spoil},
		{1, (*monkey).remove},
		{1, (*monkey).reload},
	}
)

// run causes trouble until ctx ends.
func (m *monkey) run(ctx context.Context, troubles []trouble) {
	total := 0
	for _, trouble := range troubles {
		total += trouble.weight
	}
	for ctx.Err() == nil {
		n := m.random.IntN(total)
		for _, trouble := range troubles {
			if n -= trouble.weight; n < 0 {
				trouble.make(m)
				break
			}
		}
		nap(m.random, int(2**pause/time.Millisecond))
	}
}

func nap(random *rand.Rand, milliseconds int) {
	time.Sleep(time.Duration(random.IntN(milliseconds+1)) * time.Millisecond)
}

// signal sends a signal to a plugin process, of the version in force or of an older one.
func (m *monkey) signal(signal syscall.Signal) {
	var pids []int
	for _, p := range m.host.Plugins() {
		for highest := m.count.generations.Load(); int64(p.Generation) > highest; highest = m.count.generations.Load() {
			m.count.generations.CompareAndSwap(highest, int64(p.Generation))
		}
		pids = append(pids, p.PID)
		for _, d := range p.Draining {
			pids = append(pids, d.PID)
		}
	}
	pids = slices.DeleteFunc(pids, func(pid int) bool { return pid == 0 })
	if len(pids) == 0 || syscall.Kill(pids[m.random.IntN(len(pids))], signal) != nil {
		return // no process is running, or the chosen one has just ended
	}
	if signal == syscall.SIGKILL {
		m.count.kills.Add(1)
	} else {
		m.count.stops.Add(1)
	}
}

func (m *monkey) any() file { return m.files[m.random.IntN(len(m.files))] }

// replace writes another valid content.
func (m *monkey) replace() {
	f := m.any()
	m.version++
	m.check(f.write(m.random, f.good(m.version)))
	m.count.replacements.Add(1)
}

// spoil writes an invalid content and repairs it some time later.
func (m *monkey) spoil() {
	f := m.any()
	m.check(f.write(m.random, f.bad[m.random.IntN(len(f.bad))]))
	m.count.breakages.Add(1)
	nap(m.random, 500)
	m.version++
	m.check(f.write(m.random, f.good(m.version)))
}

// remove removes a file of a plugin and restores it some time later.
func (m *monkey) remove() {
	f := m.any()
	if !f.vital {
		return
	}
	m.check(os.Remove(f.path))
	m.count.breakages.Add(1)
	nap(m.random, 500)
	m.check(f.write(m.random, f.good(m.version)))
}

// reload reloads everything and ignores errors about files that are invalid at the moment.
func (m *monkey) reload() {
	_ = m.host.Reload(m.t.Context())
	m.count.reloads.Add(1)
}

// restore makes every file valid and waits until all are in force.
func (m *monkey) restore() {
	m.t.Helper()
	for _, f := range m.files {
		m.version++
		m.check(f.write(m.random, f.good(m.version)))
	}
	must(m.t, m.host.Reload(m.t.Context()))
}

func (m *monkey) check(err error) {
	if err != nil {
		m.t.Error(err)
	}
}
