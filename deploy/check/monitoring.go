package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/rulefmt"
	"github.com/prometheus/prometheus/promql/parser"
)

// expression is a query of a file.
type expression struct{ place, text string }

// checkMonitoring parses the alert rules and the queries of the dashboard, and compares the metrics that they name with those in
// the manual, which a test compares with the daemon's.
func checkMonitoring(root string) (faults []error) {
	manual, err := os.ReadFile(filepath.Join(root, "..", "docs", "operating.md"))
	if err != nil {
		return []error{err}
	}
	alerts, faults := alertExpressions(filepath.Join(root, "prometheus", "alerts.yaml"))
	queries, err := dashboardExpressions(filepath.Join(root, "grafana", "dragoman.json"))
	faults = append(faults, err)
	language := parser.NewParser(parser.Options{})
	for _, e := range append(alerts, queries...) {
		parsed, err := language.ParseExpr(e.text)
		if err != nil {
			faults = append(faults, fmt.Errorf("%s: %w", e.place, err))
			continue
		}
		parser.Inspect(parsed, func(n parser.Node, _ []parser.Node) error {
			if s, ok := n.(*parser.VectorSelector); ok && !exists(string(manual), s.Name) {
				faults = append(faults, fmt.Errorf("%s: the daemon has no metric %s; docs/operating.md lists them", e.place, s.Name))
			}
			return nil
		})
	}
	return faults
}

// parts are the endings of the series of a histogram.
var parts = regexp.MustCompile("_(bucket|count|sum)$")

// exists reports whether the manual lists a metric, or every target has it.
func exists(manual, name string) bool {
	return name == "up" || strings.HasPrefix(name, "process_") || strings.HasPrefix(name, "go_") ||
		strings.Contains(manual, "`"+name+"`") || strings.Contains(manual, "`"+parts.ReplaceAllString(name, "")+"`")
}

func alertExpressions(path string) (all []expression, faults []error) {
	groups, faults := rulefmt.ParseFile(path, false, model.UTF8Validation, parser.NewParser(parser.Options{}), slog.Default())
	if groups == nil {
		return nil, append(faults, fmt.Errorf("%s: no rules", path))
	}
	for _, g := range groups.Groups {
		for _, r := range g.Rules {
			all = append(all, expression{path + ": " + r.Alert, r.Expr})
			if r.Annotations["summary"] == "" || r.Annotations["remedy"] == "" {
				faults = append(faults, fmt.Errorf("%s: %s: expected the annotations summary and remedy", path, r.Alert))
			}
		}
	}
	return all, faults
}

// grafana replaces the variables of dashboards.
var grafana = strings.NewReplacer("$__rate_interval", "5m", "$template", ".*")

func dashboardExpressions(path string) (all []expression, err error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var dashboard struct {
		Panels []struct {
			Title   string
			Targets []struct{ Expr string }
		}
	}
	if err := json.Unmarshal(data, &dashboard); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	for _, p := range dashboard.Panels {
		for _, t := range p.Targets {
			all = append(all, expression{path + ": " + p.Title, grafana.Replace(t.Expr)})
		}
	}
	if len(all) == 0 {
		err = errors.New(path + ": no queries")
	}
	return all, err
}
