package api

import (
	"context"
	"sync/atomic"

	"github.com/dragoman-project/dragoman/host"
	"github.com/dragoman-project/dragoman/internal/wire/adminapi"
	dragomanv1 "github.com/dragoman-project/dragoman/sdk/proto/dragoman/v1"
	"github.com/dragoman-project/dragoman/sdk/proto/dragoman/v1/dragomanv1connect"
)

// adminService implements dragoman.v1.AdminService.
type adminService struct {
	host     *host.Host
	sessions *atomic.Int64
	version  string
}

var _ dragomanv1connect.AdminServiceHandler = (*adminService)(nil)

// GetStatus returns the state of the daemon.
func (s *adminService) GetStatus(ctx context.Context, _ *dragomanv1.GetStatusRequest) (*dragomanv1.GetStatusResponse, error) {
	m := adminapi.EncodeStatus(s.host.Status(ctx))
	m.Version, m.Sessions = s.version, uint32(max(0, s.sessions.Load()))
	return m, nil
}

// Reload reads all files again.
func (s *adminService) Reload(ctx context.Context, _ *dragomanv1.ReloadRequest) (*dragomanv1.ReloadResponse, error) {
	if err := s.host.Reload(ctx); err != nil {
		return nil, err
	}
	return &dragomanv1.ReloadResponse{Generation: s.host.Snapshot().Generation}, nil
}
