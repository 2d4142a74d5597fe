package host_test

import (
	"context"
	"testing"

	"github.com/dragoman-project/dragoman/sdk/session"
)

// TestPoliciesAndPlanAreOfOneSnapshot swaps two configurations while it parses an output that one
// of them refuses as malformed and the other as too long. Only a mixture of both would accept it.
func TestPoliciesAndPlanAreOfOneSnapshot(t *testing.T) {
	h, _ := startConfigured(t, "parsing: {malformed: error}\n")
	next, after := h.Snapshot().Generation, uint64(0)
	h.edit(t, "parsing: {malformed: deliver}\nlimits: {output_bytes: 10}\n")
	after = h.Snapshot().Generation
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for {
			select {
			case <-stop:
				return
			default:
				info, err := h.Rollback(context.Background(), next)
				if err != nil {
					t.Error(err)
					return
				}
				next, after = after, info.Generation // the history would soon forget the older one
			}
		}
	}()
	for range 200 {
		p, err := h.PlanJSON(context.Background(), "chatml-json", []byte(weather))
		must(t, err)
		s := p.Session(context.Background(), session.Options{})
		_, err = s.Feed([]byte("<tool_call>\n{\"name\": \"weather\", \"arguments\": {\"town\" \"Graz\"}}\n</tool_call>"))
		if err == nil {
			_, err = s.Finish(false)
		}
		s.Close()
		if err == nil {
			t.Fatal("the limits of one configuration were in force with the policies of another")
		}
	}
	close(stop)
	<-stopped
}
