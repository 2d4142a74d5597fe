package trial

import (
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/dragoman-project/dragoman/sdk/chat"
)

// The largest output and request that are kept, in bytes.
const (
	maxSampleOutput  = 64 << 10
	maxSampleRequest = 64 << 10
)

// sample is an output that was parsed, to be parsed again under changes.
type sample struct {
	request   *chat.Request
	output    []byte
	truncated bool
	at        time.Time
}

// Samples holds the last outputs of each template. The zero value is empty.
type Samples struct {
	mu  sync.Mutex
	all map[string][]sample // by template, the oldest first
}

// of returns the outputs of a template, the oldest first.
func (s *Samples) of(template string) []sample {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.all[template])
}

// keep adds an output, and drops the oldest beyond most.
func (s *Samples) keep(template string, one sample, most int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.all == nil {
		s.all = map[string][]sample{}
	}
	kept := s.all[template]
	s.all[template] = append(slices.Clone(kept[max(0, len(kept)-most+1):]), one)
}

// Fit drops the outputs of templates that are not in the list, and those beyond most of each.
func (s *Samples) Fit(templates []string, most int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	maps.DeleteFunc(s.all, func(name string, _ []sample) bool { return most == 0 || !slices.Contains(templates, name) })
	for name, kept := range s.all {
		s.all[name] = slices.Clone(kept[max(0, len(kept)-most):])
	}
}

// Recording is the output of one session, which is kept if it is small enough. A nil Recording keeps nothing.
type Recording struct {
	to       *Samples
	template string
	most     int // how many outputs of the template are kept
	sample
	lost bool // it is too large, or came with ranges of special tokens, which are not kept
}

// Record returns a recording of a session's output, of which most are kept per template; nil if it is not to be kept, or s is nil.
func (s *Samples) Record(template string, r *chat.Request, most int) *Recording {
	if s == nil || most == 0 || sizeOf(r) > maxSampleRequest {
		return nil
	}
	return &Recording{to: s, template: template, most: most, sample: sample{request: r}}
}

// Fed adds a chunk; special means that its special tokens are known.
func (r *Recording) Fed(chunk []byte, special bool) {
	if r == nil || r.lost {
		return
	}
	if r.lost = special || len(r.output)+len(chunk) > maxSampleOutput; r.lost {
		r.output = nil
		return
	}
	r.output = append(r.output, chunk...)
}

// End keeps the output.
func (r *Recording) End(truncated bool) {
	if r != nil && !r.lost {
		r.truncated, r.at = truncated, time.Now()
		r.to.keep(r.template, r.sample, r.most)
	}
}

// sizeOf returns about how many bytes of text a request contains.
func sizeOf(r *chat.Request) (size int) {
	for _, m := range r.Messages {
		if size += len(m.ReasoningContent); m.Content.Text != nil {
			size += len(*m.Content.Text)
		}
		for _, part := range m.Content.Parts {
			size += len(part.Text)
		}
		for _, c := range m.ToolCalls {
			size += len(c.Arguments)
		}
	}
	for _, t := range r.Tools {
		size += len(t.Description) + len(t.Parameters.Raw())
	}
	return size
}
