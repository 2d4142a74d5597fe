// Command host is Dragoman's command line, which `make build` names bin/dragoman: the daemon, and the same work on files.
//
// This package holds flags, help texts and exit codes. What a command does is in package host and below.
//
// Exit codes: 0 it went well, 1 it did not (a failed case, a faulty file), 2 the command line was not understood, 130 it was
// interrupted before it had ended.
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
	context.AfterFunc(ctx, stop) // a second signal ends it at once
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

// errFailed ends a command that has told everything itself.
var errFailed = errors.New("failed")

// usageError says that a command line was not understood.
type usageError struct{ err error }

func (e *usageError) Error() string { return e.err.Error() }

func (e *usageError) Unwrap() error { return e.err }
