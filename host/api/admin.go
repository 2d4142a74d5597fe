package api

import (
	"context"
	"sync/atomic"
	"time"

	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/dragoman-project/dragoman/host"
	"github.com/dragoman-project/dragoman/host/plugins"
	dragomanv1 "github.com/dragoman-project/dragoman/sdk/proto/dragoman/v1"
	"github.com/dragoman-project/dragoman/sdk/proto/dragoman/v1/dragomanv1connect"
)

// adminService is dragoman.v1.AdminService.
type adminService struct {
	host     *host.Host
	sessions *atomic.Int64
	version  string
}

var _ dragomanv1connect.AdminServiceHandler = (*adminService)(nil)

// GetStatus says what is in force.
func (s *adminService) GetStatus(context.Context, *dragomanv1.GetStatusRequest) (*dragomanv1.GetStatusResponse, error) {
	st := s.host.Status()
	out := &dragomanv1.GetStatusResponse{
		Version:    s.version,
		StartedAt:  timestamppb.New(st.StartedAt),
		Generation: st.Generation,
		RulesHash:  st.RulesHash,
		Sessions:   uint32(max(0, s.sessions.Load())),
		Templates:  templates(st.Templates),
		Conflicts:  st.Conflicts,
		Warnings:   st.Warnings,
		Rollback:   rollback(st.Rollback),
		Trial:      trial(st.Trial),
	}
	for _, src := range st.Sources {
		out.Sources = append(out.Sources, source(src))
	}
	for _, p := range st.Plugins {
		out.Plugins = append(out.Plugins, plugin(p))
	}
	return out, nil
}

func source(s host.SourceStatus) *dragomanv1.Source {
	out := &dragomanv1.Source{
		Name: s.Name, Path: s.Path, Sha256: s.SHA256,
		LastSuccess: moment(s.LastSuccess), LastFailure: moment(s.LastFailure), LastError: s.LastError,
		Held: s.Held, OnDisk: s.OnDisk,
	}
	for _, f := range s.Faults {
		out.Faults = append(out.Faults, &dragomanv1.FileFault{Path: f.Path, Error: f.Error})
	}
	return out
}

func plugin(s plugins.State) *dragomanv1.Plugin {
	out := &dragomanv1.Plugin{
		Name: s.Name, Version: s.Version, Protocol: uint32(s.Protocol), Manifest: s.Manifest, Sha256: s.SHA256,
		Fallback: string(s.Fallback), State: string(s.Condition), Pid: uint32(s.PID), Generation: uint32(s.Generation),
		Starts: uint32(s.Starts), Restarts: uint32(s.Restarts), Sessions: uint32(s.Sessions), LastError: s.LastError, Fault: s.Fault,
	}
	for _, h := range s.Handlers {
		out.Handlers = append(out.Handlers, &dragomanv1.PluginHandler{
			Name: h.Name, Match: h.Match, Priority: int32(h.Priority), Capabilities: h.Capabilities,
		})
	}
	for _, d := range s.Draining {
		out.Draining = append(out.Draining, &dragomanv1.DrainingProcess{
			Version: d.Version, Generation: uint32(d.Generation), Pid: uint32(d.PID), Sessions: uint32(d.Sessions),
		})
	}
	return out
}

// Reload reads all files again.
func (s *adminService) Reload(ctx context.Context, _ *dragomanv1.ReloadRequest) (*dragomanv1.ReloadResponse, error) {
	if err := s.host.Reload(ctx); err != nil {
		return nil, err
	}
	return &dragomanv1.ReloadResponse{Generation: s.host.Snapshot().Generation}, nil
}

// moment is a time for the wire; one that never was is absent.
func moment(t time.Time) *timestamppb.Timestamp {
	if t.IsZero() {
		return nil
	}
	return timestamppb.New(t)
}
