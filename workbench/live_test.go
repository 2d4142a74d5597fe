package workbench

import (
	"testing"

	"github.com/dragoman-project/dragoman/sdk/session"
)

func TestOutputsUnderWayAreShown(t *testing.T) {
	t.Parallel()
	d := serveBench(t, nil)
	p, err := d.host.PlanJSON(t.Context(), "chatml-json", []byte(weather))
	if err != nil {
		t.Fatal(err)
	}
	s := p.Session(t.Context(), session.Options{})
	view := post[liveView](t, d, "live", struct{}{})
	if len(view.Running) != 1 || view.Running[0].Template != "chatml-json" || view.Running[0].Outputs != 1 || view.Running[0].Oldest.IsZero() {
		t.Errorf("%+v", view.Running)
	}
	s.Close()
	if view = post[liveView](t, d, "live", struct{}{}); len(view.Running) != 0 || view.Engines == nil || view.Reports == nil || view.Trials == nil || view.CanaryTries {
		t.Errorf("%+v", view)
	}
}
