package metrics

import (
	"slices"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/dragoman-project/dragoman/host"
	"github.com/dragoman-project/dragoman/host/plugins"
)

// told is a collector of what a function tells.
type told func(chan<- prometheus.Metric)

func (told) Describe(chan<- *prometheus.Desc)      {}
func (f told) Collect(to chan<- prometheus.Metric) { f(to) }

// TestNoPluginOrPathSpoilsTheNumbers has plugins that share a name, and paths that are no text.
func TestNoPluginOrPathSpoilsTheNumbers(t *testing.T) {
	registry := prometheus.NewRegistry()
	registry.MustRegister(told(func(to chan<- prometheus.Metric) {
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
		t.Errorf("told of %q, expected %q", names, want)
	}
}
