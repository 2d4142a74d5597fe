package workbench

import (
	"context"

	"github.com/dragoman-project/dragoman/gateway"
	"github.com/dragoman-project/dragoman/host"
	"github.com/dragoman-project/dragoman/host/api/metrics"
)

// liveView is what is going on in the daemon, besides what its services answer.
type liveView struct {
	Running []host.Running        `json:"running"`
	Engines []gateway.ServerState `json:"engines"`
	Reports []metrics.ReportCount `json:"reports"`
	Trials  []*host.Trial         `json:"trials"`
	// Canary is the mode in which changes are tried before they go live, and CanaryTries whether it has anything to try them on.
	Canary      string `json:"canary"`
	CanaryTries bool   `json:"canary_tries"`
	// Recorder is whether outputs are recorded: without it there are no recordings to ask for.
	Recorder bool `json:"recorder"`
}

// live answers with what is going on.
func (b *bench) live(context.Context, *struct{}) (*liveView, error) {
	cfg := b.host.Snapshot().Config
	c := cfg.Canary
	out := &liveView{
		Running: b.host.Running(), Engines: []gateway.ServerState{}, Reports: []metrics.ReportCount{},
		Trials: append([]*host.Trial{}, b.host.Trials()...), Canary: c.Mode, CanaryTries: c.Cases != "" || c.Shadow > 0, Recorder: cfg.Recorder.Dir != "",
	}
	if b.gateway != nil {
		out.Engines = b.gateway.Servers()
	}
	var err error
	if b.metrics != nil {
		out.Reports, err = b.metrics.Reports()
	}
	return out, err
}
