package api

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/dragoman-project/dragoman/host/config"
	"github.com/dragoman-project/dragoman/host/recorder"
	dragomanv1 "github.com/dragoman-project/dragoman/sdk/proto/dragoman/v1"
	"github.com/dragoman-project/dragoman/sdk/proto/dragoman/v1/dragomanv1connect"
)

// recording starts a daemon that records.
func recording(t *testing.T) *daemon {
	t.Helper()
	return serve(t, func(c *config.Config) { c.Recorder.Dir = t.TempDir() })
}

// watching returns a stream of recordings that has begun.
func (d *daemon) watching(t *testing.T) func() *dragomanv1.RecordingSummary {
	t.Helper()
	client := dragomanv1connect.NewRecordingServiceClient(http.DefaultClient, d.url)
	stream, err := client.WatchRecordings(t.Context(), new(dragomanv1.WatchRecordingsRequest))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = stream.Close() })
	next := func() *dragomanv1.RecordingSummary {
		if !stream.Receive() {
			t.Fatal(stream.Err())
		}
		return stream.Msg().Recording
	}
	if first := next(); first != nil {
		t.Errorf("the first message has %v", first)
	}
	return next
}

func TestWhatIsParsedCanBeListedAndFetched(t *testing.T) {
	d := recording(t)
	next := d.watching(t)
	if status, got := d.post(t, parsePath, parseBody(output1)); status != http.StatusOK {
		t.Fatal(got)
	}
	seen := next()
	var list struct {
		Recordings []struct{ ID, Template, Status string }
	}
	_, text := d.post(t, dragomanv1connect.RecordingServiceListRecordingsProcedure, "{}")
	if err := json.Unmarshal([]byte(text), &list); err != nil || len(list.Recordings) != 1 {
		t.Fatalf("%v: %s", err, text)
	}
	if one := list.Recordings[0]; one.ID != seen.Id || one.Template != template1 || one.Status != "complete" {
		t.Errorf("listed %+v, seen %v", one, seen)
	}
	client := dragomanv1connect.NewRecordingServiceClient(http.DefaultClient, d.url)
	got, err := client.GetRecording(t.Context(), &dragomanv1.GetRecordingRequest{Id: seen.Id})
	if err != nil {
		t.Fatal(err)
	}
	if string(got.Output) != output1 || got.Report.Status != "complete" || !strings.Contains(got.Request.Text, "Weather in Graz?") {
		t.Errorf("got %v", got)
	}
	whole := got.GenerationPrompt + output1
	for _, c := range got.Claims {
		if whole[c.GetStart():c.End] != c.Text {
			t.Errorf("claim %v is of %q", c, whole[c.GetStart():c.End])
		}
	}
	if n := len(got.Claims); n == 0 || int(got.Claims[n-1].End) != len(whole) {
		t.Errorf("the claims are %v", got.Claims)
	}
	if r, err := recorder.ReadDocument(got.Document); err != nil || r.ID != seen.Id || len(r.Program) == 0 || r.Source.Source == "" {
		t.Errorf("the document has %+v, %v", r, err)
	}
}

func TestWithoutARecorderThereAreNoRecordings(t *testing.T) {
	d := serve(t, nil)
	for _, path := range []string{dragomanv1connect.RecordingServiceListRecordingsProcedure, dragomanv1connect.RecordingServiceGetRecordingProcedure} {
		if status, got := d.post(t, path, `{}`); status != http.StatusServiceUnavailable || !strings.Contains(got, "recorder.dir") {
			t.Errorf("%s: %d %s", path, status, got)
		}
	}
}
