//go:build unix

package jinja_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/dragoman-project/dragoman/autoparser/jinja"
)

const (
	attackVariable = "JINJA_TEST_ATTACK"
	attackMemory   = 1536 << 20 // address space of a child
	attackHang     = time.Minute
)

// Each attack runs in a process of its own, whose memory is limited: it must end there with a typed failure.
func TestAttacksEndWithTypedFailures(t *testing.T) {
	if name := os.Getenv(attackVariable); name != "" {
		runAttack(t, name)
		return
	}
	for _, a := range attacks() {
		t.Run(a.name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithTimeout(context.Background(), attackHang)
			defer cancel()
			cmd := exec.CommandContext(ctx, os.Args[0], "-test.run=^TestAttacksEndWithTypedFailures$")
			cmd.Env = append(os.Environ(), attackVariable+"="+a.name, "GOTRACEBACK=none")
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%v\n%.600s", err, out)
			}
		})
	}
}

// runAttack is the child.
func runAttack(t *testing.T, name string) {
	if !raceDetector {
		limit := unix.Rlimit{Cur: attackMemory, Max: attackMemory}
		if err := unix.Setrlimit(unix.RLIMIT_AS, &limit); err != nil {
			t.Fatal(err)
		}
	}
	i := slices.IndexFunc(attacks(), func(a attack) bool { return a.name == name })
	if i < 0 {
		t.Fatalf("there is no attack %q", name)
	}
	a := attacks()[i]
	err := attackOnce(t, a.template)
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
	ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
	defer cancel()
	out, err := tmpl.Render(ctx, decode(t, []byte(randomVars)), pinned)
	if err == nil {
		return fmt.Errorf("rendered %d bytes", len(out))
	}
	return err
}
