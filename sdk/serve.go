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

// Serve is the main function of a plugin: it serves the handlers until the host stops the process or ends itself. If the process
// was not started by a host, Serve prints a message and exits with status 1.
func Serve(handlers ...handler.Handler) {
	server, err := rpc.NewServer(handlers...)
	if err != nil {
		fmt.Fprintln(os.Stderr, "cannot serve this plugin:", err)
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

// keepOutputs makes a server restore standard output and error at its first call. By then go-plugin has replaced them by pipes
// that end in the connection, where the last output of a dying process would be lost; the host reads and logs the real ones.
func keepOutputs() grpc.ServerOption {
	stdout, stderr := os.Stdout, os.Stderr
	restore := sync.OnceFunc(func() { os.Stdout, os.Stderr = stdout, stderr })
	return grpc.ChainUnaryInterceptor(func(ctx context.Context, req any, _ *grpc.UnaryServerInfo, next grpc.UnaryHandler) (any, error) {
		restore()
		return next(ctx, req)
	})
}

// endWithHost ends the process, and those it started, when the host ends for any reason. The host holds the other end of a pipe
// and never writes to it; it also asks the system for a signal at its death.
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

// grpcPlugin adapts the service to go-plugin.
type grpcPlugin struct {
	plugin.NetRPCUnsupportedPlugin
	server *rpc.Server
}

func (p *grpcPlugin) GRPCServer(_ *plugin.GRPCBroker, s *grpc.Server) error {
	pb.RegisterPluginServiceServer(s, p.server)
	return nil
}

// GRPCClient fails: it belongs to the host.
func (p *grpcPlugin) GRPCClient(context.Context, *plugin.GRPCBroker, *grpc.ClientConn) (any, error) {
	return nil, errors.New("a plugin has no client of its own service")
}
