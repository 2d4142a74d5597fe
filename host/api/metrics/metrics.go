// Package metrics holds the metrics of a daemon for Prometheus.
//
// Two kinds of metrics share one registry, which belongs to one daemon:
//
//	pushed  by the API (Answered, Lost) and, through host.Observer, by sessions
//	pulled  at each scrape from the state of the host: sources, snapshot, plugins, caches (Watch)
//
// A session looks up its series once, when it begins; a chunk costs three atomic additions to memory that few share. Labels have no more values than the
// daemon has templates, methods, codes, files or plugins: clients cannot add any.
//
// docs/operating.md lists every name; a test compares it with the metrics of a daemon.
//
// Words that must not be confused: *sessions* are outputs being parsed, whole ones and streams; *requests* are those over HTTP,
// and a stream is one request.
package metrics

import (
	"cmp"
	"net/http"
	"runtime"
	"slices"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/dragoman-project/dragoman/host"
	"github.com/dragoman-project/dragoman/sdk/chat"
)

// Metrics are the metrics of one daemon. Create them with New; they are safe for concurrent use.
type Metrics struct {
	registry *prometheus.Registry
	requests *prometheus.HistogramVec
	overhead *prometheus.HistogramVec
	shared   *prometheus.HistogramVec
	lost     prometheus.Counter

	running prometheus.Gauge
	begun   *prometheus.CounterVec
	reports *prometheus.CounterVec
	faults  *prometheus.CounterVec
	unknown *prometheus.CounterVec
	missing *prometheus.CounterVec

	perChunk stripes
}

var _ host.Observer = (*Metrics)(nil)

// New returns the metrics of a daemon of that version.
func New(version string) *Metrics {
	m := &Metrics{
		registry: prometheus.NewRegistry(),
		requests: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "dragoman_request_duration_seconds", Help: "Requests that were answered, by method and code, and how long they took.",
			Buckets: []float64{.0005, .001, .0025, .005, .01, .025, .05, .1, .25, 1, 5, 30, 120, 600},
		}, []string{"method", "code"}),
		overhead: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "dragoman_overhead_seconds", Help: "What the gateway took until the first byte of an answer, besides waiting for engines, by method.",
			Buckets: []float64{.0001, .00025, .0005, .001, .0025, .005, .01, .025, .05, .1, .25, 1},
		}, []string{"method"}),
		shared: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "dragoman_shared_prefix_ratio", Help: "Which share of a prompt had been sent in an earlier turn of the conversation, by method.",
			Buckets: []float64{0, .1, .25, .5, .75, .9, .95, .99, 1},
		}, []string{"method"}),
		lost:    counter("dragoman_connections_lost_total", "Connections that ended before they had sent a whole request header."),
		running: gauge("dragoman_sessions", "Outputs that are being parsed."),
		begun:   counters("dragoman_sessions_total", "Outputs that were begun to be parsed, by template and the handler that planned.", "template", "handler"),
		reports: counters("dragoman_reports_total", "Outputs that ended, by template and the status of the report; abandoned: they were given up.", "template", "status"),
		faults:  counters("dragoman_report_faults_total", "Places where outputs broke the format, by template.", "template"),
		unknown: counters("dragoman_unknown_tools_total", "Calls of tools that the request does not have, by template.", "template"),
		missing: counters("dragoman_missing_markers_total", "Markers of the format that outputs lacked, by template.", "template"),
	}
	info := prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "dragoman_build_info", Help: "The version of the daemon, always 1.",
		ConstLabels: prometheus.Labels{"version": version, "goversion": runtime.Version()},
	}, func() float64 { return 1 })
	m.registry.MustRegister(m.requests, m.overhead, m.shared, m.lost, m.running, m.begun, m.reports, m.faults, m.unknown, m.missing, info,
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	m.registry.MustRegister(m.perChunk.metrics()...)
	return m
}

func counter(name, help string) prometheus.Counter {
	return prometheus.NewCounter(prometheus.CounterOpts{Name: name, Help: help})
}

func counters(name, help string, labels ...string) *prometheus.CounterVec {
	return prometheus.NewCounterVec(prometheus.CounterOpts{Name: name, Help: help}, labels)
}

func gauge(name, help string) prometheus.Gauge {
	return prometheus.NewGauge(prometheus.GaugeOpts{Name: name, Help: help})
}

// Handler returns a handler for scrapes.
func (m *Metrics) Handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{})
}

// Answered counts a request by its method and the code of its answer.
func (m *Metrics) Answered(method, code string, took time.Duration) {
	m.requests.WithLabelValues(method, code).Observe(took.Seconds())
}

// Overhead counts what the gateway took for a request.
func (m *Metrics) Overhead(method string, took time.Duration) {
	m.overhead.WithLabelValues(method).Observe(took.Seconds())
}

// Shared counts the share of a prompt that had been sent before.
func (m *Metrics) Shared(method string, share float64) {
	m.shared.WithLabelValues(method).Observe(share)
}

// Lost counts a connection that ended before it had sent a whole request.
func (m *Metrics) Lost() { m.lost.Inc() }

// Began counts a session.
func (m *Metrics) Began(template, handler string) host.SessionObserver {
	m.begun.WithLabelValues(template, handler).Inc()
	m.running.Inc()
	return &session{Metrics: m, template: template, counts: m.perChunk.pick()}
}

// session counts one output.
type session struct {
	*Metrics
	template  string
	counts    *stripe
	undecided int // bytes that the gauge includes
}

// Fed counts a chunk.
func (s *session) Fed(bytes, held int) {
	s.counts.chunks.Add(1)
	s.counts.bytes.Add(int64(bytes))
	if held != s.undecided {
		s.counts.held.Add(int64(held - s.undecided))
		s.undecided = held
	}
}

// abandoned is the status of an output without a report.
const abandoned = "abandoned"

// Ended counts the report.
func (s *session) Ended(r *chat.Report) {
	s.running.Dec()
	s.counts.held.Add(int64(-s.undecided))
	if r == nil {
		s.reports.WithLabelValues(s.template, abandoned).Inc()
		return
	}
	s.reports.WithLabelValues(s.template, string(r.Status)).Inc()
	if len(r.Faults) > 0 {
		s.faults.WithLabelValues(s.template).Add(float64(len(r.Faults)))
	}
	if len(r.UnknownTools) > 0 {
		s.unknown.WithLabelValues(s.template).Add(float64(len(r.UnknownTools)))
	}
	for _, m := range r.MissingMarkers {
		s.missing.WithLabelValues(s.template).Add(float64(m.Count))
	}
}

// ReportCount is how many outputs of a template have ended with a status.
type ReportCount struct {
	Template string `json:"template"`
	Status   string `json:"status"`
	Count    int    `json:"count"`
}

// Reports returns how many outputs have ended, sorted by template and status.
func (m *Metrics) Reports() ([]ReportCount, error) {
	alone := prometheus.NewRegistry()
	if err := alone.Register(m.reports); err != nil {
		return nil, err
	}
	families, err := alone.Gather()
	all := []ReportCount{}
	for _, f := range families {
		for _, sample := range f.GetMetric() {
			labels := map[string]string{}
			for _, l := range sample.GetLabel() {
				labels[l.GetName()] = l.GetValue()
			}
			all = append(all, ReportCount{labels["template"], labels["status"], int(sample.GetCounter().GetValue())})
		}
	}
	slices.SortFunc(all, func(a, b ReportCount) int {
		return cmp.Or(cmp.Compare(a.Template, b.Template), cmp.Compare(a.Status, b.Status))
	})
	return all, err
}
