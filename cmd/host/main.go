// Command host is Dragoman's command line: the daemon, and the same work on files.
//
// This package holds flags, help texts and exit codes. What a command does is in package host and below.
//
// Exit codes: 0 it went well, 1 it did not (a failed case, a faulty file), 2 the command was not understood.
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
	code := run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// The exit codes.
const (
	exitOK = iota
	exitFailed
	exitUsage
)

// run executes a command line and returns the exit code.
func run(ctx context.Context, args []string, in io.Reader, out, errs io.Writer) int {
	root := newRoot()
	root.SetArgs(args)
	root.SetIn(in)
	root.SetOut(out)
	root.SetErr(errs)
	cmd, err := root.ExecuteContextC(ctx)
	var usage *usageError
	switch {
	case err == nil:
		return exitOK
	case errors.As(err, &usage):
		fmt.Fprintf(errs, "host: %v\nTry '%s --help'.\n", err, cmd.CommandPath())
		return exitUsage
	case !errors.Is(err, errFailed):
		fmt.Fprintf(errs, "host: %v\n", err)
	}
	return exitFailed
}

// errFailed ends a command that has told everything itself.
var errFailed = errors.New("failed")

// usageError says that a command line was not understood.
type usageError struct{ err error }

func (e *usageError) Error() string { return e.err.Error() }

func (e *usageError) Unwrap() error { return e.err }
