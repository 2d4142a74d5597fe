package metrics

import (
	"slices"
	"testing"

	"github.com/dragoman-project/dragoman/sdk/chat"
)

func TestReportsAreCountedByTemplateAndStatus(t *testing.T) {
	m := New("")
	for _, end := range []struct {
		template string
		report   *chat.Report
	}{
		{"b", &chat.Report{Status: chat.Malformed}},
		{"a", &chat.Report{Status: chat.Complete}},
		{"a", nil},
		{"a", &chat.Report{Status: chat.Complete}},
	} {
		m.Began(end.template, "h").Ended(end.report)
	}
	all, err := m.Reports()
	if want := []ReportCount{{"a", "abandoned", 1}, {"a", "complete", 2}, {"b", "malformed", 1}}; err != nil || !slices.Equal(all, want) {
		t.Errorf("%+v, error %v", all, err)
	}
}
