// Package gateway puts the clients' APIs in front of engines. Package openai below it speaks with clients, package engine with engines;
// here a request becomes a plan, an engine is chosen, and its output becomes deltas:
//
//	request ──Plan──→ Answer ──Begin──→ Output ──Next──→ deltas … io.EOF ──Result
//	           │ host           │ engine          │ host.Session
//	           template, prompt  constraint        stops, end tokens, usage
//
// A request is planned on one snapshot of the host. Everything about it that can be wrong is found by Plan and Begin, before a client
// has received a byte; Begin returns when the engine has sent its first piece, and asks again, or another engine, if that fails. After
// that an error ends the answer. Every call ends with its context, and so does the engine's work.
//
// A Gateway asks its engines again and again what they serve (servers.go). A model's template is, in this order: the one that the
// configuration names, one of the daemon's with the model's name, the one that the engine offers.
//
// Words that must not be confused: an *answer* is what a client receives, of one or more choices; an *output* is what an engine writes
// for one of them.
package gateway

import (
	"context"
	"crypto/rand"
	"hash/maphash"
	"log/slog"
	"sync"

	"github.com/dragoman-project/dragoman/gateway/engine"
	"github.com/dragoman-project/dragoman/host"
)

// Options are the choices of New. Host must be set; a nil Logger discards.
type Options struct {
	Host   *host.Host
	Logger *slog.Logger
	// Servers are the engines.
	Servers []Server
	// Models are names that requests may use besides those of the engines. If one has the name of an engine's model, it replaces that.
	Models map[string]Alias
}

// Server is an engine that may not be reachable yet.
type Server struct {
	// Name is its URL, or another name of people's.
	Name string
	// Find recognises the engine.
	Find func(context.Context) (engine.Engine, error)
}

// Alias is a name for a model.
type Alias struct {
	Server   string // the name of the only server; empty: all that serve the model
	Model    string // the engine's name; empty: the same
	Template string // the template; empty: the model's own
}

// Gateway answers requests with engines. Create it with New; it is safe for concurrent use.
type Gateway struct {
	host    *host.Host
	log     *slog.Logger
	servers []*server
	aliases map[string]Alias

	prefixes prefixes
	mediaKey [32]byte // of the hashes that stand for images in prompts

	stop    context.CancelFunc
	running sync.WaitGroup
}

// New returns a Gateway that has asked every engine that answers soon what it serves, and goes on asking until Close.
func New(ctx context.Context, o Options) *Gateway {
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	g := &Gateway{host: o.Host, log: o.Logger, aliases: o.Models, prefixes: prefixes{seed: maphash.MakeSeed()}}
	_, _ = rand.Read(g.mediaKey[:]) // never fails
	ctx, g.stop = context.WithCancel(context.WithoutCancel(ctx))
	var first sync.WaitGroup
	for _, s := range o.Servers {
		one := &server{Server: s}
		one.now.Store(&served{err: errNotAsked})
		g.servers = append(g.servers, one)
		first.Go(func() { g.ask(ctx, one) })
	}
	first.Wait()
	for _, s := range g.servers {
		g.running.Go(func() { g.watch(ctx, s) })
	}
	return g
}

// Close ends what the gateway does by itself. Running answers are not affected.
func (g *Gateway) Close() {
	g.stop()
	g.running.Wait()
}
