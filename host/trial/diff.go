package trial

import (
	"context"
	"errors"
	"fmt"

	"github.com/dragoman-project/dragoman/autoparser/workaround"
	"github.com/dragoman-project/dragoman/host/check"
	"github.com/dragoman-project/dragoman/host/state"
	"github.com/dragoman-project/dragoman/sdk/cases"
	"github.com/dragoman-project/dragoman/sdk/fault"
)

// RulesDiff is what a file of workarounds would change if it replaced another.
type RulesDiff struct {
	// Faults are the mistakes in the files; if there are any, nothing was compared.
	Faults []RulesFault `json:"faults"`
	// Templates are those that change.
	Templates []TemplateDiff `json:"templates"`
}

// Empty reports whether nothing changes and nothing is wrong.
func (d RulesDiff) Empty() bool { return len(d.Faults)+len(d.Templates) == 0 }

// RulesFault is a mistake in a file of workarounds.
type RulesFault struct {
	File    string `json:"file"`
	Line    int    `json:"line"`   // from 1
	Column  int    `json:"column"` // from 1
	Message string `json:"message"`
}

// TemplateDiff is what changes in a template.
type TemplateDiff struct {
	Template string `json:"template"`
	// Fields are those of its dialect that change.
	Fields []FieldDiff `json:"fields"`
	// LintNew and LintGone are the notes of lint that appear and disappear.
	LintNew  []string `json:"lint_new,omitempty"`
	LintGone []string `json:"lint_gone,omitempty"`
	// Cases are those with another outcome.
	Cases []CaseDiff `json:"cases,omitempty"`
	// Line is the line of the first rule that changes the template, in the new file; 0: none does.
	Line int `json:"line,omitempty"`
}

// FieldDiff is a field of a dialect that changes. Field is as rules write it, "request" for the normalisations that rules
// ask for, or "error" for why the template cannot be used. An empty text means that the field is not set.
type FieldDiff struct {
	Field  string `json:"field"`
	Before string `json:"before"`
	After  string `json:"after"`
}

// CaseDiff is a case with another outcome.
type CaseDiff struct {
	Case     string `json:"case"`
	Template string `json:"template"`
	// Before and After are why the case fails; empty: it holds.
	Before string `json:"before"`
	After  string `json:"after"`
	// Difference is how the message changes, one member a paragraph: "expected" is the message before, "found" the one after.
	Difference string `json:"difference,omitempty"`
}

// IsRegression reports whether the case held before and fails after.
func (d CaseDiff) IsRegression() bool { return d.Before == "" && d.After != "" }

// String returns a line for people.
func (d CaseDiff) String() string {
	switch {
	case d.IsRegression():
		return fmt.Sprintf("case %s (%s) no longer holds: %s", d.Case, d.Template, d.After)
	case d.After == "" && d.Before != "":
		return fmt.Sprintf("case %s (%s) holds now; before: %s", d.Case, d.Template, d.Before)
	}
	return fmt.Sprintf("case %s (%s) has another outcome: %s", d.Case, d.Template, d.Difference)
}

// DiffRules returns what the rules of one file would change if they replaced those of another, for templates that need not
// be in force, and for recorded cases about them. now is the snapshot in force. The error is about reading cases, or ctx.
func (t *Trials) DiffRules(ctx context.Context, now *state.Snapshot, before, after RulesFile, templates []state.TemplateSource, files []check.Input) (RulesDiff, error) {
	old, diff := before.parse(newDiff())
	next, diff := after.parse(diff)
	if len(diff.Faults) > 0 {
		return diff, nil
	}
	recorded, err := ReadCases(files)
	if err != nil {
		return diff, err
	}
	return t.DiffSets(ctx, now, old, next, templates, recorded)
}

// DiffSets is DiffRules for rules and cases, by template, that have been read.
func (t *Trials) DiffSets(ctx context.Context, now *state.Snapshot, before, after *workaround.Set, templates []state.TemplateSource, recorded map[string][]*cases.Case) (RulesDiff, error) {
	snap := state.NewSnapshot(now.Config, before, templates)
	return t.diffRules(ctx, snap, snap.WithRules(after), recorded, nil)
}

// TryRules is DiffRules against what is in force.
func (t *Trials) TryRules(ctx context.Context, now *state.Snapshot, rules RulesFile, files []check.Input) (RulesDiff, error) {
	next, diff := rules.parse(newDiff())
	if len(diff.Faults) > 0 {
		return diff, nil
	}
	recorded, err := ReadCases(files)
	if err != nil {
		return diff, err
	}
	return t.diffRules(ctx, now, now.WithRules(next), recorded, nil)
}

// Rehearse is TryRules with the recorded cases of the canary. Before each template it calls progress with the number of those that
// are done, and of all.
func (t *Trials) Rehearse(ctx context.Context, now *state.Snapshot, rules RulesFile, progress func(done, all int)) (RulesDiff, error) {
	next, diff := rules.parse(newDiff())
	if len(diff.Faults) > 0 {
		return diff, nil
	}
	recorded, err := casesIn(now.Config.Canary.Cases)
	if err != nil {
		return diff, err
	}
	return t.diffRules(ctx, now, now.WithRules(next), recorded, progress)
}

// RulesFile is a file of workarounds.
type RulesFile struct {
	Name string // for faults
	Data []byte
}

// Parse reads the file. With faults there are no rules.
func (f RulesFile) Parse() (*workaround.Set, []RulesFault) {
	rules, err := workaround.Parse(f.Name, f.Data)
	var faults workaround.Faults
	var out []RulesFault
	switch {
	case errors.As(err, &faults):
		for _, one := range faults {
			out = append(out, RulesFault{one.File, one.Line, one.Column, one.Message})
		}
	case err != nil:
		out = append(out, RulesFault{f.Name, 1, 1, err.Error()})
	}
	return rules, out
}

// parse adds the faults of the file to diff.
func (f RulesFile) parse(diff RulesDiff) (*workaround.Set, RulesDiff) {
	rules, faults := f.Parse()
	diff.Faults = append(diff.Faults, faults...)
	return rules, diff
}

// newDiff returns an empty diff, with empty lists in its JSON.
func newDiff() RulesDiff { return RulesDiff{Faults: []RulesFault{}, Templates: []TemplateDiff{}} }

func (t *Trials) diffRules(ctx context.Context, before, after *state.Snapshot, recorded map[string][]*cases.Case, progress func(done, all int)) (RulesDiff, error) {
	diff := newDiff()
	d := differ{host: t.Host, before: before, after: after}
	for i, name := range after.Names() {
		if progress != nil {
			progress(i, len(after.Names()))
		}
		if ctx.Err() != nil {
			break
		}
		t := d.template(ctx, name)
		if len(t.Fields) == 0 {
			continue
		}
		d.lint(ctx, &t)
		t.Line = lineOfRule(ctx, after, name)
		for _, c := range recorded[name] {
			if change, changed := d.compare(ctx, c); changed {
				t.Cases = append(t.Cases, change)
			}
		}
		diff.Templates = append(diff.Templates, t)
	}
	return diff, ctx.Err()
}

// ReadCases reads files of cases and sorts the cases by template. What cannot be read is an error beside the rest.
func ReadCases(files []check.Input) (map[string][]*cases.Case, error) {
	all := map[string][]*cases.Case{}
	var faults []error
	for _, f := range files {
		for c, err := range cases.Read(f.Reader) {
			if err != nil {
				faults = append(faults, &fault.Error{Code: fault.InvalidArgument, Place: f.Name, Message: err.Error(), Remedy: "correct it, or take it out", Err: err})
				continue
			}
			name := state.CanonicalName(c.Template)
			all[name] = append(all[name], c)
		}
	}
	return all, errors.Join(faults...)
}
