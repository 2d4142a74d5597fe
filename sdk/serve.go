package sdk

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"

	"github.com/hashicorp/go-hclog"
	"github.com/hashicorp/go-plugin"
	"google.golang.org/grpc"

	"github.com/dragoman-project/dragoman/internal/wire"
	"github.com/dragoman-project/dragoman/internal/wire/rpc"
	"github.com/dragoman-project/dragoman/sdk/handler"
	pb "github.com/dragoman-project/dragoman/sdk/proto/dragoman/plugin/v1"
)

// Serve is the main function of a plugin: it serves the handlers until the host asks the process to end, or is gone. Called
// by anyone but the host it says so and ends the process with status 1.
func Serve(handlers ...handler.Handler) {
	server, err := rpc.NewServer(handlers...)
	if err != nil {
		fmt.Fprintln(os.Stderr, "this plugin cannot be served:", err)
		os.Exit(1)
	}
	go endWithHost(os.Getenv(wire.LifelineKey))
	plugin.Serve(&plugin.ServeConfig{
		HandshakeConfig: plugin.HandshakeConfig{MagicCookieKey: wire.CookieKey, MagicCookieValue: wire.CookieValue},
		VersionedPlugins: map[int]plugin.PluginSet{
			wire.ProtocolVersion: {wire.ServiceName: &grpcPlugin{server: server}},
		},
		GRPCServer: func(options []grpc.ServerOption) *grpc.Server {
			return grpc.NewServer(append(options, rpc.Options()...)...)
		},
		Logger: hclog.New(&hclog.LoggerOptions{Level: hclog.Error, Output: os.Stderr}),
	})
}

// endWithHost ends the process when the host does, however it does: the host holds the other end of a pipe and writes
// nothing to it.
func endWithHost(fd string) {
	n, err := strconv.ParseUint(fd, 10, 16)
	if err != nil {
		return
	}
	lifeline := os.NewFile(uintptr(n), "lifeline")
	if _, err := io.Copy(io.Discard, lifeline); err == nil {
		os.Exit(0)
	}
}

// grpcPlugin is how go-plugin knows the service.
type grpcPlugin struct {
	plugin.NetRPCUnsupportedPlugin
	server *rpc.Server
}

func (p *grpcPlugin) GRPCServer(_ *plugin.GRPCBroker, s *grpc.Server) error {
	pb.RegisterPluginServiceServer(s, p.server)
	return nil
}

// GRPCClient is the host's side, which is not here.
func (p *grpcPlugin) GRPCClient(context.Context, *plugin.GRPCBroker, *grpc.ClientConn) (any, error) {
	return nil, errors.New("this is the side of the plugin")
}
