package recorder

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// extension is that of segments' files.
const extension = ".rec"

// A segment is closed when it is this share of what the folder may hold, or of how old it may get, so that the oldest recordings
// go in small steps.
const (
	steps       = 16
	maxSegment  = 8 << 20
	leastPeriod = time.Minute
)

// bounds are how much a folder may hold.
type bounds struct {
	bytes int64
	age   time.Duration
}

// file is a segment that is being written.
type file interface {
	io.WriteCloser
	Truncate(size int64) error
}

// writer appends recordings to segments of a folder. It is used by one goroutine.
type writer struct {
	dir  string
	key  *Key
	open func(path string) (file, error)

	file  file // nil: the next recording begins a segment
	stem  string
	begun time.Time
	at    int64            // the length of the segment
	total int64            // of the folder, as far as this writer knows
	known map[string]int64 // the offsets of templates, by hash, and of programs, by digest
	buf   []byte
	added []shared // in buf
}

func newWriter(dir string, key *Key) *writer {
	return &writer{dir: dir, key: key, open: func(path string) (file, error) {
		return os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	}}
}

// errBounds is the error for a recording that is larger than the folder may be.
var errBounds = errors.New("recorder.bytes leaves no room for it")

// write appends a recording and sets its id. Its program is encoded unless the segment has it already, which key tells. If it
// fails, the segment ends as before.
func (w *writer) write(r *Recording, key string, program func() ([]byte, error), b bounds) error {
	if err := w.begin(b); err != nil {
		return err
	}
	w.buf, w.added = w.buf[:0], w.added[:0]
	template, err := w.share("template "+r.Source.Hash, templateFrame, func() ([]byte, error) { return plainJSON(r.Source) })
	if err != nil {
		return err
	}
	parser := int64(0)
	if program != nil {
		if parser, err = w.share("program "+key, programFrame, program); err != nil {
			return err
		}
	}
	at := w.at + int64(len(w.buf))
	r.ID = fmt.Sprintf("%s-%d", w.stem, at)
	body, err := r.encode(template, parser)
	if err != nil {
		return err
	}
	w.buf = w.key.appendFrame(w.buf, at, recordingFrame, body)
	if len(body) > maxFrame || len(w.buf) > maxFrame {
		return fmt.Errorf("%d bytes are too many for a recording", len(body))
	}
	return w.append(b)
}

// append writes the buffer.
func (w *writer) append(b bounds) error {
	more := int64(len(w.buf))
	if w.total+more > b.bytes {
		if err := w.room(more, b); err != nil {
			return err
		}
	}
	if _, err := w.file.Write(w.buf); err != nil {
		if fault := w.file.Truncate(w.at); fault != nil {
			err = errors.Join(err, fault, w.end())
		}
		return err
	}
	w.at += more
	w.total += more
	for _, s := range w.added {
		w.known[s.key] = s.at
	}
	return nil
}

// shared is a frame that recordings refer to.
type shared struct {
	key string
	at  int64
}

// share returns where the segment has a body, after appending it to the buffer if it has not.
func (w *writer) share(key string, what kind, body func() ([]byte, error)) (int64, error) {
	if at, ok := w.known[key]; ok {
		return at, nil
	}
	data, err := body()
	if err != nil {
		return 0, err
	}
	at := w.at + int64(len(w.buf))
	w.buf = w.key.appendFrame(w.buf, at, what, data)
	w.added = append(w.added, shared{key, at})
	return at, nil
}

// begin makes sure that there is a segment to append to.
func (w *writer) begin(b bounds) error {
	if w.file != nil && (w.at > min(maxSegment, b.bytes/steps) || time.Since(w.begun) > max(leastPeriod, b.age/steps)) {
		if err := w.end(); err != nil {
			return err
		}
	}
	if w.file != nil {
		return nil
	}
	if err := os.MkdirAll(w.dir, 0o700); err != nil {
		return err
	}
	now := time.Now()
	stem := newStem(now)
	path := filepath.Join(w.dir, stem+extension)
	f, err := w.open(path)
	if err != nil {
		return err
	}
	head := w.key.head()
	if _, err := f.Write([]byte(head)); err != nil {
		return errors.Join(err, f.Close(), os.Remove(path))
	}
	w.file, w.stem, w.begun, w.at, w.known = f, stem, now, int64(len(head)), map[string]int64{}
	return w.room(0, b)
}

// end closes the segment.
func (w *writer) end() error {
	if w.file == nil {
		return nil
	}
	err := w.file.Close()
	w.file = nil
	return err
}

// stored is a segment on disk.
type stored struct {
	path string
	size int64
	last time.Time // when it was written to
}

// segments returns the segments of a folder, the oldest first. A folder that does not exist has none.
func segments(dir string) (all []stored, err error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), extension) || !e.Type().IsRegular() {
			continue
		}
		if info, err := e.Info(); err == nil { // it may be gone by now
			all = append(all, stored{filepath.Join(dir, e.Name()), info.Size(), info.ModTime()})
		}
	}
	slices.SortFunc(all, func(a, b stored) int { return cmp.Compare(a.path, b.path) })
	return all, err
}

// room removes the oldest segments until there is room for so many bytes, and those that are too old.
func (w *writer) room(more int64, b bounds) error {
	all, err := segments(w.dir)
	if err != nil {
		return err
	}
	total := more
	for _, s := range all {
		total += s.size
	}
	for _, s := range all {
		current := w.file != nil && s.path == filepath.Join(w.dir, w.stem+extension)
		if !current && (total > b.bytes || time.Since(s.last) > b.age) {
			if err := os.Remove(s.path); err != nil && !errors.Is(err, os.ErrNotExist) {
				return err
			}
			total -= s.size
		}
	}
	if w.total = total - more; total > b.bytes {
		return errBounds
	}
	return nil
}
