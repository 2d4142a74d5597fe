package api

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/pprof"
	"slices"

	"connectrpc.com/connect"
	"connectrpc.com/grpchealth"

	"github.com/dragoman-project/dragoman/host/api/metrics"
)

// The paths for supervisors.
const (
	healthPath     = "/healthz"
	readyPath      = "/readyz"
	metricsPath    = "/metrics"
	grpcHealthPath = "/grpc.health.v1.Health/" // begins the paths of gRPC's health checks
)

// supervised adds what supervisors ask for. A server exists when its host has loaded everything for the first time, so only
// shutting down makes it unready.
func (s *Server) supervised(mux *http.ServeMux) {
	mux.HandleFunc("GET "+healthPath, func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "ok") })
	mux.HandleFunc("GET "+readyPath, func(w http.ResponseWriter, _ *http.Request) {
		if s.draining.Load() {
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
	case r.Service != "" && !slices.Contains(services, r.Service):
		return nil, connect.NewError(connect.CodeNotFound, errors.New("there is no such service"))
	case c.server.draining.Load():
		return &grpchealth.CheckResponse{Status: grpchealth.StatusNotServing}, nil
	}
	return &grpchealth.CheckResponse{Status: grpchealth.StatusServing}, nil
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
