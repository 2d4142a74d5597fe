package gateway

import (
	"context"
	"errors"
	"path"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/dragoman-project/dragoman/gateway/engine"
	"github.com/dragoman-project/dragoman/host"
)

// How often an engine is asked what it serves: while it answers, and while it does not; and how long it may take.
const (
	askAgain = 10 * time.Second
	askSoon  = time.Second
	askTime  = 5 * time.Second
)

var errNotAsked = errors.New("it was not asked yet")

// server is an engine and what is known of it.
type server struct {
	Server
	running atomic.Int64 // outputs
	now     atomic.Pointer[served]
}

// served is what a server serves. It never changes.
type served struct {
	engine engine.Engine // nil: it was not recognised
	models []engine.Model
	err    error // why it cannot be used; nil: it can
}

// watch asks a server from time to time until ctx ends.
func (g *Gateway) watch(ctx context.Context, s *server) {
	warned := map[string]bool{}
	for {
		g.loadTokenizers(ctx, s, warned)
		pause := askAgain
		if s.now.Load().err != nil {
			pause = askSoon
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(pause):
			g.ask(ctx, s)
		}
	}
}

// ask asks a server what it serves. A server that does not answer keeps its models, and is recognised anew: another program may come
// back in its place.
func (g *Gateway) ask(ctx context.Context, s *server) {
	soon, cancel := context.WithTimeout(ctx, askTime)
	defer cancel()
	before := s.now.Load()
	e, err := before.engine, error(nil)
	if e == nil {
		e, err = s.Find(soon)
	}
	var models []engine.Model
	if err == nil {
		models, err = e.Models(soon)
	}
	if ctx.Err() != nil {
		return
	}
	if err != nil {
		s.now.Store(&served{models: before.models, err: err})
		if before.err == nil || errors.Is(before.err, errNotAsked) {
			g.log.Warn("an engine does not answer", "engine", s.Name, "error", err)
		}
		return
	}
	models = slices.Clone(models) // the engine may give others the same
	for i := range models {
		if err := g.adopt(ctx, s.Name, &models[i]); err != nil && before.engine == nil {
			g.log.Warn("the chat template of an engine cannot be used", "engine", s.Name, "model", models[i].Name, "error", err)
		}
	}
	if before.err != nil {
		names := make([]string, len(models))
		for i, m := range models {
			names[i] = m.Name
		}
		g.log.Info("an engine answers", "engine", s.Name, "kind", e.Describe().Kind, "models", names)
	}
	s.now.Store(&served{engine: e, models: models})
}

// adopt finds the template of a model, and puts the one that the engine offers where the daemon has none: Known is its name afterwards,
// empty if the model has none.
func (g *Gateway) adopt(ctx context.Context, server string, m *engine.Model) error {
	snap := g.host.Snapshot()
	for _, name := range []string{m.Name, baseName(m.Name), m.Known} {
		if name == "" {
			continue
		}
		e, err := snap.Template(name)
		if err != nil || e.Origin == server && (m.Template != e.Source || m.BOSToken != e.BOSToken || m.EOSToken != e.EOSToken) {
			continue // unknown, or learned from the engine when it had another template
		}
		m.Known = e.Name
		return nil
	}
	m.Known = ""
	if m.Template == "" {
		return nil
	}
	name := m.Name
	if path.IsAbs(name) || path.Ext(name) == ".gguf" { // a file, which is no name of a template
		name = baseName(name)
	}
	info, err := g.host.PutTemplate(ctx, host.TemplateSource{Name: name, Source: m.Template, BOSToken: m.BOSToken, EOSToken: m.EOSToken, Origin: server})
	if err == nil {
		m.Known = info.Name
	}
	return err
}

// baseName returns the name of a model without its organisation, folder and extension.
func baseName(model string) string { return strings.TrimSuffix(path.Base(model), ".gguf") }

// ServerState is the state of an engine.
type ServerState struct {
	Name string `json:"name"`
	// Kind is the program of the engine; empty: it was not recognised yet.
	Kind string `json:"kind,omitempty"`
	// Models are the names of those that it serves, or served when it answered last.
	Models []string `json:"models"`
	// Running counts its outputs under way.
	Running int64 `json:"running"`
	// Error is why it cannot be used; empty: it can.
	Error string `json:"error,omitempty"`
}

// Servers returns the state of the engines.
func (g *Gateway) Servers() []ServerState {
	all := []ServerState{}
	for _, s := range g.servers {
		now := s.now.Load()
		one := ServerState{Name: s.Name, Running: s.running.Load(), Models: []string{}}
		if now.engine != nil {
			one.Kind = now.engine.Describe().Kind
		}
		if now.err != nil {
			one.Error = now.err.Error()
		}
		for _, m := range now.models {
			one.Models = append(one.Models, m.Name)
		}
		all = append(all, one)
	}
	return all
}
