package host

import (
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/dragoman-project/dragoman/sdk/chat"
)

// Bounds of what is kept of one output and its request, in bytes. What is larger is not kept.
const (
	maxSampleOutput  = 64 << 10
	maxSampleRequest = 64 << 10
)

// sample is an output that was parsed, to be parsed again under what is about to go live.
type sample struct {
	request   *chat.Request
	output    []byte
	truncated bool
	at        time.Time
}

// samples are the last outputs of each template. The zero value is empty.
type samples struct {
	mu  sync.Mutex
	all map[string][]sample // by template, the oldest first
}

// of lists what is kept of a template.
func (s *samples) of(template string) []sample {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.all[template])
}

func (s *samples) keep(template string, one sample, most int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.all == nil {
		s.all = map[string][]sample{}
	}
	kept := s.all[template]
	s.all[template] = append(slices.Clone(kept[max(0, len(kept)-most+1):]), one)
}

// fit forgets the outputs of templates that are not there any longer, and those beyond what is kept of each.
func (s *samples) fit(templates []string, most int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	maps.DeleteFunc(s.all, func(name string, _ []sample) bool { return most == 0 || !slices.Contains(templates, name) })
	for name, kept := range s.all {
		s.all[name] = slices.Clone(kept[max(0, len(kept)-most):])
	}
}

// recording keeps the output of one session, should it be small enough. A nil recording keeps nothing.
type recording struct {
	to       *samples
	template string
	most     int // how many outputs of the template are kept
	sample
	lost bool // it is too large, or came with ranges of special tokens, without which it is not the same
}

// record begins to keep the output of a session, if outputs are kept.
func (p *Planned) record() *recording {
	if p.samples == nil || p.keep == 0 || sizeOf(p.request) > maxSampleRequest {
		return nil
	}
	return &recording{to: p.samples, template: p.template, most: p.keep, sample: sample{request: p.request}}
}

func (r *recording) fed(chunk []byte, special bool) {
	if r == nil || r.lost {
		return
	}
	if r.lost = special || len(r.output)+len(chunk) > maxSampleOutput; r.lost {
		r.output = nil
		return
	}
	r.output = append(r.output, chunk...)
}

func (r *recording) end(truncated bool) {
	if r != nil && !r.lost {
		r.truncated, r.at = truncated, time.Now()
		r.to.keep(r.template, r.sample, r.most)
	}
}

// sizeOf is about how many bytes of text a request holds.
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
