package plugins

import (
	"context"
	"maps"
	"slices"

	"google.golang.org/grpc"

	"github.com/dragoman-project/dragoman/internal/wire"
	"github.com/dragoman-project/dragoman/internal/wire/rpc"
	"github.com/dragoman-project/dragoman/sdk/handler"
	pb "github.com/dragoman-project/dragoman/sdk/proto/dragoman/plugin/v1"
)

// remote is a handler in a process, whatever major version of the contract the process speaks.
type remote interface {
	handler.StreamHandler
	// Streams says whether the handler can parse outputs itself.
	Streams() bool
	// Cases asks for its golden cases, JSON Lines.
	Cases(ctx context.Context) ([]byte, error)
}

// contract is a major version of the contract: how a process of it is asked for its handlers.
type contract func(ctx context.Context, conn *grpc.ClientConn, hostVersion string) ([]remote, error)

// contracts are those that a host speaks, by version. A plugin is spoken to in the one that its manifest names, so that
// plugins of several versions run side by side.
type contracts map[int]contract

// spoken are the contracts that every host speaks.
func spoken() contracts { return contracts{wire.ProtocolVersion: first} }

// versions returns the versions, in order.
func (c contracts) versions() []int { return slices.Sorted(maps.Keys(c)) }

// first is the first version: package dragoman.plugin.v1.
func first(ctx context.Context, conn *grpc.ClientConn, hostVersion string) ([]remote, error) {
	handlers, err := rpc.Handlers(ctx, pb.NewPluginServiceClient(conn), hostVersion)
	all := make([]remote, len(handlers))
	for i, h := range handlers {
		all[i] = h
	}
	return all, err
}
