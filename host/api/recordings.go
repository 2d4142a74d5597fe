package api

import (
	"context"
	"errors"

	"connectrpc.com/connect"

	"github.com/dragoman-project/dragoman/host"
	"github.com/dragoman-project/dragoman/host/recorder"
	"github.com/dragoman-project/dragoman/internal/wire/adminapi"
	dragomanv1 "github.com/dragoman-project/dragoman/sdk/proto/dragoman/v1"
	"github.com/dragoman-project/dragoman/sdk/proto/dragoman/v1/dragomanv1connect"
)

// recordingService implements dragoman.v1.RecordingService.
type recordingService struct {
	host   *host.Host
	player *recorder.Player
	faults faults
	ending context.Context // ends when nothing new may begin
}

var _ dragomanv1connect.RecordingServiceHandler = (*recordingService)(nil)

// How many recordings a list has by default, and at most.
const (
	someRecordings = 100
	mostRecordings = 1000
)

// ListRecordings lists recordings.
func (s *recordingService) ListRecordings(ctx context.Context, m *dragomanv1.ListRecordingsRequest) (*dragomanv1.ListRecordingsResponse, error) {
	f := adminapi.DecodeFilter(m)
	if f.Limit == 0 {
		f.Limit = someRecordings
	}
	f.Limit = min(f.Limit, mostRecordings)
	listed, err := s.host.ListRecordings(ctx, f)
	if err != nil {
		return nil, err
	}
	return adminapi.EncodeListed(listed), nil
}

// GetRecording returns a recording, with who reads what of it.
func (s *recordingService) GetRecording(ctx context.Context, m *dragomanv1.GetRecordingRequest) (*dragomanv1.GetRecordingResponse, error) {
	r, err := s.host.Recording(ctx, m.Id)
	if err != nil {
		return nil, err
	}
	explained, err := s.explain(ctx, r)
	if err != nil && !errors.Is(err, recorder.ErrStream) {
		s.faults.logger.Warn("a recording cannot be explained", "recording", r.ID, "error", err)
	}
	return adminapi.EncodeRecording(r, explained)
}

func (s *recordingService) explain(ctx context.Context, r *recorder.Recording) (*recorder.Explanation, error) {
	plan, err := s.player.Plan(ctx, r)
	if err != nil {
		return nil, err
	}
	return recorder.Explain(ctx, r, plan)
}

// WatchRecordings sends recordings as they are written.
func (s *recordingService) WatchRecordings(ctx context.Context, m *dragomanv1.WatchRecordingsRequest, to *connect.ServerStream[dragomanv1.WatchRecordingsResponse]) error {
	rec := recordOf(ctx)
	rec.reached = true
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(s.ending, cancel)()
	rec.err = s.faults.run(watchRecordingsPath, func() error {
		return s.watch(ctx, adminapi.DecodeFilter(&dragomanv1.ListRecordingsRequest{Template: m.Template, Marks: m.Marks}), to)
	})
	if rec.err != nil {
		return failure(rec.err)
	}
	return nil
}

// watch sends recordings until ctx ends.
func (s *recordingService) watch(ctx context.Context, f recorder.Filter, to *connect.ServerStream[dragomanv1.WatchRecordingsResponse]) error {
	all, err := s.host.WatchRecordings(ctx, f)
	if err != nil {
		return err
	}
	for one := new(dragomanv1.WatchRecordingsResponse); ; {
		if err := to.Send(one); err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return nil
		case next := <-all:
			one = &dragomanv1.WatchRecordingsResponse{Recording: adminapi.EncodeSummary(&next)}
		}
	}
}
