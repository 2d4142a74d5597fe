package metrics

import (
	"slices"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/dragoman-project/dragoman/host"
	"github.com/dragoman-project/dragoman/host/plugins"
)

// collector is a prometheus.Collector made of its Collect method.
type collector func(chan<- prometheus.Metric)

func (collector) Describe(chan<- *prometheus.Desc)      {}
func (f collector) Collect(to chan<- prometheus.Metric) { f(to) }

// TestMetricsSurviveSharedNamesAndInvalidPaths collects plugins that share a name, and paths that
// are not UTF-8.
func TestMetricsSurviveSharedNamesAndInvalidPaths(t *testing.T) {
	registry := prometheus.NewRegistry()
	registry.MustRegister(collector(func(to chan<- prometheus.Metric) {
		tellPlugins(to, []plugins.State{
			{Name: "a", Manifest: "/p/a.yaml", Starts: 1}, {Name: "a", Manifest: "/p/copy.yaml", Starts: 2},
			{Manifest: "/p/\xff.yaml", Condition: plugins.Refused}, {Manifest: "/p/a.yaml", Condition: plugins.Refused},
		})
		source(to, host.SourceStatus{Name: "model", Path: "/m/\xfe", SHA256: "0"})
	}))
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, f := range families {
		for _, m := range f.Metric {
			if f.GetName() == "dragoman_plugin_starts_total" {
				names = append(names, m.Label[0].GetValue())
			}
		}
	}
	if want := []string{"/p/a.yaml", "/p/copy.yaml", "/p/\uFFFD.yaml", "a"}; !slices.Equal(names, want) {
		t.Errorf("the plugins are labeled %q, expected %q", names, want)
	}
}
