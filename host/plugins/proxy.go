package plugins

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/dragoman-project/dragoman/host/plugins/manifest"
	"github.com/dragoman-project/dragoman/sdk/fault"
	"github.com/dragoman-project/dragoman/sdk/handler"
)

// proxy is a handler served by the current generation of its slot.
type proxy struct {
	slot *slot
	manifest.Handler
}

var (
	_ handler.Handler = (*proxy)(nil)
	_ Starter         = (*proxy)(nil)
)

// Describe answers from the manifest, without starting anything.
func (p *proxy) Describe() handler.Description {
	return handler.Description{Name: p.Name, Version: p.slot.manifest.Version, Match: p.Match, Priority: *p.Priority}
}

// Start starts a process, unless there is one.
func (p *proxy) Start(ctx context.Context) error {
	s, err := p.enter()
	if err != nil {
		return err
	}
	defer s.leave()
	return s.warm(ctx)
}

// Plan calls the plugin, starting it if need be. A process that dies meanwhile, or hangs, is replaced, and the new one is called
// once. The error is an *Unavailable or a *Fault if it is not the handler's answer.
func (p *proxy) Plan(ctx context.Context, in handler.Input) (*handler.Plan, error) {
	s, err := p.enter()
	if err != nil {
		return nil, err
	}
	defer s.leave()
	plan, gone, err := s.try(ctx, p.Name, in)
	if gone {
		plan, _, err = s.try(ctx, p.Name, in)
	}
	return plan, err
}

// enter enters the slot that takes a call: the proxy's own, or the one that replaced it since the template was matched. The
// caller must leave it.
func (p *proxy) enter() (*slot, error) {
	for s := p.slot; s != nil; s = s.serving(p.Name) {
		if s.enter() {
			return s, nil
		}
	}
	return nil, p.slot.unavailable(removed)
}

// try calls a handler once. It reports whether the process is gone, so that another try makes sense.
func (s *slot) try(ctx context.Context, name string, in handler.Input) (_ *handler.Plan, gone bool, _ error) {
	g, err := s.acquire(ctx)
	if err != nil {
		return nil, false, err
	}
	defer g.release()
	limited, cancel := context.WithTimeout(ctx, s.opts.CallTimeout)
	defer cancel()
	plan, err := g.handlers[name].Plan(limited, in)
	if end := over(ctx); end != nil {
		return nil, false, end
	}
	if why := s.judge(g, err, func() uint64 { return fingerprint(in) }); why != nil {
		return nil, true, s.unavailable("%v", why)
	}
	return plan, false, s.asFault(err)
}

// fingerprint identifies a request.
func fingerprint(in handler.Input) uint64 {
	h := fnv.New64a()
	request, _ := json.Marshal(in.Request) // a request that cannot be encoded is like any other of its template
	for _, part := range [][]byte{[]byte(in.Template.Name), []byte(in.Template.Source), request} {
		_, _ = h.Write(part)
		_, _ = h.Write([]byte{0})
	}
	return h.Sum64()
}

// judge condemns a generation whose answer shows that it is dead or hangs, and returns why. Any other answer shows that it
// works. request returns the fingerprint of the request.
func (s *slot) judge(g *generation, err error, request func() uint64) error {
	switch status.Code(err) {
	case codes.DeadlineExceeded:
		err = fmt.Errorf("no answer within %v", s.opts.CallTimeout)
	case codes.Unavailable, codes.Canceled:
		err = g.passing(deathNotice, err)
	default:
		s.answered(g)
		return nil
	}
	s.suspect(g, request())
	s.condemn(g, err)
	return err
}

// deathNotice is how long a call waits for the exit status of a process whose connection broke.
const deathNotice = 250 * time.Millisecond

// asFault turns faults of the plugin into a *Fault, and returns the handler's own errors unchanged.
func (s *slot) asFault(err error) error {
	var broken *fault.Error
	switch {
	case errors.As(err, &broken) && broken.Code == fault.Internal:
		return &Fault{Plugin: s.manifest.Name, Err: err}
	case err == nil:
		return nil
	}
	if st, ok := status.FromError(err); ok {
		return &Fault{Plugin: s.manifest.Name, Err: errors.New(st.Message())}
	}
	return err
}
