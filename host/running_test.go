package host_test

import (
	"testing"

	"github.com/dragoman-project/dragoman/host"
	"github.com/dragoman-project/dragoman/sdk/session"
)

// TestOutputsUnderWayAreListed begins three outputs, and ends each in another way.
func TestOutputsUnderWayAreListed(t *testing.T) {
	h := start(t, nil)
	begin := func(template string) *host.Session {
		p, err := h.PlanJSON(t.Context(), template, []byte(weather))
		must(t, err)
		return p.Session(t.Context(), session.Options{})
	}
	first, second, other := begin("chatml-json"), begin("chatml-json"), begin("chatml-tagged")
	all := h.Running()
	if len(all) != 2 || all[0].Template != "chatml-json" || all[0].Handler != "autoparser" || all[0].Outputs != 2 || all[1].Outputs != 1 {
		t.Fatalf("under way: %+v", all)
	}
	oldest := all[0].Oldest
	if oldest.IsZero() || oldest.After(all[1].Oldest) {
		t.Errorf("the first output began at %v, the last one at %v", oldest, all[1].Oldest)
	}
	_, err := first.Finish(false)
	must(t, err)
	other.Close()
	other.Close()
	if all := h.Running(); len(all) != 1 || all[0].Outputs != 1 || all[0].Oldest.Before(oldest) {
		t.Errorf("under way: %+v", all)
	}
	second.Close()
	if all := h.Running(); len(all) != 0 {
		t.Errorf("under way: %+v", all)
	}
}
