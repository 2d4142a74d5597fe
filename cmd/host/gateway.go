package main

import (
	"context"
	"log/slog"

	"github.com/dragoman-project/dragoman/gateway"
	"github.com/dragoman-project/dragoman/gateway/engine"
	"github.com/dragoman-project/dragoman/gateway/engine/replay"
	"github.com/dragoman-project/dragoman/gateway/engine/wire"
	"github.com/dragoman-project/dragoman/host"
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
