package recorder

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/dragoman-project/dragoman/sdk/fault"
)

// Folder reads recordings: of a recorder's folder, which may be written at the same time, or of a single file.
type Folder struct {
	path string
	key  *Key
}

// Open returns a reader of a folder, or of a file. A nil key opens what is not sealed.
func Open(path string, key *Key) *Folder { return &Folder{path, key} }

// Filter chooses recordings. The zero value chooses all.
type Filter struct {
	Template string // its name, in which * stands for any text; empty: any
	Marks    []Mark // one of which it must have; nil: any
	Since    time.Time
	Before   string // an id: only what is older
	Limit    int    // 0: none
}

// Match returns what reports whether a recording is chosen, whatever else is.
func (f *Filter) Match() func(*Summary) bool {
	named := pattern(cmp.Or(f.Template, "*"))
	return func(s *Summary) bool {
		return named.MatchString(s.Template) && !s.At.Before(f.Since) && (f.Before == "" || older(s.ID, f.Before)) &&
			(len(f.Marks) == 0 || slices.ContainsFunc(s.Marks, func(m Mark) bool { return slices.Contains(f.Marks, m) }))
	}
}

// pattern returns the expression for names of templates in which * stands for any text.
func pattern(name string) *regexp.Regexp {
	return regexp.MustCompile("^" + strings.ReplaceAll(regexp.QuoteMeta(name), `\*`, ".*") + "$")
}

// Listed are recordings, the newest first.
type Listed struct {
	Recordings []Summary `json:"recordings"`
	// Notes are what could not be read, and why.
	Notes []string `json:"notes,omitempty"`
	// More means that there are older ones.
	More bool `json:"more,omitempty"`
}

// List returns the newest recordings that a filter chooses. The error is that of ctx, or that nothing can be read.
func (f *Folder) List(ctx context.Context, filter Filter) (Listed, error) {
	out, chosen := Listed{Recordings: []Summary{}}, filter.Match()
	err := f.visit(ctx, true, func(s *segment) bool {
		var here []Summary
		for at := range s.frames {
			summary, err := s.summary(at)
			if err != nil {
				out.Notes = append(out.Notes, s.note(err))
			} else if chosen(&summary) {
				here = append(here, summary)
			}
		}
		if s.torn != nil {
			out.Notes = append(out.Notes, s.note(s.torn))
		}
		slices.Reverse(here)
		out.Recordings = append(out.Recordings, here...)
		return filter.Limit == 0 || len(out.Recordings) <= filter.Limit
	})
	if out.More = filter.Limit > 0 && len(out.Recordings) > filter.Limit; out.More {
		out.Recordings = out.Recordings[:filter.Limit]
	}
	return out, err
}

// Each iterates over the recordings that a filter chooses, the oldest first. An error is about one that cannot be read, and further
// ones may follow, or it is that of ctx, or that nothing can be read. The filter's limit does not count.
func (f *Folder) Each(ctx context.Context, filter Filter) iter.Seq2[*Recording, error] {
	chosen := filter.Match()
	return func(yield func(*Recording, error) bool) {
		stopped := false
		err := f.visit(ctx, false, func(s *segment) bool {
			for at := range s.frames {
				r, err := s.recording(at, chosen)
				if err != nil {
					err = errors.New(s.note(err))
				}
				if (r != nil || err != nil) && !yield(r, err) {
					stopped = true
					return false
				}
			}
			stopped = s.torn != nil && !yield(nil, errors.New(s.note(s.torn)))
			return !stopped
		})
		if err != nil && !stopped {
			yield(nil, err)
		}
	}
}

// idForm is the form of ids: the stem of a segment, and an offset in it.
var idForm = regexp.MustCompile(`^([0-9a-f]{15})-([0-9]{1,18})$`)

// older reports whether an id is older than another.
func older(id, than string) bool {
	a, b := idForm.FindStringSubmatch(id), idForm.FindStringSubmatch(than)
	if a == nil || b == nil {
		return false
	}
	x, _ := strconv.ParseInt(a[2], 10, 64) // digits, of which there are few enough
	y, _ := strconv.ParseInt(b[2], 10, 64)
	return cmp.Or(cmp.Compare(a[1], b[1]), cmp.Compare(x, y)) < 0
}

// Get returns the recording of an id. The error has the code NotFound if it is unknown, or was removed to make room.
func (f *Folder) Get(ctx context.Context, id string) (found *Recording, err error) {
	form := idForm.FindStringSubmatch(id)
	if form == nil {
		return nil, &fault.Error{Code: fault.InvalidArgument, Place: "id", Message: fmt.Sprintf("%q is no id of a recording", id), Remedy: "take one of those that are listed"}
	}
	if info, err := os.Stat(f.path); err == nil && info.IsDir() {
		f = &Folder{filepath.Join(f.path, form[1]+extension), f.key}
	}
	unread := error(nil)
	err = f.visit(ctx, false, func(s *segment) bool {
		for at := range s.frames {
			if summary, err := s.summary(at); err == nil && summary.ID == id {
				found, unread = s.recording(at, func(*Summary) bool { return true })
			}
		}
		return found == nil
	})
	if err = errors.Join(unread, err); found != nil || err != nil && !errors.Is(err, os.ErrNotExist) {
		return found, err
	}
	return nil, &fault.Error{Code: fault.NotFound, Place: id, Message: "no such recording", Remedy: "it may have made room for newer ones; list those that are kept"}
}

// visit calls do for each segment that can be read, until it returns false. The error is that of ctx, or that nothing can be read.
func (f *Folder) visit(ctx context.Context, newestFirst bool, do func(*segment) bool) error {
	info, err := os.Stat(f.path)
	if err != nil {
		return err
	}
	all := []stored{{path: f.path}}
	if info.IsDir() {
		if all, err = segments(f.path); err != nil {
			return err
		}
	}
	if newestFirst {
		slices.Reverse(all)
	}
	for _, one := range all {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		data, err := readSegment(one.path)
		switch {
		case errors.Is(err, os.ErrNotExist) && info.IsDir():
			continue // it made room
		case err != nil:
			return err
		}
		name := filepath.Base(one.path)
		s, err := f.key.segment(name, data)
		var wrongKey *fault.Error
		switch {
		case err != nil && info.IsDir() && !errors.As(err, &wrongKey):
			s = &segment{name: name, torn: err} // the daemon was killed before it had begun
		case err != nil:
			return fmt.Errorf("%s: %w", one.path, err)
		}
		if !do(s) {
			return nil
		}
	}
	return nil
}

// readSegment reads a file that is not too large for a segment.
func readSegment(path string) ([]byte, error) {
	const most = maxSegment + 2*maxFrame
	in, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	data, err := io.ReadAll(io.LimitReader(in, most+1))
	if err == nil && len(data) > most {
		err = fmt.Errorf("%s: more than %d bytes; expected a file of recordings", path, most)
	}
	return data, err
}

// segment is a segment in memory.
type segment struct {
	key       *Key
	name      string
	data      []byte
	end       int64 // of the last whole frame
	start     int64 // of the first frame
	torn      error // what follows the last whole frame; nil: nothing
	templates map[int64]Template
	programs  map[int64][]byte
}

// segment checks the frames of a segment.
func (k *Key) segment(name string, data []byte) (*segment, error) {
	head, err := k.checkHead(data)
	if err != nil {
		return nil, err
	}
	s := &segment{key: k, name: name, data: data, start: int64(head), end: int64(head), templates: map[int64]Template{}, programs: map[int64][]byte{}}
	for s.end < int64(len(data)) {
		_, length, err := nextFrame(data[s.end:])
		if err != nil {
			s.torn = fmt.Errorf("%w; the %d bytes from here on are skipped", err, int64(len(data))-s.end)
			break
		}
		s.end += int64(length)
	}
	return s, nil
}

func (s *segment) note(err error) string { return fmt.Sprintf("%s: byte %d: %v", s.name, s.end, err) }

// frames iterates over the offsets of recordings.
func (s *segment) frames(yield func(int64) bool) {
	for at := s.start; at < s.end; {
		what, length, _ := nextFrame(s.data[at:s.end]) // it was checked
		if what == recordingFrame && !yield(at) {
			return
		}
		at += int64(length)
	}
}

// body returns what a frame of a kind holds.
func (s *segment) body(at int64, what kind) ([]byte, error) {
	if at < s.start || at >= s.end {
		return nil, errBroken
	}
	is, length, err := nextFrame(s.data[at:s.end])
	if err != nil || is != what {
		return nil, errBroken
	}
	return s.key.openFrame(s.data[at:at+int64(length)], at)
}

func (s *segment) summary(at int64) (Summary, error) {
	data, err := s.body(at, recordingFrame)
	if err != nil {
		return Summary{}, err
	}
	return summaryOf(data)
}

// recording returns the recording at an offset; nil if it is not chosen.
func (s *segment) recording(at int64, chosen func(*Summary) bool) (*Recording, error) {
	data, err := s.body(at, recordingFrame)
	if err != nil {
		return nil, err
	}
	if summary, err := summaryOf(data); err != nil || !chosen(&summary) {
		return nil, err
	}
	r, template, program, err := decode(data)
	if err != nil {
		return nil, err
	}
	if r.Source, err = s.template(template); err != nil || program == 0 {
		return r, err
	}
	r.Program, err = s.program(program)
	return r, err
}

func (s *segment) template(at int64) (Template, error) {
	if t, ok := s.templates[at]; ok {
		return t, nil
	}
	var t Template
	data, err := s.body(at, templateFrame)
	if err == nil {
		err = json.Unmarshal(data, &t)
	}
	if err == nil {
		s.templates[at] = t
	}
	return t, err
}

func (s *segment) program(at int64) ([]byte, error) {
	if p, ok := s.programs[at]; ok {
		return p, nil
	}
	p, err := s.body(at, programFrame)
	if err == nil {
		s.programs[at] = p
	}
	return p, err
}

// Document returns the recording as a segment of its own, which is not sealed.
func (r *Recording) Document() ([]byte, error) {
	source, err := plainJSON(r.Source)
	if err != nil {
		return nil, err
	}
	var open *Key
	out := []byte(open.head())
	template, program := int64(len(out)), int64(0)
	out = open.appendFrame(out, template, templateFrame, source)
	if r.Program != nil {
		program = int64(len(out))
		out = open.appendFrame(out, program, programFrame, r.Program)
	}
	body, err := r.encode(template, program)
	if err != nil {
		return nil, err
	}
	return open.appendFrame(out, int64(len(out)), recordingFrame, body), nil
}

// ReadDocument returns the recording that Document has written.
func ReadDocument(data []byte) (*Recording, error) {
	s, err := (*Key)(nil).segment("document", data)
	if err != nil {
		return nil, err
	}
	for at := range s.frames {
		return s.recording(at, func(*Summary) bool { return true })
	}
	return nil, errBroken
}
