package api

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"net"
	"net/http"
	"os"
	"strings"
	"sync/atomic"
	"time"

	"connectrpc.com/connect"
	"connectrpc.com/grpcreflect"

	"github.com/dragoman-project/dragoman/host"
	"github.com/dragoman-project/dragoman/host/config"
	"github.com/dragoman-project/dragoman/sdk/proto/dragoman/v1/dragomanv1connect"
)

const (
	parseStreamPath = dragomanv1connect.ChatServiceParseStreamProcedure
	reflectionPath  = "/grpc.reflection." // begins the paths of reflection
	healthPath      = "/healthz"
	readyPath       = "/readyz"
)

// services are the names of all services.
var services = []string{dragomanv1connect.ChatServiceName, dragomanv1connect.TemplateServiceName, dragomanv1connect.AdminServiceName}

// headerTime is how long a client may take for the header of a request, idleTime how long a connection may be kept without one.
// A connection that is silent for pingAfter is asked whether it lives, and closed when it does not answer for pingTime.
const (
	headerTime = 10 * time.Second
	idleTime   = 2 * time.Minute
	pingAfter  = 30 * time.Second
	pingTime   = 15 * time.Second
)

// Options say what a server is made of.
type Options struct {
	// Logger gets what clients are not told; nil discards it.
	Logger *slog.Logger
	// Version is what the status tells of the daemon.
	Version string
}

// Server serves a host. Make one with New.
type Server struct {
	host     *host.Host
	log      *slog.Logger
	handler  http.Handler
	sessions atomic.Int64
	draining atomic.Bool
}

// New makes a server of h, which stays the caller's to close.
func New(h *host.Host, o Options) *Server {
	s := &Server{host: h, log: o.Logger}
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	own := faults{s.log}
	options := connect.WithHandlerOptions(
		withJSON(),
		connect.WithReadMaxBytes(s.config().Limits.BodyBytes),
		connect.WithInterceptors(connect.UnaryInterceptorFunc(own.told)),
	)
	mux := http.NewServeMux()
	chats := &chatService{host: h, sessions: &s.sessions, faults: own}
	mux.Handle(dragomanv1connect.NewChatServiceHandler(chats, options))
	mux.Handle(dragomanv1connect.NewTemplateServiceHandler(&templateService{host: h}, options))
	mux.Handle(dragomanv1connect.NewAdminServiceHandler(&adminService{host: h, sessions: &s.sessions, version: o.Version}, options))
	reflector := grpcreflect.NewStaticReflector(services...)
	mux.Handle(grpcreflect.NewHandlerV1(reflector))
	mux.Handle(grpcreflect.NewHandlerV1Alpha(reflector))
	mux.HandleFunc("POST "+linesPath, chats.parseLines)
	mux.HandleFunc("GET "+healthPath, func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "ok") })
	mux.HandleFunc("GET "+readyPath, s.ready)
	mux.HandleFunc("/", unknownPath)
	s.handler = &guard{next: mux, config: s.config, errors: connect.NewErrorWriter(options)}
	return s
}

// ServeHTTP answers one request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.handler.ServeHTTP(w, r) }

// Listen opens the address that the configuration names. A socket that a dead daemon left behind is replaced.
func Listen(ctx context.Context, l config.Listen) (net.Listener, error) {
	network, address := l.Network()
	if network == "unix" {
		removeDead(ctx, address)
	}
	var lc net.ListenConfig
	listener, err := lc.Listen(ctx, network, address)
	if err != nil {
		return nil, fmt.Errorf("cannot listen on %s: %w; stop what uses it, or set listen.address", l.Address, err)
	}
	if l.Cert == "" {
		return listener, nil
	}
	cert, err := tls.LoadX509KeyPair(l.Cert, l.Key)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("listen.cert and listen.key cannot be used: %w", err), listener.Close())
	}
	return tls.NewListener(listener, &tls.Config{
		Certificates: []tls.Certificate{cert}, MinVersion: tls.VersionTLS12, NextProtos: []string{"h2", "http/1.1"}}), nil
}

// removeDead removes a socket that nobody answers at.
func removeDead(ctx context.Context, path string) {
	info, err := os.Stat(path)
	if err != nil || info.Mode()&os.ModeSocket == 0 {
		return
	}
	var d net.Dialer
	if conn, err := d.DialContext(ctx, "unix", path); err == nil {
		_ = conn.Close()
		return
	}
	_ = os.Remove(path) // what is wrong with it, listening tells
}

// Serve serves until ctx ends. Then no new connections are taken, and what runs gets the configured time to finish.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	var protocols http.Protocols
	protocols.SetHTTP1(true)
	protocols.SetHTTP2(true)
	protocols.SetUnencryptedHTTP2(true) // gRPC without TLS
	srv := &http.Server{
		Handler:           s,
		Protocols:         &protocols,
		ReadHeaderTimeout: headerTime,
		IdleTimeout:       idleTime,
		HTTP2: &http.HTTP2Config{
			MaxConcurrentStreams: min(s.config().Limits.Sessions, math.MaxInt32), // a proxy may send all over one connection
			SendPingTimeout:      pingAfter,
			PingTimeout:          pingTime,
		},
		ErrorLog: slog.NewLogLogger(s.log.Handler(), slog.LevelDebug),
	}
	ended := make(chan error, 1)
	go func() { ended <- srv.Serve(l) }()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
		return s.drain(context.WithoutCancel(ctx), srv)
	}
}

// drain ends the server when nothing runs any longer, or when the time for that is over.
func (s *Server) drain(ctx context.Context, srv *http.Server) error {
	s.draining.Store(true)
	grace := s.config().Shutdown.Grace
	s.log.Info("shutting down", "grace", grace, "sessions", s.sessions.Load())
	ctx, cancel := context.WithTimeout(ctx, grace)
	defer cancel()
	err := srv.Shutdown(ctx)
	if errors.Is(err, context.DeadlineExceeded) {
		s.log.Warn("some requests did not finish in time and are cut off", "sessions", s.sessions.Load())
		return srv.Close()
	}
	return err
}

func (s *Server) config() *config.Config { return s.host.Snapshot().Config }

// ready says whether new requests are welcome.
func (s *Server) ready(w http.ResponseWriter, _ *http.Request) {
	if s.draining.Load() {
		http.Error(w, "shutting down", http.StatusServiceUnavailable)
		return
	}
	fmt.Fprintln(w, "ready")
}

func unknownPath(w http.ResponseWriter, r *http.Request) {
	writeError(w, &host.Error{Code: host.NotFound, Place: r.URL.Path, Message: "there is nothing here for " + r.Method,
		Remedy: fmt.Sprintf("POST to /SERVICE/METHOD, where the services are %s, or to %s", strings.Join(services, ", "), linesPath)})
}
