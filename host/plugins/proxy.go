package plugins

import (
	"context"
	"errors"
	"fmt"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/dragoman-project/dragoman/internal/wire"
	"github.com/dragoman-project/dragoman/sdk/handler"
)

// proxy is a handler that is served by whatever generation its slot has.
type proxy struct {
	slot *slot
	HandlerManifest
}

var _ handler.Handler = (*proxy)(nil)

// Describe answers from the manifest: nothing is started for it.
func (p *proxy) Describe() handler.Description {
	return handler.Description{Name: p.Name, Version: p.slot.manifest.Version, Match: p.Match, Priority: *p.Priority}
}

// Plan asks the plugin, starting it if need be. A process that dies meanwhile, or hangs, is replaced, and the new one is
// asked once. The error is an *Unavailable or a *Fault where it is not the handler's answer.
func (p *proxy) Plan(ctx context.Context, in handler.Input) (*handler.Plan, error) {
	plan, gone, err := p.try(ctx, in)
	if gone {
		plan, _, err = p.try(ctx, in)
	}
	return plan, err
}

// try asks once. It says whether the process is gone, so that asking again makes sense.
func (p *proxy) try(ctx context.Context, in handler.Input) (_ *handler.Plan, gone bool, _ error) {
	g, err := p.slot.acquire(ctx)
	if err != nil {
		return nil, false, err
	}
	defer g.release()
	limited, cancel := context.WithTimeout(ctx, p.slot.opts.CallTimeout)
	defer cancel()
	plan, err := g.handlers[p.Name].Plan(limited, in)
	if ctx.Err() != nil {
		return nil, false, ctx.Err()
	}
	if why := p.slot.judge(g, err); why != nil {
		return nil, true, p.slot.unavailable("%v", why)
	}
	return plan, false, p.slot.blame(err)
}

// judge condemns a generation whose answer says that it is dead or hangs, and returns why. Any other answer shows that it
// works.
func (s *slot) judge(g *generation, err error) error {
	switch status.Code(err) {
	case codes.DeadlineExceeded:
		err = fmt.Errorf("no answer within %v", s.opts.CallTimeout)
	case codes.Unavailable, codes.Canceled:
		err = s.passing(g, err)
	default:
		s.answered(g)
		return nil
	}
	s.condemn(g, err)
	return err
}

// deathNotice is how long to wait for the exit status of a process whose connection broke.
const deathNotice = 250 * time.Millisecond

// passing says why the connection to g broke: how the process ended, if it does.
func (s *slot) passing(g *generation, err error) error {
	select {
	case <-g.process.exited:
		return errors.New(g.process.end())
	case <-time.After(deathNotice):
		return err
	}
}

// blame tells the handler's answers from faults of the plugin.
func (s *slot) blame(err error) error {
	var broken *wire.Error
	switch {
	case errors.As(err, &broken):
		return &Fault{Plugin: s.manifest.Name, Err: err}
	case err == nil:
		return nil
	}
	if st, ok := status.FromError(err); ok {
		return &Fault{Plugin: s.manifest.Name, Err: errors.New(st.Message())}
	}
	return err
}
