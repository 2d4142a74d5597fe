package gateway

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/dragoman-project/dragoman/gateway/engine"
	"github.com/dragoman-project/dragoman/sdk/fault"
)

// Models returns the names that requests may use, sorted.
func (g *Gateway) Models() []string {
	names := map[string]bool{}
	for name := range g.aliases {
		names[name] = true
	}
	for _, s := range g.servers {
		for _, m := range s.now.Load().models {
			names[m.Name] = true
		}
	}
	return slices.Sorted(maps.Keys(names))
}

// route is where the requests for a model go.
type route struct {
	template string
	places   []place
}

// place is a model of a server.
type place struct {
	server *server
	engine engine.Engine
	model  engine.Model
}

// route finds the servers and the template of a model. The errors are the client's to read.
func (g *Gateway) route(name string) (route, error) {
	r, err := g.find(name)
	if err == nil && r.template == "" {
		err = &fault.Error{Code: fault.NotFound, Place: "model", Message: fmt.Sprintf("the model %q has no chat template: its engine offers none", name),
			Remedy: "read it with --model, or name one in engines.models"}
	}
	return r, err
}

// find finds the servers of a model, and its template if it has one.
func (g *Gateway) find(name string) (route, error) {
	if len(g.servers) == 0 {
		return route{}, &fault.Error{Code: fault.Unavailable, Message: "no engine is configured",
			Remedy: "start the daemon with --engine http://HOST:PORT, or with --replay to try it without one"}
	}
	alias := g.aliases[name]
	wanted, r := cmp.Or(alias.Model, name), route{template: alias.Template}
	known, down := false, []string(nil)
	for _, s := range g.servers {
		if alias.Server != "" && alias.Server != s.Name {
			continue
		}
		now := s.now.Load()
		at := slices.IndexFunc(now.models, func(m engine.Model) bool { return m.Name == wanted })
		known = known || at >= 0
		if now.err != nil {
			if at >= 0 || now.models == nil {
				down = append(down, fmt.Sprintf("%s: %v", s.Name, now.err))
			}
			continue
		}
		if at >= 0 {
			r.template = cmp.Or(r.template, now.models[at].Known)
			r.places = append(r.places, place{s, now.engine, now.models[at]})
		}
	}
	switch {
	case len(r.places) == 0 && len(down) > 0:
		return r, &fault.Error{Code: fault.Unavailable, Place: "model", Message: fmt.Sprintf("no engine that may serve %q answers (%s)", name, strings.Join(down, "; ")), Remedy: "try again later"}
	case !known:
		return r, &fault.Error{Code: fault.NotFound, Place: "model", Message: fmt.Sprintf("no engine serves the model %q; the models are %q", name, g.Models()),
			Remedy: "send one of them"}
	}
	return r, nil
}

// choose returns the place with the least to do, of those not tried yet if there are any.
func (r route) choose(tried map[*server]bool) place {
	return slices.MinFunc(r.places, func(a, b place) int {
		if tried[a.server] != tried[b.server] {
			if tried[b.server] {
				return -1
			}
			return 1
		}
		return cmp.Compare(a.server.running.Load(), b.server.running.Load())
	})
}
