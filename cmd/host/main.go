// Command host is Dragoman's command line: the daemon, and the same work on files. `make build` names it bin/dragoman, for
// host is the DNS look-up tool.
//
// This package holds flags, help texts and exit codes. What a command does is in package host and below.
//
// Exit codes: 0 success, 1 failure (a failed case, a faulty file), 2 a wrong command line, 130 interrupted.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
)

// version is set by the linker.
var version = "unknown"

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal kills the process
	code := run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// The exit codes.
const (
	exitOK = iota
	exitFailed
	exitUsage
	exitInterrupted = 130
)

// run executes a command line and returns the exit code.
func run(ctx context.Context, args []string, in io.Reader, out, errs io.Writer) int {
	stdout := &checkedWriter{Writer: out}
	root := newRoot(stdout)
	root.SetArgs(args)
	root.SetIn(interruptible(ctx, in))
	root.SetErr(errs)
	cmd, err := root.ExecuteContextC(ctx)
	var usage *usageError
	switch {
	case stdout.fault != nil:
		fmt.Fprintf(errs, "dragoman: standard output: %v\n", stdout.fault)
	case err == nil:
		return exitOK
	case ctx.Err() != nil && (errors.Is(err, context.Canceled) || errors.Is(err, errFailed)):
		fmt.Fprintln(errs, "dragoman: interrupted")
		return exitInterrupted
	case errors.As(err, &usage):
		fmt.Fprintf(errs, "dragoman: %v\nTry '%s --help'.\n", err, cmd.CommandPath())
		return exitUsage
	case !errors.Is(err, errFailed):
		fmt.Fprintf(errs, "dragoman: %v\n", err)
	}
	return exitFailed
}

// errFailed fails a command that has printed the reason itself.
var errFailed = errors.New("failed")

// usageError is a mistake in the command line.
type usageError struct{ err error }

func (e *usageError) Error() string { return e.err.Error() }

func (e *usageError) Unwrap() error { return e.err }
