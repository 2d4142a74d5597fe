package metrics

import (
	"strings"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/dragoman-project/dragoman/host"
	"github.com/dragoman-project/dragoman/host/plugins"
	"github.com/dragoman-project/dragoman/internal/cache"
)

// Watch adds metrics of the host's state, read at each scrape.
func (m *Metrics) Watch(h *host.Host) { m.registry.MustRegister(state{h}) }

// state collects the state of a host.
type state struct{ host *host.Host }

// The metrics of a host's state.
var (
	generation = describe("dragoman_snapshot_generation", "Counts what was put in force: configuration, rules, templates.")
	rules      = describe("dragoman_rules_info", "The hash of the workarounds in force, always 1.", "sha256")

	sourceInfo    = describe("dragoman_source_info", "The hash of the content in force of each file that is watched, always 1.", "source", "path", "sha256")
	sourceOK      = describe("dragoman_source_last_reload_successful", "Whether the present content of a source is in force (1) or was refused (0).", "source", "path")
	sourceSuccess = describe("dragoman_source_last_success_timestamp_seconds", "When content of a source was last put in force.", "source", "path")
	sourceReloads = describe("dragoman_source_reloads_total", "Contents of a source that were put in force (success) or refused (failure).", "source", "path", "outcome")

	unproven = describe("dragoman_template_unproven", "Parts of templates that are read as content because nothing proves how they are written, always 1.", "template", "part")

	pluginCondition = describe("dragoman_plugin_condition", "What a plugin is doing: 1 for its condition, 0 for all others.", "plugin", "condition")
	pluginStarts    = describe("dragoman_plugin_starts_total", "Processes of a plugin's version in force that were started or tried to.", "plugin")
	pluginRestarts  = describe("dragoman_plugin_restarts_total", "Those among them that replaced one that had failed.", "plugin")
	pluginSessions  = describe("dragoman_plugin_sessions", "Calls and streams of a plugin under way.", "plugin")

	canaryTrials = describe("dragoman_canary_trials_total", "Changes that were tried before they went live, and then went live (live) or did not (refused).", "outcome")

	recordings = describe("dragoman_recordings_total", "Outputs that were to be recorded, by what became of them: written, or lost and why.", "result")

	cacheLookups = describe("dragoman_cache_lookups_total", "Assembled programs, constraints and compiled programs that were found ready (hit) or had to be made (miss).", "cache", "outcome")
	cacheEntries = describe("dragoman_cache_entries", "Assembled programs, constraints and compiled programs that are kept.", "cache")
)

func describe(name, help string, labels ...string) *prometheus.Desc {
	return prometheus.NewDesc(name, help, labels, nil)
}

var _ prometheus.Collector = state{}

// Describe sends nothing, because plugins and sources change.
func (state) Describe(chan<- *prometheus.Desc) {}

// Collect sends the current state.
func (s state) Collect(to chan<- prometheus.Metric) {
	snap := s.host.Snapshot()
	tell(to, generation, prometheus.CounterValue, float64(snap.Generation))
	tell(to, rules, prometheus.GaugeValue, 1, snap.Rules.Hash())
	for _, src := range s.host.Sources() {
		source(to, src)
	}
	for _, u := range s.host.Unproven() {
		tell(to, unproven, prometheus.GaugeValue, 1, u.Template, string(u.Part))
	}
	tellPlugins(to, s.host.Plugins())
	live, refused := s.host.TrialCounts()
	tell(to, canaryTrials, prometheus.CounterValue, float64(live), "live")
	tell(to, canaryTrials, prometheus.CounterValue, float64(refused), "refused")
	for result, n := range s.host.Recordings() {
		tell(to, recordings, prometheus.CounterValue, float64(n), string(result))
	}
	tellCache(to, "assembled", s.host.Assembled())
	tellCache(to, "constraints", s.host.Constraints())
	tellCache(to, "programs", s.host.Programs())
}

// tell sends one sample. Paths can contain any bytes, and labels that are not UTF-8 would panic.
func tell(to chan<- prometheus.Metric, what *prometheus.Desc, kind prometheus.ValueType, value float64, labels ...string) {
	for i, l := range labels {
		labels[i] = strings.ToValidUTF8(l, "\uFFFD")
	}
	to <- prometheus.MustNewConstMetric(what, kind, value, labels...)
}

func source(to chan<- prometheus.Metric, s host.SourceStatus) {
	if s.SHA256 != "" {
		tell(to, sourceInfo, prometheus.GaugeValue, 1, s.Name, s.Path, s.SHA256)
	}
	tell(to, sourceOK, prometheus.GaugeValue, gaugeOf(s.LastError == ""), s.Name, s.Path)
	if !s.LastSuccess.IsZero() {
		tell(to, sourceSuccess, prometheus.GaugeValue, float64(s.LastSuccess.UnixMilli())/1000, s.Name, s.Path)
	}
	tell(to, sourceReloads, prometheus.CounterValue, float64(s.Successes), s.Name, s.Path, "success")
	tell(to, sourceReloads, prometheus.CounterValue, float64(s.Failures), s.Name, s.Path, "failure")
}

// conditions are all conditions of a plugin.
var conditions = []plugins.Condition{plugins.Idle, plugins.Starting, plugins.Serving, plugins.Failing, plugins.Down, plugins.Refused, plugins.Removed}

// tellPlugins sends the metrics of each plugin under its name, or under its manifest if that is invalid or repeats a name:
// duplicate samples would make the whole scrape fail.
func tellPlugins(to chan<- prometheus.Metric, all []plugins.State) {
	told := map[string]bool{"": true}
	for _, s := range all {
		name := s.Name
		if told[name] {
			name = s.Manifest
		}
		if !told[name] {
			told[name] = true
			plugin(to, name, s)
		}
	}
}

func plugin(to chan<- prometheus.Metric, name string, s plugins.State) {
	for _, c := range conditions {
		tell(to, pluginCondition, prometheus.GaugeValue, gaugeOf(s.Condition == c), name, string(c))
	}
	tell(to, pluginStarts, prometheus.CounterValue, float64(s.Starts), name)
	tell(to, pluginRestarts, prometheus.CounterValue, float64(s.Restarts), name)
	tell(to, pluginSessions, prometheus.GaugeValue, float64(s.Sessions), name)
}

func tellCache(to chan<- prometheus.Metric, name string, s cache.Stats) {
	tell(to, cacheLookups, prometheus.CounterValue, float64(s.Hits), name, "hit")
	tell(to, cacheLookups, prometheus.CounterValue, float64(s.Misses), name, "miss")
	tell(to, cacheEntries, prometheus.GaugeValue, float64(s.Entries), name)
}

func gaugeOf(t bool) float64 {
	if t {
		return 1
	}
	return 0
}
