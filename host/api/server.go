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
	"strings"
	"sync/atomic"
	"time"

	"connectrpc.com/connect"
	"connectrpc.com/grpchealth"
	"connectrpc.com/grpcreflect"
	"go.opentelemetry.io/otel/trace"
	"go.opentelemetry.io/otel/trace/noop"

	"github.com/dragoman-project/dragoman/host"
	"github.com/dragoman-project/dragoman/host/api/metrics"
	"github.com/dragoman-project/dragoman/host/config"
	"github.com/dragoman-project/dragoman/host/recorder"
	"github.com/dragoman-project/dragoman/sdk/fault"
	"github.com/dragoman-project/dragoman/sdk/proto/dragoman/v1/dragomanv1connect"
)

const (
	parseStreamPath  = dragomanv1connect.ChatServiceParseStreamProcedure
	parseStreamsPath = dragomanv1connect.ChatServiceParseStreamsProcedure
	// It is silent as long as nothing is recorded.
	watchRecordingsPath = dragomanv1connect.RecordingServiceWatchRecordingsProcedure
	reflectionPath      = "/grpc.reflection." // begins the paths of reflection
)

// services are the names of all services.
var services = []string{dragomanv1connect.ChatServiceName, dragomanv1connect.TemplateServiceName,
	dragomanv1connect.WorkaroundServiceName, dragomanv1connect.SnapshotServiceName, dragomanv1connect.RecordingServiceName, dragomanv1connect.AdminServiceName}

// A connection without requests is closed after idleTime. One that is silent for pingAfter gets a ping, and is closed if it does
// not answer within pingTime.
const (
	idleTime  = 2 * time.Minute
	pingAfter = 30 * time.Second
	pingTime  = 15 * time.Second
)

// compressed is the size in bytes from which messages are compressed, if the client accepts that: a plan with a large grammar,
// but not the messages of streams, which cost more to compress than to send.
const compressed = 64 << 10

// Options configure a server. The zero value works.
type Options struct {
	// Logger gets what clients should not see; nil discards it.
	Logger *slog.Logger
	// Version is the daemon's version in its status.
	Version string
	// Secrets are the tokens and the certificate from the configured files. If it is nil although tokens are configured, no
	// request is accepted.
	Secrets *Secrets
	// Metrics count requests; nil: the server's own. To count sessions they must also be the host's Observer.
	Metrics *metrics.Metrics
	// Tracer creates a span for each request; nil: there are none.
	Tracer trace.Tracer
	// Endpoints are served beside the services.
	Endpoints []Endpoint
}

// Server serves a host over HTTP. Create it with New.
type Server struct {
	host     *host.Host
	log      *slog.Logger
	secrets  *Secrets
	metrics  *metrics.Metrics
	handler  http.Handler
	chats    *chatService
	sessions atomic.Int64
	watching atomic.Int64 // clients that watch the health

	welcoming context.Context // ends when the daemon asks to be sent no more requests
	unwelcome context.CancelFunc
	ending    context.Context // ends when nothing new may begin
	end       context.CancelFunc
	last      context.Context // ends when what still runs is cut off
	cut       context.CancelFunc
}

// New returns a server of h. The caller remains responsible for closing h.
func New(h *host.Host, o Options) *Server {
	o = o.filled()
	o.Metrics.Watch(h)
	s := &Server{host: h, log: o.Logger, secrets: o.Secrets, metrics: o.Metrics}
	s.welcoming, s.unwelcome = context.WithCancel(context.Background())
	s.ending, s.end = context.WithCancel(context.Background())
	s.last, s.cut = context.WithCancel(context.Background())
	own := faults{s.log}
	options := connect.WithHandlerOptions(
		withJSON(),
		connect.WithCodec(protoCodec{}),
		connect.WithReadMaxBytes(s.config().Limits.BodyBytes),
		withGzip(),
		connect.WithCompressMinBytes(compressed),
		connect.WithInterceptors(connect.UnaryInterceptorFunc(own.unary)),
	)
	mux := http.NewServeMux()
	s.chats = &chatService{host: h, sessions: &s.sessions, faults: own, ending: s.ending, workers: make(workers)}
	mux.Handle(dragomanv1connect.NewChatServiceHandler(s.chats, options))
	mux.Handle(dragomanv1connect.NewTemplateServiceHandler(&templateService{host: h}, options))
	mux.Handle(dragomanv1connect.NewSnapshotServiceHandler(&snapshotService{host: h}, options))
	mux.Handle(dragomanv1connect.NewWorkaroundServiceHandler(&workaroundService{host: h}, options))
	recordings := &recordingService{host: h, player: recorder.NewPlayer(), faults: own, ending: s.ending}
	mux.Handle(dragomanv1connect.NewRecordingServiceHandler(recordings, options))
	mux.Handle(dragomanv1connect.NewAdminServiceHandler(&adminService{host: h, sessions: &s.sessions, version: o.Version}, options))
	reflector := grpcreflect.NewStaticReflector(append([]string{grpchealth.HealthV1ServiceName}, services...)...)
	mux.Handle(grpcreflect.NewHandlerV1(reflector, noted))
	mux.Handle(grpcreflect.NewHandlerV1Alpha(reflector, noted))
	mux.HandleFunc("POST "+linesPath, s.chats.parseLines)
	s.supervised(mux)
	others := endpoints(o.Endpoints)
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		if e := others.find(r); e != nil {
			s.handle(e, own)(w, r)
			return
		}
		unknownPath(w, r)
	})
	methods := methodNames(others)
	guarded := &guard{last: s.last, others: others, next: known(methods, others, mux), config: s.config, secrets: s.secrets, errors: connect.NewErrorWriter(options)}
	s.handler = &observe{next: s.watchable(guarded), config: s.config, log: s.log, metrics: s.metrics, tracer: o.Tracer, methods: methods, others: others}
	return s
}

func (o Options) filled() Options {
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.Secrets == nil {
		o.Secrets = new(Secrets)
	}
	if o.Metrics == nil {
		o.Metrics = metrics.New(o.Version)
	}
	if o.Tracer == nil {
		o.Tracer = noop.NewTracerProvider().Tracer("")
	}
	return o
}

// ServeHTTP answers one request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.handler.ServeHTTP(w, r) }

// Serve serves until ctx ends, with TLS if a certificate is configured. Then it accepts no new connections, and gives running
// requests the configured time to finish.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	var protocols http.Protocols
	protocols.SetHTTP1(true)
	protocols.SetHTTP2(true)
	protocols.SetUnencryptedHTTP2(true) // gRPC without TLS
	srv := &http.Server{
		Handler:           s,
		Protocols:         &protocols,
		ReadHeaderTimeout: s.config().Limits.HeaderTime,
		IdleTimeout:       idleTime,
		ConnContext:       withConn,
		HTTP2: &http.HTTP2Config{
			MaxConcurrentStreams: min(s.config().Limits.Sessions, math.MaxInt32), // a proxy may send all over one connection
			SendPingTimeout:      pingAfter,
			PingTimeout:          pingTime,
		},
		ErrorLog: slog.NewLogLogger(s.log.Handler(), slog.LevelDebug),
	}
	l = &watched{Listener: l, log: s.log, lost: s.metrics.Lost, limit: func() int { return s.config().Limits.Connections }}
	if s.config().Listen.Cert != "" {
		l = tls.NewListener(l, s.secrets.pair.tls())
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

// drain ends the server when nothing runs any longer, or when its time is over.
func (s *Server) drain(ctx context.Context, srv *http.Server) error {
	s.unwelcome()
	times := s.config().Shutdown
	s.log.Info("shutting down", "delay", times.Delay.Seconds(), "grace", times.Grace.Seconds(), "sessions", s.sessions.Load())
	time.Sleep(times.Delay)
	s.end()
	ctx, cancel := context.WithTimeout(ctx, times.Grace)
	defer cancel()
	err := srv.Shutdown(ctx)
	if errors.Is(err, context.DeadlineExceeded) {
		s.log.Warn("some requests did not finish in time and are cut off", "sessions", s.sessions.Load())
		s.cut()
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), farewellTime)
		defer cancel()
		if srv.Shutdown(ctx) == nil {
			return nil
		}
		return srv.Close()
	}
	return err
}

// farewellTime is how long requests that are cut off may take to say so to their clients.
const farewellTime = time.Second

func (s *Server) config() *config.Config { return s.host.Snapshot().Config }

// known refuses unknown paths: connect would not explain that a service has no such method.
func known(methods map[string]string, others endpoints, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if methods[r.URL.Path] == "" && others.find(r) == nil {
			unknownPath(w, r)
			return
		}
		next.ServeHTTP(w, r)
	})
}

func unknownPath(w http.ResponseWriter, r *http.Request) {
	writeError(w, &fault.Error{Code: fault.NotFound, Place: r.URL.Path, Message: "no handler for " + r.Method,
		Remedy: fmt.Sprintf("POST to /SERVICE/METHOD, where the services are %s, or to %s", strings.Join(services, ", "), linesPath)})
}
