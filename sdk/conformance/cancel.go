package conformance

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/dragoman-project/dragoman/sdk/session"
)

// Outputs are abandoned in rounds. What a process keeps of them adds up; what it merely has not collected yet does not.
const (
	givenUpAtOnce = 64
	givenUpRounds = 6
	givenUpPieces = 4
	// maxKept is how many bytes a process may grow by between the first round and the last: a third of its input.
	maxKept = (givenUpRounds - 1) * givenUpAtOnce * givenUpPieces * linesGivenUp * int64(len(proseLine)) / 3
	// forgetTime is how long a process has to notice that an output was abandoned.
	forgetTime = 100 * time.Millisecond
)

// pieceGivenUp is fed at once, 64 KiB.
var pieceGivenUp = []byte(strings.Repeat(proseLine, linesGivenUp))

const linesGivenUp = 1 << 10

// forgets abandons many outputs in their middle. An abandoned stream must take no more, and its process must not grow.
func (x *examination) forgets(ctx context.Context) error {
	p, err := x.streamed(ctx)
	if err != nil || p == nil {
		return err
	}
	process, err := x.open(ctx)
	if err != nil {
		return err
	}
	defer process.Close()
	h, err := process.find(x.handler.Describe().Name)
	if err != nil {
		return err
	}
	own, err := p.by(ctx, h)
	if err != nil {
		return err
	}
	var first int64
	for round := range givenUpRounds {
		if err := own.giveUpMany(ctx); err != nil {
			return err
		}
		time.Sleep(forgetTime)
		size, known := process.memory()
		if !known {
			return nil
		}
		if round == 0 {
			first = size
		}
		if grown := size - first; grown > maxKept {
			return fmt.Errorf("after %d outputs were abandoned in their middle, the process has grown by %d MiB", (round+1)*givenUpAtOnce, grown>>20)
		}
	}
	return nil
}

// streamed returns a plan of the handler that is a stream; nil if there is none.
func (x *examination) streamed(ctx context.Context) (*planned, error) {
	for _, c := range x.golden {
		p, err := planFor(ctx, x.handler, c)
		if err == nil && p.streams() {
			return p, nil
		}
		if err != nil && !answered(err) {
			return nil, fmt.Errorf("case %s: %w", c.ID, err)
		}
	}
	return nil, nil
}

// giveUpMany begins many outputs, and abandons all of them.
func (p *planned) giveUpMany(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var open []*session.Session
	for range givenUpAtOnce {
		s := p.plan.Session(ctx, session.Options{})
		for range givenUpPieces {
			if _, err := s.Feed(pieceGivenUp); err != nil {
				return err
			}
		}
		open = append(open, s)
	}
	cancel()
	for _, s := range open {
		if _, err := s.Feed(pieceGivenUp); err == nil {
			return errors.New("an abandoned output takes more")
		}
	}
	return nil
}

// memory returns the resident memory of the process in bytes, where the system provides it.
func (b *Binary) memory() (bytes int64, known bool) {
	process := b.client.ReattachConfig()
	if process == nil {
		return 0, false
	}
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", process.Pid))
	if err != nil {
		return 0, false
	}
	_, rest, _ := strings.Cut(string(status), "VmRSS:")
	size, _, _ := strings.Cut(strings.TrimSpace(rest), " kB")
	kib, err := strconv.ParseInt(size, 10, 64)
	return kib << 10, err == nil
}
