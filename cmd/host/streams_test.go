package main

import (
	"bytes"
	"context"
	"errors"
	"github.com/dragoman-project/dragoman/internal/shared"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// binary builds the command and returns the folder that it is in.
func binary(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	build := exec.CommandContext(t.Context(), "go", "build", "-o", filepath.Join(dir, "dragoman"), ".")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return dir
}

// full is a writer that always fails.
type full struct{ writes int }

func (f *full) Write([]byte) (int, error) {
	f.writes++
	return 0, errors.New("no space left")
}

// TestCommandsFailIfTheyCannotPrint runs commands that print in every way: each fails, reports why once, and stops printing.
func TestCommandsFailIfTheyCannotPrint(t *testing.T) {
	for _, line := range []string{
		"--help", "version", "explain chatml-json", "explain chatml-json --json", "render chatml-json", "config show", "config reference",
		"parse --template chatml-json", "parse --template chatml-json --stream", "check --templates testdata/templates testdata/failing.jsonl",
		"lint --templates testdata/templates", "plugin new x --dir " + filepath.Join(t.TempDir(), "x"),
	} {
		var out full
		var errs bytes.Buffer
		code := run(t.Context(), strings.Fields(line), strings.NewReader("Hello."), &out, &errs)
		if want := "dragoman: standard output: no space left\n"; code != exitFailed || errs.String() != want || out.writes != 1 {
			t.Errorf("%s: exit code %d after %d writes:\n%swant %s", line, code, out.writes, errs.String(), want)
		}
	}
}

// TestCommandsThatWaitForInputCanBeInterrupted interrupts commands whose input never comes.
func TestCommandsThatWaitForInputCanBeInterrupted(t *testing.T) {
	for _, line := range []string{
		"parse --template chatml-json", "parse --template chatml-json --stream", "render chatml-json --request -", "check -",
		"diff - --daemon http://127.0.0.1:1",
	} {
		ctx, interrupt := context.WithCancel(t.Context())
		in, never := io.Pipe()
		waiting := readerFunc(func(p []byte) (int, error) {
			interrupt()
			return in.Read(p)
		})
		var errs bytes.Buffer
		if code := run(ctx, strings.Fields(line), waiting, io.Discard, &errs); code != exitInterrupted || errs.String() != "dragoman: interrupted\n" {
			t.Errorf("%s: exit code %d: %s", line, code, errs.String())
		}
		never.Close()
	}
}

// TestCommandsThatWaitForAPipeCanBeInterrupted interrupts commands that have opened a pipe without a writer.
func TestCommandsThatWaitForAPipeCanBeInterrupted(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Skip(err)
	}
	for _, line := range []string{
		"explain " + pipe, "render chatml-json --request " + pipe, "parse --template chatml-json --tools " + pipe, "lint " + pipe, "check " + pipe,
		"diff --daemon http://127.0.0.1:1 " + pipe,
	} {
		ctx, interrupt := context.WithCancel(t.Context())
		opened := make(chan *os.File, 1)
		go func() {
			silent, err := os.OpenFile(pipe, os.O_WRONLY, 0) // waits for the command to open it
			if err != nil {
				t.Error(err)
			}
			interrupt()
			opened <- silent
		}()
		var errs bytes.Buffer
		if code := run(ctx, strings.Fields(line), strings.NewReader(""), io.Discard, &errs); code != exitInterrupted || errs.String() != "dragoman: interrupted\n" {
			t.Errorf("%s: exit code %d: %s", line, code, errs.String())
		}
		(<-opened).Close()
	}
}

// TestSignalsEndTheBinary interrupts the binary itself while it waits for input.
func TestSignalsEndTheBinary(t *testing.T) {
	shared.Slow(t)
	cmd := exec.CommandContext(t.Context(), filepath.Join(binary(t), "dragoman"), "parse", "--template", "chatml-json", "--stream")
	in, err := cmd.StdinPipe()
	must(t, err)
	defer in.Close()
	out, err := cmd.StdoutPipe()
	must(t, err)
	must(t, cmd.Start())
	_, err = io.WriteString(in, "Hello, how are you?")
	must(t, err)
	_, err = out.Read(make([]byte, 1)) // it is running
	must(t, err)
	must(t, cmd.Process.Signal(os.Interrupt))
	_, _ = io.Copy(io.Discard, out)
	if _ = cmd.Wait(); cmd.ProcessState.ExitCode() != exitInterrupted {
		t.Errorf("exited with %v", cmd.ProcessState)
	}
}
