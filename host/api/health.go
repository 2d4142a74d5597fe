package api

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/pprof"
	"slices"
	"time"

	"connectrpc.com/connect"
	"connectrpc.com/grpchealth"
	healthv1 "google.golang.org/grpc/health/grpc_health_v1"

	"github.com/dragoman-project/dragoman/host/api/metrics"
	"github.com/dragoman-project/dragoman/sdk/fault"
)

// The paths for supervisors.
const (
	healthPath     = "/healthz"
	readyPath      = "/readyz"
	metricsPath    = "/metrics"
	grpcHealthPath = "/grpc.health.v1.Health/" // begins the paths of gRPC's health checks
	watchPath      = grpcHealthPath + "Watch"
)

// supervised adds what supervisors ask for. A server exists when its host has loaded everything for the first time, so only
// shutting down makes it unready.
func (s *Server) supervised(mux *http.ServeMux) {
	mux.HandleFunc("GET "+healthPath, func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "ok") })
	mux.HandleFunc("GET "+readyPath, func(w http.ResponseWriter, _ *http.Request) {
		if s.draining() {
			http.Error(w, "shutting down", http.StatusServiceUnavailable)
			return
		}
		fmt.Fprintln(w, "ready")
	})
	mux.Handle("GET "+metricsPath, s.metrics.Handler())
	mux.Handle(grpchealth.NewHandler(checker{s}))
}

// checker answers gRPC's health checks, of the daemon as a whole or of one of its services.
type checker struct{ server *Server }

// Check says whether new requests are welcome.
func (c checker) Check(_ context.Context, r *grpchealth.CheckRequest) (*grpchealth.CheckResponse, error) {
	switch {
	case !served(r.Service):
		return nil, connect.NewError(connect.CodeNotFound, errors.New("there is no such service"))
	case c.server.draining():
		return &grpchealth.CheckResponse{Status: grpchealth.StatusNotServing}, nil
	}
	return &grpchealth.CheckResponse{Status: grpchealth.StatusServing}, nil
}

// draining says whether the daemon is about to end.
func (s *Server) draining() bool { return s.welcoming.Err() != nil }

// served says whether there is a service of that name; the empty one is the daemon as a whole.
func served(service string) bool { return service == "" || slices.Contains(services, service) }

// watchBytes is how long a request to watch the health may be.
const watchBytes = 4096

// watchable puts the watching of gRPC's health before next, whose limits are not made for it: nobody has a token for it, it is
// silent for as long as nothing changes, and only the client or the daemon ends it.
func (s *Server) watchable(next http.Handler) http.Handler {
	watch := connect.NewServerStreamHandler(watchPath, s.watch, noted)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != watchPath {
			next.ServeHTTP(w, r)
			return
		}
		rc := http.NewResponseController(w)
		// A connection that knows no deadlines, as in tests without a network, has none.
		_ = rc.SetReadDeadline(time.Now().Add(s.config().Limits.HeaderTime))
		body, _ := io.ReadAll(io.LimitReader(r.Body, watchBytes)) // what is missing of it is no message, and told so
		_ = rc.SetReadDeadline(time.Time{})
		r.Body = io.NopCloser(bytes.NewReader(body))
		watch.ServeHTTP(w, r)
	})
}

// watch tells at once, and on each change, whether new requests are welcome. It ends when the client goes, or the daemon.
func (s *Server) watch(ctx context.Context, r *connect.Request[healthv1.HealthCheckRequest], to *connect.ServerStream[healthv1.HealthCheckResponse]) error {
	defer s.watching.Add(-1)
	if limit := s.config().Limits.Sessions; int(s.watching.Add(1)) > limit {
		return failure(&fault.Error{Code: fault.Unavailable, Message: fmt.Sprintf("%d clients are watching already", limit),
			Remedy: "try again later, or raise limits.sessions"})
	}
	tell := func(status healthv1.HealthCheckResponse_ServingStatus, until context.Context) error {
		if err := to.Send(&healthv1.HealthCheckResponse{Status: status}); err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-until.Done():
			return nil
		}
	}
	if !served(r.Msg.Service) {
		return tell(healthv1.HealthCheckResponse_SERVICE_UNKNOWN, s.ending)
	}
	if !s.draining() {
		if err := tell(healthv1.HealthCheckResponse_SERVING, s.welcoming); err != nil {
			return err
		}
	}
	return tell(healthv1.HealthCheckResponse_NOT_SERVING, s.ending)
}

// Debug is what those see who look for faults of the daemon itself: profiles and metrics, without a token.
func Debug(m *metrics.Metrics) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("/debug/pprof/", pprof.Index)
	mux.HandleFunc("/debug/pprof/cmdline", pprof.Cmdline)
	mux.HandleFunc("/debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("/debug/pprof/symbol", pprof.Symbol)
	mux.HandleFunc("/debug/pprof/trace", pprof.Trace)
	mux.Handle("GET "+metricsPath, m.Handler())
	return mux
}
