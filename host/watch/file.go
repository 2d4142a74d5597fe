package watch

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"
	"time"
)

// outcome is the outcome of a look at a file.
type outcome uint8

const (
	unchanged outcome = iota // what was delivered last is still true
	changed                  // there is a change to deliver
	unsettled                // a writer may be at work: look again soon
)

// patience is how many times longer a file must be quiet if a writer is known to have it open.
const patience = 10

// errBusy stands for the outcome unsettled.
var errBusy = errors.New("being written")

// file is what is known of one watched path.
type file struct {
	path string // as in Changes
	abs  string
	// unread means that contents are not read; stamps stand for them.
	unread bool
	// replaced counts the inodes that an unread file has had.
	replaced int

	last news // as delivered last
	bad  news // bad news that has not lasted yet
	// badSince is when bad was first seen.
	badSince time.Time
	// active is the inode whose content was delivered last; nil if there is none, or its name was removed since.
	active os.FileInfo
	seen   os.FileInfo // the last stamp
	since  time.Time   // when it was first seen
	clean  bool        // the content of seen was read while quiet
}

// news identifies a state of a file. The zero value means none yet.
type news struct {
	kind kind
	sum  [sha256.Size]byte
	text string
}

type kind uint8

const (
	content kind = iota + 1
	removed
	failure
)

func newFile(path string) *file {
	return &file{path: path, abs: absolute(path)}
}

// look determines what is at the path now.
func (f *file) look(now time.Time, o Options) (Change, outcome) {
	info, err := os.Stat(f.path)
	if err == nil {
		if f.seen == nil || !sameStamp(f.seen, info) {
			f.seen, f.since, f.clean = info, now, false
		}
		if f.clean {
			return Change{}, unchanged
		}
	}
	var data []byte
	if err == nil {
		data, err = f.read(now, o)
	}
	switch {
	case errors.Is(err, errBusy):
		return Change{}, unsettled
	case errors.Is(err, fs.ErrNotExist):
		f.active, f.seen, f.clean = nil, nil, false
		return f.believe(Change{Path: f.path, Removed: true}, news{kind: removed}, now, o)
	case err != nil:
		err = fmt.Errorf("%s: %w", f.path, err)
		return f.believe(Change{Path: f.path, Err: err}, news{kind: failure, text: err.Error()}, now, o)
	}
	if f.unread && (f.active == nil || !os.SameFile(f.active, f.seen)) {
		f.replaced++
	}
	f.active, f.clean = f.seen, f.quiet(now, o.Quiet)
	if f.unread {
		stamp := fmt.Sprint(f.replaced, f.seen.Size(), f.seen.ModTime().UnixNano(), f.seen.Mode())
		return f.deliver(Change{Path: f.path, Unread: true}, news{kind: content, text: stamp})
	}
	sum := sha256.Sum256(data)
	return f.deliver(Change{Path: f.path, Data: data, SHA256: sum}, news{kind: content, sum: sum})
}

// read reads the file through one descriptor. The error is errBusy if its writer may not have finished.
func (f *file) read(now time.Time, o Options) ([]byte, error) {
	// O_NONBLOCK, because the file may have become a pipe meanwhile.
	fd, err := os.OpenFile(f.path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if errors.Is(err, syscall.EWOULDBLOCK) || errors.Is(err, fs.ErrNotExist) {
		return nil, errBusy
	}
	if err != nil {
		return nil, err
	}
	defer fd.Close()
	writers, release := o.lease(fd)
	defer release()
	before, err := fd.Stat()
	switch {
	case err != nil:
		return nil, err
	case !before.Mode().IsRegular():
		return nil, fmt.Errorf("is a %v, expected a regular file", before.Mode().Type())
	case !sameStamp(before, f.seen), !f.settled(writers, now, o):
		return nil, errBusy
	case f.unread:
		return nil, nil
	case before.Size() > o.MaxBytes:
		return nil, fmt.Errorf("has %d bytes; at most %d are allowed", before.Size(), o.MaxBytes)
	}
	data, err := io.ReadAll(io.LimitReader(fd, before.Size()+1))
	if err != nil {
		return nil, err
	}
	if !f.stands(fd, before, len(data)) {
		return nil, errBusy
	}
	if len(bytes.TrimSpace(data)) == 0 {
		return nil, ErrEmpty
	}
	return data, nil
}

// settled reports whether the writer can be assumed to have finished.
func (f *file) settled(w writers, now time.Time, o Options) bool {
	switch w {
	case none:
		return true
	case some:
		return f.quiet(now, patience*o.Quiet)
	default:
		replaced := f.active != nil && !os.SameFile(f.active, f.seen)
		return replaced || f.quiet(now, o.Quiet)
	}
}

// quiet reports whether the file has not changed for d, by its modification time or by the looks at it.
func (f *file) quiet(now time.Time, d time.Duration) bool {
	return now.Sub(f.since) >= d || now.Sub(f.seen.ModTime()) >= d
}

// stands reports whether the file, after n bytes were read, is the same as before, and still the one that the path names.
func (f *file) stands(fd *os.File, before os.FileInfo, n int) bool {
	after, err := fd.Stat()
	if err != nil || !sameStamp(before, after) || int64(n) != after.Size() {
		return false
	}
	there, err := os.Stat(f.path)
	return err == nil && os.SameFile(after, there)
}

// believe delivers bad news once it has lasted for a while. A file that never existed needs no waiting.
func (f *file) believe(c Change, n news, now time.Time, o Options) (Change, outcome) {
	if f.last == n {
		f.bad = news{}
		return Change{}, unchanged
	}
	if f.bad != n {
		f.bad, f.badSince = n, now
	}
	never := f.last == news{} && n.kind == removed
	if !never && now.Sub(f.badSince) < o.Quiet {
		return Change{}, unsettled
	}
	return f.deliver(c, n)
}

// deliver returns the change, unless it was delivered last.
func (f *file) deliver(c Change, n news) (Change, outcome) {
	f.bad = news{}
	if f.last == n {
		return Change{}, unchanged
	}
	f.last = n
	return c, changed
}

// sameStamp reports whether two looks saw the same inode with the same size, time and mode.
func sameStamp(a, b os.FileInfo) bool {
	return os.SameFile(a, b) && a.Size() == b.Size() && a.ModTime().Equal(b.ModTime()) && a.Mode() == b.Mode()
}
