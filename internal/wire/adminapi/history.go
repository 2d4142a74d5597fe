package adminapi

import (
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/dragoman-project/dragoman/host"
	dragomanv1 "github.com/dragoman-project/dragoman/sdk/proto/dragoman/v1"
)

// EncodeSnapshot converts what is remembered of a snapshot.
func EncodeSnapshot(s host.SnapshotInfo) *dragomanv1.Snapshot {
	cause := &dragomanv1.Cause{Source: s.Cause.Source, RolledBackTo: s.Cause.To}
	for _, c := range s.Cause.Changes {
		cause.Changes = append(cause.Changes, &dragomanv1.ContentChange{Path: c.Path, Before: c.Before, After: c.After})
	}
	return &dragomanv1.Snapshot{
		Generation: s.Generation, PutAt: timestamppb.New(s.At), Cause: cause,
		ConfigHash: s.ConfigHash, RulesHash: s.RulesHash, TemplatesHash: s.TemplatesHash, Templates: uint32(s.Templates), InForce: s.InForce,
	}
}

// EncodeRollback converts the state of a rollback; nil: there was none.
func EncodeRollback(r *host.Rollback) *dragomanv1.RollbackState {
	if r == nil {
		return nil
	}
	return &dragomanv1.RollbackState{To: r.To, Since: timestamppb.New(r.Since), Held: r.Held}
}

func encodeTrial(t *host.Trial) *dragomanv1.Trial {
	if t == nil {
		return nil
	}
	return &dragomanv1.Trial{
		TriedAt: timestamppb.New(t.At), Source: t.Source, Path: t.Path, Templates: t.Templates, Cases: uint32(t.Cases), Outputs: uint32(t.Outputs),
		Untried: uint32(t.Untried), Regressions: encodeCases(t.Regressions), Changes: encodeCases(t.Changes), Refused: t.Refused, Error: t.Error,
	}
}
