package host

import (
	"context"

	"github.com/dragoman-project/dragoman/sdk/grammar"
	"github.com/dragoman-project/dragoman/sdk/grammar/target"
)

// In returns the plan for an engine that takes constraints in the notation of target; see session.Plan.In.
func (p *Planned) In(ctx context.Context, target grammar.Target) (*Planned, error) {
	plan, err := p.Plan.In(ctx, target)
	if err != nil {
		return nil, err
	}
	out := *p
	out.Plan = plan
	return &out, nil
}

// ParseTarget reads the name of a target as clients send it; an empty one is GBNF.
func ParseTarget(name string) (grammar.Target, error) {
	target, err := target.Parse(name)
	if err != nil {
		return "", &Error{Code: InvalidArgument, Place: "target", Message: err.Error(), Err: err}
	}
	return target, nil
}
