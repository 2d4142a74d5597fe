package main

import (
	"bytes"
	"context"
	"io"
	"sync"
)

// checkedWriter remembers the first fault of a writer, so that those who print need not look.
type checkedWriter struct {
	io.Writer
	fault error
}

// Write writes unless something could not be written before.
func (w *checkedWriter) Write(p []byte) (n int, err error) {
	if w.fault == nil {
		n, w.fault = w.Writer.Write(p)
	}
	return n, w.fault
}

// interruptible reads from in until ctx ends: a read from a terminal ends with nothing else. Nothing is taken from in before
// the first read.
func interruptible(ctx context.Context, in io.Reader) io.Reader {
	begun := sync.OnceValue(func() io.Reader {
		r, w := io.Pipe()
		context.AfterFunc(ctx, func() { w.CloseWithError(ctx.Err()) })
		go func() {
			_, err := io.Copy(w, in)
			w.CloseWithError(err)
		}()
		return r
	})
	return readerFunc(func(p []byte) (int, error) { return begun().Read(p) })
}

// untilInterrupted does work that can wait for ever, such as reading a pipe to which nobody writes, until ctx ends.
func untilInterrupted[T any](ctx context.Context, work func() (T, error)) (T, error) {
	type result struct {
		value T
		err   error
	}
	done := make(chan result, 1)
	go func() {
		value, err := work()
		done <- result{value, err}
	}()
	select {
	case r := <-done:
		return r.value, r.err
	case <-ctx.Done():
		return *new(T), ctx.Err()
	}
}

// readerFunc is a reader that is a function.
type readerFunc func([]byte) (int, error)

// Read calls it.
func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

// heldWriter keeps what is written to it until it is let go.
type heldWriter struct {
	mu   sync.Mutex
	held bytes.Buffer
	to   io.Writer // nil while it keeps
}

// Write keeps p, or passes it on.
func (w *heldWriter) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.to == nil {
		return w.held.Write(p)
	}
	return w.to.Write(p)
}

// letGo passes on what was kept, and from then on everything.
func (w *heldWriter) letGo(to io.Writer) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.to = to
	_, err := w.held.WriteTo(to)
	return err
}
