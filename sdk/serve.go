package sdk

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strconv"
	"sync"
	"syscall"

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
	outputs := keepOutputs()
	plugin.Serve(&plugin.ServeConfig{
		HandshakeConfig: plugin.HandshakeConfig{MagicCookieKey: wire.CookieKey, MagicCookieValue: wire.CookieValue},
		VersionedPlugins: map[int]plugin.PluginSet{
			wire.ProtocolVersion: {wire.ServiceName: &grpcPlugin{server: server}},
		},
		GRPCServer: func(options []grpc.ServerOption) *grpc.Server {
			return grpc.NewServer(append(append(options, outputs), rpc.Options()...)...)
		},
		Logger: hclog.New(&hclog.LoggerOptions{Level: hclog.Error, Output: os.Stderr}),
	})
}

// keepOutputs makes a server give back standard output and error at its first call. By then go-plugin has put pipes in their
// place that end in the connection, where the last words of a dying process are lost; the host reads and logs the real ones.
func keepOutputs() grpc.ServerOption {
	stdout, stderr := os.Stdout, os.Stderr
	restore := sync.OnceFunc(func() { os.Stdout, os.Stderr = stdout, stderr })
	return grpc.ChainUnaryInterceptor(func(ctx context.Context, req any, _ *grpc.UnaryServerInfo, next grpc.UnaryHandler) (any, error) {
		restore()
		return next(ctx, req)
	})
}

// endWithHost ends the process when the host does, however it does, and with it what the process has started. The host holds
// the other end of a pipe and writes nothing to it; besides, it lets the system send a signal.
func endWithHost(fd string) {
	n, err := strconv.ParseUint(fd, 10, 16)
	if err != nil {
		return
	}
	gone := make(chan os.Signal, 1)
	signal.Notify(gone, syscall.SIGTERM)
	go func() {
		if _, err := io.Copy(io.Discard, os.NewFile(uintptr(n), "lifeline")); err == nil {
			gone <- syscall.SIGTERM
		}
	}()
	<-gone
	if syscall.Getpgrp() == os.Getpid() {
		_ = syscall.Kill(0, syscall.SIGKILL)
	}
	os.Exit(0)
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
