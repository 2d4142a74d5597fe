//go:build unix

package jinja_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/dragoman-project/dragoman/autoparser/jinja"
)

const (
	attackVariable = "JINJA_TEST_ATTACKS" // lists the attacks of a child process
	attackMemory   = 1536 << 20           // address space of a child process
	attackHang     = 2 * time.Minute
)

// attackChildren is the number of processes that share the attacks: one for each attack, so that none starts with the heap of
// another. Under the race detector, processes are slow to start and have no limit.
func attackChildren() int {
	if raceDetector {
		return 4
	}
	return len(attacks())
}

// The attacks run in processes whose memory is limited: each must end there with a typed failure.
func TestAttacksEndWithTypedFailures(t *testing.T) {
	if share, err := strconv.Atoi(os.Getenv(attackVariable)); err == nil {
		runAttacks(t, share)
		return
	}
	for share := range attackChildren() {
		t.Run(attacks()[share].name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithTimeout(context.Background(), attackHang)
			defer cancel()
			cmd := exec.CommandContext(ctx, os.Args[0], "-test.run=^TestAttacksEndWithTypedFailures$", "-test.v")
			cmd.Env = append(os.Environ(), attackVariable+"="+strconv.Itoa(share), "GOTRACEBACK=none")
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%v\n%.2000s", err, out)
			}
		})
	}
}

// runAttacks runs the attacks of a child process.
func runAttacks(t *testing.T, share int) {
	if !raceDetector {
		limit := unix.Rlimit{Cur: attackMemory, Max: attackMemory}
		if err := unix.Setrlimit(unix.RLIMIT_AS, &limit); err != nil {
			t.Fatal(err)
		}
	}
	for i, a := range attacks() {
		if i%attackChildren() == share {
			t.Run(a.name, func(t *testing.T) { a.mustEnd(t, attackOnce(t, a.template)) })
		}
	}
}

func (a attack) mustEnd(t *testing.T, err error) {
	t.Helper()
	var e *jinja.Error
	switch {
	case err == nil:
		t.Errorf("rendered")
	case !errors.As(err, &e):
		t.Errorf("%v is not an *Error", err)
	case !slices.Contains(a.ends, e.Kind) || e.Class == "InternalError":
		t.Errorf("ended with %s: %.300s", e.Kind, e)
	case e.Kind == jinja.Deadline && !errors.Is(err, context.DeadlineExceeded):
		t.Errorf("%v does not wrap the error of the context", err)
	}
}

func attackOnce(t *testing.T, template string) error {
	tmpl, err := jinja.Compile("attack", template, jinja.Options{})
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	out, err := tmpl.Render(ctx, decode(t, []byte(randomVars)), pinned)
	if err == nil {
		return fmt.Errorf("rendered %d bytes", len(out))
	}
	return err
}
