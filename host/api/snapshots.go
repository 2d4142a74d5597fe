package api

import (
	"context"

	"github.com/dragoman-project/dragoman/host"
	"github.com/dragoman-project/dragoman/internal/wire/adminapi"
	dragomanv1 "github.com/dragoman-project/dragoman/sdk/proto/dragoman/v1"
	"github.com/dragoman-project/dragoman/sdk/proto/dragoman/v1/dragomanv1connect"
)

// snapshotService implements dragoman.v1.SnapshotService.
type snapshotService struct{ host *host.Host }

var _ dragomanv1connect.SnapshotServiceHandler = (*snapshotService)(nil)

// ListSnapshots lists the snapshots of the history.
func (s *snapshotService) ListSnapshots(context.Context, *dragomanv1.ListSnapshotsRequest) (*dragomanv1.ListSnapshotsResponse, error) {
	out := new(dragomanv1.ListSnapshotsResponse)
	for _, info := range s.host.History() {
		out.Snapshots = append(out.Snapshots, adminapi.EncodeSnapshot(info))
		if info.InForce {
			out.Rollback = adminapi.EncodeRollback(info.Rollback)
		}
	}
	return out, nil
}

// Rollback restores an earlier snapshot.
func (s *snapshotService) Rollback(ctx context.Context, m *dragomanv1.RollbackRequest) (*dragomanv1.RollbackResponse, error) {
	info, err := s.host.Rollback(ctx, m.To)
	if err != nil {
		return nil, err
	}
	return &dragomanv1.RollbackResponse{Snapshot: adminapi.EncodeSnapshot(info), Rollback: adminapi.EncodeRollback(info.Rollback)}, nil
}
