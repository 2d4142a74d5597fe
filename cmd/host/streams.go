package main

import (
	"bytes"
	"context"
	"io"
	"sync"
)

// checkedWriter keeps the first error of a writer, so that callers need not check each write.
type checkedWriter struct {
	io.Writer
	fault error
}

// Write writes p unless an earlier write failed.
func (w *checkedWriter) Write(p []byte) (n int, err error) {
	if w.fault == nil {
		n, w.fault = w.Writer.Write(p)
	}
	return n, w.fault
}

// interruptible returns a reader of in whose reads end with ctx; a read from a terminal would not. Nothing is read from in
// before the first read.
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

// untilInterrupted runs work that may block forever, such as opening a pipe without a writer, and stops waiting when ctx ends.
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

// readerFunc is a function as an io.Reader.
type readerFunc func([]byte) (int, error)

// Read calls f.
func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

// heldWriter buffers what is written to it until it is released.
type heldWriter struct {
	mu   sync.Mutex
	held bytes.Buffer
	to   io.Writer // nil while buffering
}

// Write buffers p, or passes it on once released.
func (w *heldWriter) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.to == nil {
		return w.held.Write(p)
	}
	return w.to.Write(p)
}

// release writes what was buffered to a writer, and from then on everything.
func (w *heldWriter) release(to io.Writer) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.to = to
	_, err := w.held.WriteTo(to)
	return err
}
