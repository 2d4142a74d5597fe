package api

import (
	"context"

	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/dragoman-project/dragoman/host"
	dragomanv1 "github.com/dragoman-project/dragoman/sdk/proto/dragoman/v1"
	"github.com/dragoman-project/dragoman/sdk/proto/dragoman/v1/dragomanv1connect"
)

// snapshotService is dragoman.v1.SnapshotService.
type snapshotService struct{ host *host.Host }

var _ dragomanv1connect.SnapshotServiceHandler = (*snapshotService)(nil)

// ListSnapshots lists what is remembered of what was in force.
func (s *snapshotService) ListSnapshots(context.Context, *dragomanv1.ListSnapshotsRequest) (*dragomanv1.ListSnapshotsResponse, error) {
	out := new(dragomanv1.ListSnapshotsResponse)
	for _, info := range s.host.History() {
		out.Snapshots = append(out.Snapshots, snapshot(info))
		if info.InForce {
			out.Rollback = rollback(info.Rollback)
		}
	}
	return out, nil
}

// Rollback puts an earlier snapshot in force again.
func (s *snapshotService) Rollback(_ context.Context, m *dragomanv1.RollbackRequest) (*dragomanv1.RollbackResponse, error) {
	info, err := s.host.Rollback(m.To)
	if err != nil {
		return nil, err
	}
	return &dragomanv1.RollbackResponse{Snapshot: snapshot(info), Rollback: rollback(info.Rollback)}, nil
}

func snapshot(s host.SnapshotInfo) *dragomanv1.Snapshot {
	cause := &dragomanv1.Cause{Source: s.Cause.Source, RolledBackTo: s.Cause.To}
	for _, c := range s.Cause.Changes {
		cause.Changes = append(cause.Changes, &dragomanv1.ContentChange{Path: c.Path, Before: c.Before, After: c.After})
	}
	return &dragomanv1.Snapshot{
		Generation: s.Generation, PutAt: timestamppb.New(s.At), Cause: cause,
		ConfigHash: s.ConfigHash, RulesHash: s.RulesHash, TemplatesHash: s.TemplatesHash, Templates: uint32(s.Templates), InForce: s.InForce,
	}
}

func rollback(r *host.Rollback) *dragomanv1.RollbackState {
	if r == nil {
		return nil
	}
	return &dragomanv1.RollbackState{To: r.To, Since: timestamppb.New(r.Since), Held: r.Held}
}

func trial(t *host.Trial) *dragomanv1.Trial {
	if t == nil {
		return nil
	}
	return &dragomanv1.Trial{
		TriedAt: timestamppb.New(t.At), Source: t.Source, Path: t.Path, Templates: t.Templates, Cases: uint32(t.Cases), Outputs: uint32(t.Outputs),
		Untried: uint32(t.Untried), Regressions: caseChanges(t.Regressions), Changes: caseChanges(t.Changes), Refused: t.Refused, Error: t.Error,
	}
}
