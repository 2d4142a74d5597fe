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

// The paths of health checks and metrics.
const (
	healthPath     = "/healthz"
	readyPath      = "/readyz"
	metricsPath    = "/metrics"
	grpcHealthPath = "/grpc.health.v1.Health/" // begins the paths of gRPC's health checks
	watchPath      = grpcHealthPath + "Watch"
)

// supervised registers health checks and metrics. A server is created after its host has loaded everything for the first time, so
// only shutting down makes it unready.
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

// checker implements gRPC's health checks, of the daemon as a whole or of one of its services.
type checker struct{ server *Server }

// Check reports whether new requests are accepted.
func (c checker) Check(_ context.Context, r *grpchealth.CheckRequest) (*grpchealth.CheckResponse, error) {
	switch {
	case !served(r.Service):
		return nil, connect.NewError(connect.CodeNotFound, errors.New("unknown service"))
	case c.server.draining():
		return &grpchealth.CheckResponse{Status: grpchealth.StatusNotServing}, nil
	}
	return &grpchealth.CheckResponse{Status: grpchealth.StatusServing}, nil
}

// draining reports whether the daemon is shutting down.
func (s *Server) draining() bool { return s.welcoming.Err() != nil }

// served reports whether there is a service of that name; "" is the daemon as a whole.
func served(service string) bool { return service == "" || slices.Contains(services, service) }

// watchBytes is the largest size of a request to watch the health.
const watchBytes = 4096

// watchable serves gRPC's health watch before next, whose limits do not suit it: it needs no token, is silent as long as nothing
// changes, and ends only with the client or the daemon.
func (s *Server) watchable(next http.Handler) http.Handler {
	watch := connect.NewServerStreamHandler(watchPath, s.watch, noted)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != watchPath {
			next.ServeHTTP(w, r)
			return
		}
		rc := http.NewResponseController(w)
		// Connections without a network, as in tests, do not support deadlines.
		_ = rc.SetReadDeadline(time.Now().Add(s.config().Limits.HeaderTime))
		body, _ := io.ReadAll(io.LimitReader(r.Body, watchBytes)) // an incomplete message is refused below
		_ = rc.SetReadDeadline(time.Time{})
		r.Body = io.NopCloser(bytes.NewReader(body))
		watch.ServeHTTP(w, r)
	})
}

// watch sends at once, and at each change, whether new requests are accepted. It ends with the client or the daemon.
func (s *Server) watch(ctx context.Context, r *connect.Request[healthv1.HealthCheckRequest], to *connect.ServerStream[healthv1.HealthCheckResponse]) error {
	defer s.watching.Add(-1)
	if limit := s.config().Limits.Sessions; int(s.watching.Add(1)) > limit {
		return failure(&fault.Error{Code: fault.Unavailable, Message: fmt.Sprintf("too many watching clients, at most %d are allowed", limit),
			Remedy: "try again later, or raise limits.sessions"})
	}
	send := func(status healthv1.HealthCheckResponse_ServingStatus, until context.Context) error {
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
		return send(healthv1.HealthCheckResponse_SERVICE_UNKNOWN, s.ending)
	}
	if !s.draining() {
		if err := send(healthv1.HealthCheckResponse_SERVING, s.welcoming); err != nil {
			return err
		}
	}
	return send(healthv1.HealthCheckResponse_NOT_SERVING, s.ending)
}

// Debug returns a handler for profiles and metrics, for a listener on loopback. It needs no token.
func Debug(m *metrics.Metrics) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("/debug/pprof/", pprof.Index)
	mux.HandleFunc("/debug/pprof/cmdline", pprof.Cmdline)
	mux.HandleFunc("/debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("/debug/pprof/symbol", pprof.Symbol)
	mux.HandleFunc("/debug/pprof/trace", pprof.Trace)
	mux.Handle("GET "+metricsPath, m.Handler())
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := fromHere(r, nil, nil); err != nil {
			writeError(w, err)
			return
		}
		mux.ServeHTTP(w, r)
	})
}
