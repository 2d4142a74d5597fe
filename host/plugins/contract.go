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

// remote is a handler in a process, of whatever major version of the contract.
type remote interface {
	handler.StreamHandler
	// Streams reports whether the handler can parse outputs itself.
	Streams() bool
	// Cases returns its golden cases, in JSON Lines.
	Cases(ctx context.Context) ([]byte, error)
}

// contract is a major version of the plugin contract: how to get the handlers of a process.
type contract func(ctx context.Context, conn *grpc.ClientConn, hostVersion string) ([]remote, error)

// contracts are the contracts that a host supports, by version. A plugin uses the one that its manifest names, so that plugins
// of several versions run side by side.
type contracts map[int]contract

// supported returns the contracts that every host supports.
func supported() contracts { return contracts{wire.ProtocolVersion: first} }

// versions returns the versions, in order.
func (c contracts) versions() []int { return slices.Sorted(maps.Keys(c)) }

// first is version 1: package dragoman.plugin.v1.
func first(ctx context.Context, conn *grpc.ClientConn, hostVersion string) ([]remote, error) {
	handlers, err := rpc.Handlers(ctx, pb.NewPluginServiceClient(conn), hostVersion)
	all := make([]remote, len(handlers))
	for i, h := range handlers {
		all[i] = h
	}
	return all, err
}
