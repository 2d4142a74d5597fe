package api

import (
	"context"
	"fmt"
	"strings"

	"github.com/dragoman-project/dragoman/host"
	"github.com/dragoman-project/dragoman/host/check"
	dragomanv1 "github.com/dragoman-project/dragoman/sdk/proto/dragoman/v1"
	"github.com/dragoman-project/dragoman/sdk/proto/dragoman/v1/dragomanv1connect"
)

// workaroundService is dragoman.v1.WorkaroundService.
type workaroundService struct{ host *host.Host }

var _ dragomanv1connect.WorkaroundServiceHandler = (*workaroundService)(nil)

// ListWorkarounds lists the rules in force, and the templates for which each holds.
func (s *workaroundService) ListWorkarounds(context.Context, *dragomanv1.ListWorkaroundsRequest) (*dragomanv1.ListWorkaroundsResponse, error) {
	rules, hash := s.host.Workarounds()
	out := &dragomanv1.ListWorkaroundsResponse{RulesHash: hash}
	for _, r := range rules {
		w := &dragomanv1.Workaround{Name: r.Name, Because: r.Because, SeenIn: r.SeenIn, When: r.When}
		for _, m := range r.Matches {
			match := &dragomanv1.WorkaroundMatch{Template: m.Template, Error: m.Applied.Error}
			for _, c := range m.Applied.Changes {
				match.Changes = append(match.Changes, fmt.Sprintf("%s: %s → %s", c.Field, c.From, c.To))
			}
			for _, n := range m.Applied.Requests {
				match.Asks = append(match.Asks, string(n))
			}
			w.Matches = append(w.Matches, match)
		}
		out.Workarounds = append(out.Workarounds, w)
	}
	return out, nil
}

// TryWorkarounds says what other rules would change.
func (s *workaroundService) TryWorkarounds(ctx context.Context, m *dragomanv1.TryWorkaroundsRequest) (*dragomanv1.TryWorkaroundsResponse, error) {
	files := []check.Input{{Name: "cases", Reader: strings.NewReader(m.Cases)}}
	diff, err := s.host.TryRules(ctx, host.RulesFile{Name: "document", Data: []byte(m.Document)}, files)
	if err != nil {
		return nil, err
	}
	out := &dragomanv1.TryWorkaroundsResponse{}
	for _, f := range diff.Faults {
		out.Faults = append(out.Faults, &dragomanv1.WorkaroundFault{Line: uint32(f.Line), Column: uint32(f.Column), Message: f.Message})
	}
	for _, t := range diff.Templates {
		out.Templates = append(out.Templates, templateChange(t))
	}
	return out, nil
}

func templateChange(t host.TemplateDiff) *dragomanv1.TemplateChange {
	out := &dragomanv1.TemplateChange{Template: t.Template, LintNew: t.LintNew, LintGone: t.LintGone}
	for _, f := range t.Fields {
		out.Fields = append(out.Fields, &dragomanv1.FieldChange{Field: f.Field, Before: f.Before, After: f.After})
	}
	out.Cases = caseChanges(t.Cases)
	return out
}

func caseChanges(all []host.CaseDiff) (out []*dragomanv1.CaseChange) {
	for _, c := range all {
		out = append(out, &dragomanv1.CaseChange{Case: c.Case, Template: c.Template, Before: c.Before, After: c.After, Difference: c.Difference})
	}
	return out
}
