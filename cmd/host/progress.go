package main

import (
	"fmt"
	"io"
	"os"
	"time"

	"github.com/mattn/go-isatty"
	"github.com/spf13/cobra"
)

// progress shows on standard error how far long work has come, in one line that is overwritten. It shows nothing unless standard
// error is a terminal.
type progress struct {
	terminal *os.File // nil: none
	next     time.Time
}

// progressEvery is the least time between two updates. Work that takes less shows nothing.
const progressEvery = 200 * time.Millisecond

func newProgress(cmd *cobra.Command) *progress {
	p := &progress{next: time.Now().Add(progressEvery)}
	if file, ok := cmd.ErrOrStderr().(*os.File); ok && isatty.IsTerminal(file.Fd()) {
		p.terminal = file
	}
	return p
}

// clearLine returns to the beginning of a terminal's line and erases it.
const clearLine = "\r\x1b[K"

// show replaces the line.
func (p *progress) show(format string, args ...any) {
	if now := time.Now(); p.terminal != nil && now.After(p.next) {
		p.next = now.Add(progressEvery)
		fmt.Fprintf(p.terminal, clearLine+format, args...)
	}
}

// clearing is a writer that removes the line of a progress before each write.
type clearing struct {
	*progress
	io.Writer
}

// Write implements io.Writer.
func (c clearing) Write(p []byte) (int, error) {
	c.clear()
	return c.Writer.Write(p)
}

// clear removes the line, so that something else can be printed.
func (p *progress) clear() {
	if p.terminal != nil {
		fmt.Fprint(p.terminal, clearLine)
	}
}
