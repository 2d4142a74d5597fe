package adminapi

import (
	"github.com/dragoman-project/dragoman/host"
	dragomanv1 "github.com/dragoman-project/dragoman/sdk/proto/dragoman/v1"
)

// EncodeRulesDiff converts what other rules would change.
func EncodeRulesDiff(d host.RulesDiff) *dragomanv1.TryWorkaroundsResponse {
	m := &dragomanv1.TryWorkaroundsResponse{}
	for _, f := range d.Faults {
		m.Faults = append(m.Faults, &dragomanv1.WorkaroundFault{Line: uint32(f.Line), Column: uint32(f.Column), Message: f.Message})
	}
	for _, t := range d.Templates {
		change := &dragomanv1.TemplateChange{Template: t.Template, LintNew: t.LintNew, LintGone: t.LintGone, Cases: encodeCases(t.Cases)}
		for _, f := range t.Fields {
			change.Fields = append(change.Fields, &dragomanv1.FieldChange{Field: f.Field, Before: f.Before, After: f.After})
		}
		m.Templates = append(m.Templates, change)
	}
	return m
}

// DecodeRulesDiff converts what the rules of a file would change.
func DecodeRulesDiff(file string, m *dragomanv1.TryWorkaroundsResponse) host.RulesDiff {
	d := host.RulesDiff{Faults: []host.RulesFault{}, Templates: []host.TemplateDiff{}}
	for _, f := range m.GetFaults() {
		d.Faults = append(d.Faults, host.RulesFault{File: file, Line: int(f.GetLine()), Column: int(f.GetColumn()), Message: f.GetMessage()})
	}
	for _, t := range m.GetTemplates() {
		change := host.TemplateDiff{Template: t.GetTemplate(), LintNew: t.GetLintNew(), LintGone: t.GetLintGone()}
		for _, f := range t.GetFields() {
			change.Fields = append(change.Fields, host.FieldDiff{Field: f.GetField(), Before: f.GetBefore(), After: f.GetAfter()})
		}
		for _, c := range t.GetCases() {
			change.Cases = append(change.Cases, decodeCase(c))
		}
		d.Templates = append(d.Templates, change)
	}
	return d
}

func encodeCases(all []host.CaseDiff) (out []*dragomanv1.CaseChange) {
	for _, c := range all {
		out = append(out, &dragomanv1.CaseChange{Case: c.Case, Template: c.Template, Before: c.Before, After: c.After, Difference: c.Difference})
	}
	return out
}

func decodeCase(m *dragomanv1.CaseChange) host.CaseDiff {
	return host.CaseDiff{Case: m.GetCase(), Template: m.GetTemplate(), Before: m.GetBefore(), After: m.GetAfter(), Difference: m.GetDifference()}
}
