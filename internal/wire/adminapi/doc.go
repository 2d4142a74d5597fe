// Package adminapi converts between the messages of the daemon's services for operators (AdminService, TemplateService,
// SnapshotService and WorkaroundService of dragoman.v1) and the values of package host. What the command line prints of a running
// daemon is decoded here, so that it prints what the same command prints without one.
//
// A time that never was is absent in a message.
package adminapi

import (
	"time"

	"google.golang.org/protobuf/types/known/timestamppb"
)

func encodeTime(t time.Time) *timestamppb.Timestamp {
	if t.IsZero() {
		return nil
	}
	return timestamppb.New(t)
}
