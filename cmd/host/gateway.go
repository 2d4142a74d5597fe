package main

import (
	"context"
	"log/slog"
	"net/http"
	"slices"

	"github.com/dragoman-project/dragoman/gateway"
	"github.com/dragoman-project/dragoman/gateway/anthropic"
	"github.com/dragoman-project/dragoman/gateway/engine"
	"github.com/dragoman-project/dragoman/gateway/engine/replay"
	"github.com/dragoman-project/dragoman/gateway/engine/wire"
	"github.com/dragoman-project/dragoman/gateway/openai"
	"github.com/dragoman-project/dragoman/gateway/render"
	"github.com/dragoman-project/dragoman/gateway/responses"
	"github.com/dragoman-project/dragoman/gateway/seal"
	"github.com/dragoman-project/dragoman/gateway/store"
	"github.com/dragoman-project/dragoman/host"
	"github.com/dragoman-project/dragoman/host/api"
	"github.com/dragoman-project/dragoman/host/config"
)

// newGateway returns the gateway in front of the configured engines.
func newGateway(ctx context.Context, cfg config.Engines, h *host.Host, log *slog.Logger) (*gateway.Gateway, error) {
	o := gateway.Options{Host: h, Logger: log, Models: map[string]gateway.Alias{}}
	client := wire.NewClient(wire.Options{Key: cfg.Key, Idle: cfg.Idle})
	for _, url := range cfg.URLs {
		o.Servers = append(o.Servers, gateway.Server{Name: url, Find: func(ctx context.Context) (engine.Engine, error) { return client.Find(ctx, url) }})
	}
	if cfg.Replay {
		recorded, err := replay.New(replay.Options{Pace: cfg.Pace})
		if err != nil {
			return nil, err
		}
		o.Servers = append(o.Servers, gateway.Server{Name: replay.Model, Find: func(context.Context) (engine.Engine, error) { return recorded, nil }})
	}
	for name, m := range cfg.Models {
		o.Models[name] = gateway.Alias{Server: m["engine"], Model: m["model"], Template: m["template"]}
	}
	return gateway.New(ctx, o), nil
}

// openStore opens what the gateway keeps for clients, until closed is called. It is nil if nothing is kept.
func openStore(cfg config.Store) (kept responses.Store, closed func() error, err error) {
	if cfg.Path == "" {
		return nil, func() error { return nil }, nil
	}
	s, err := store.Open(cfg.Path, store.Options{MaxBytes: cfg.MaxBytes, MaxAge: cfg.MaxAge})
	if err != nil {
		return nil, nil, err
	}
	return s, s.Close, nil
}

// newEndpoints returns the endpoints of the gateway and of the rendering service. Both list models; the rendering service lists all.
func newEndpoints(cfg config.Engines, h *host.Host, clients responses.Options) ([]api.Endpoint, error) {
	sealer, err := seal.New(cfg.Secrets...)
	if err != nil {
		return nil, err
	}
	clients.Seal = sealer
	o := render.Options{Version: version, Served: clients.Gateway.Models, Open: responses.Open(sealer)}
	if len(cfg.URLs) > 0 {
		o.Generate = func(w http.ResponseWriter, r *http.Request) error { return openai.Pass(w, r, clients.Gateway.Generate) }
	}
	all := render.New(h, o)
	for _, e := range clientAPIs(clients) {
		if at := slices.IndexFunc(all, func(known api.Endpoint) bool { return known.Path == e.Path && known.Method == e.Method }); at >= 0 {
			all[at].Refuse = e.Refuse // what clients of OpenAI ask is refused in its words
		} else {
			all = append(all, e)
		}
	}
	return all, nil
}

// clientAPIs returns the endpoints of the clients' APIs. What they give clients to keep is sealed.
func clientAPIs(o responses.Options) []api.Endpoint {
	return slices.Concat(openai.Endpoints(o.Gateway), responses.Endpoints(o), anthropic.Endpoints(o.Gateway, o.Seal))
}
