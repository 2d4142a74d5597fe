package host

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/dragoman-project/dragoman/autoparser"
	"github.com/dragoman-project/dragoman/autoparser/workaround"
	"github.com/dragoman-project/dragoman/host/check"
	"github.com/dragoman-project/dragoman/sdk/cases"
)

// RulesDiff says what a file of workarounds would change if it took the place of another.
type RulesDiff struct {
	// Faults are what is wrong with the files; then nothing was compared.
	Faults []RulesFault `json:"faults"`
	// Templates are those of which something changes.
	Templates []TemplateDiff `json:"templates"`
}

// Empty says that nothing changes, and nothing is wrong.
func (d RulesDiff) Empty() bool { return len(d.Faults)+len(d.Templates) == 0 }

// RulesFault is a mistake in a file of workarounds.
type RulesFault struct {
	File    string `json:"file"`
	Line    int    `json:"line"`   // from 1
	Column  int    `json:"column"` // from 1
	Message string `json:"message"`
}

// TemplateDiff is what changes of a template.
type TemplateDiff struct {
	Template string `json:"template"`
	// Fields are those of its dialect that change.
	Fields []FieldDiff `json:"fields"`
	// LintNew and LintGone are what a person should look at from then on, and what nobody need look at any longer.
	LintNew  []string `json:"lint_new,omitempty"`
	LintGone []string `json:"lint_gone,omitempty"`
	// Cases are those that come out otherwise.
	Cases []CaseDiff `json:"cases,omitempty"`
	// Line is where the first rule begins that changes the template, in the file that comes after; 0: none does.
	Line int `json:"line,omitempty"`
}

// FieldDiff is a field of a dialect that changes. Field is as rules write it, "request" for the normalisations that rules
// ask for, and "error" for why the template cannot be used. A text that is empty says that the field is not set.
type FieldDiff struct {
	Field  string `json:"field"`
	Before string `json:"before"`
	After  string `json:"after"`
}

// CaseDiff is a case that comes out otherwise.
type CaseDiff struct {
	Case     string `json:"case"`
	Template string `json:"template"`
	// Before and After say what of the case does not hold; empty: it holds.
	Before string `json:"before"`
	After  string `json:"after"`
	// Difference says how the message changes, one member a paragraph: "expected" is what comes of the output before, "found"
	// what does after.
	Difference string `json:"difference,omitempty"`
}

// Regression says whether the case held, and does not any longer.
func (d CaseDiff) Regression() bool { return d.Before == "" && d.After != "" }

// String is a line for people.
func (d CaseDiff) String() string {
	switch {
	case d.Regression():
		return fmt.Sprintf("case %s (%s) does not hold any longer: %s", d.Case, d.Template, d.After)
	case d.After == "":
		return fmt.Sprintf("case %s (%s) holds now; before: %s", d.Case, d.Template, d.Before)
	}
	return fmt.Sprintf("case %s (%s) comes out otherwise: %s", d.Case, d.Template, d.Difference)
}

// DiffRules says what the rules of one file would change if they took the place of those of another, for templates that need
// not be in force, and for recorded cases about them, named by their files. The error is about reading cases, or ctx.
func (h *Host) DiffRules(ctx context.Context, before, after RulesFile, templates []TemplateSource, files []check.Input) (RulesDiff, error) {
	old, diff := before.parse(newDiff())
	next, diff := after.parse(diff)
	if len(diff.Faults) > 0 {
		return diff, nil
	}
	entries := map[string]*entry{}
	for _, src := range templates {
		entries[src.Name] = newEntry(src, old)
	}
	snap := &Snapshot{Config: h.current.Load().Config, Rules: old}
	snap.layers[directory] = entries
	return h.diffRules(ctx, snap, snap.withRules(next), files)
}

// TryRules is DiffRules against what is in force.
func (h *Host) TryRules(ctx context.Context, rules RulesFile, files []check.Input) (RulesDiff, error) {
	next, diff := rules.parse(newDiff())
	if len(diff.Faults) > 0 {
		return diff, nil
	}
	snap := h.current.Load()
	return h.diffRules(ctx, snap, snap.withRules(next), files)
}

// RulesFile is a file of workarounds.
type RulesFile struct {
	Name string // as faults call it
	Data []byte
}

func (f RulesFile) parse(diff RulesDiff) (*workaround.Set, RulesDiff) {
	rules, err := workaround.Parse(f.Name, f.Data)
	var faults workaround.Faults
	switch {
	case errors.As(err, &faults):
		for _, fault := range faults {
			diff.Faults = append(diff.Faults, RulesFault{fault.File, fault.Line, fault.Column, fault.Message})
		}
	case err != nil:
		diff.Faults = append(diff.Faults, RulesFault{f.Name, 1, 1, err.Error()})
	}
	return rules, diff
}

// newDiff is an empty one, of which JSON says so.
func newDiff() RulesDiff { return RulesDiff{Faults: []RulesFault{}, Templates: []TemplateDiff{}} }

func (h *Host) diffRules(ctx context.Context, before, after *Snapshot, files []check.Input) (RulesDiff, error) {
	diff := newDiff()
	all, err := readCases(files)
	if err != nil {
		return diff, err
	}
	d := differ{host: h, before: before, after: after}
	for _, name := range after.names() {
		t := d.template(name)
		if len(t.Fields) == 0 {
			continue
		}
		d.lint(&t)
		t.Line = lineOfRule(after, name)
		for _, c := range all[name] {
			if change, changed := d.compare(ctx, c); changed {
				t.Cases = append(t.Cases, change)
			}
		}
		diff.Templates = append(diff.Templates, t)
	}
	return diff, ctx.Err()
}

// readCases reads files of cases and sorts the cases by template. What cannot be read is an error beside the rest.
func readCases(files []check.Input) (map[string][]*cases.Case, error) {
	all := map[string][]*cases.Case{}
	var faults []error
	for _, f := range files {
		for c, err := range cases.Read(f.Reader) {
			if err != nil {
				faults = append(faults, &Error{Code: InvalidArgument, Place: f.Name, Message: err.Error(), Remedy: "correct it, or take it out", Err: err})
				continue
			}
			name := canonicalName(c.Template)
			all[name] = append(all[name], c)
		}
	}
	return all, errors.Join(faults...)
}

// differ compares what is in force with what would be.
type differ struct {
	host          *Host
	before, after *Snapshot
	was, is       *Subject      // made on first use
	share         time.Duration // how long a step of a trial may take
	end           time.Time     // of the trial
}

// template says which fields of a template's dialect differ. Neither has to have it.
func (d *differ) template(name string) TemplateDiff {
	a, b := fieldsOf(d.before, name), fieldsOf(d.after, name)
	t := TemplateDiff{Template: name}
	for _, field := range sortedNames(a, b) {
		if a[field] != b[field] {
			t.Fields = append(t.Fields, FieldDiff{Field: field, Before: a[field], After: b[field]})
		}
	}
	return t
}

// fieldsOf are the fields of a template's dialect that are set, and what else decides how it is read.
func fieldsOf(s *Snapshot, name string) map[string]string {
	learned, err := learnedIn(s, name)
	if err != nil {
		return map[string]string{"error": err.Error()}
	}
	fields := map[string]string{}
	for _, f := range learned.Findings() {
		fields[f.Field] = f.Value
	}
	var asks []string
	for _, rule := range learned.Workarounds {
		for _, n := range rule.Requests {
			asks = append(asks, string(n))
		}
	}
	if len(asks) > 0 {
		slices.Sort(asks)
		fields["request"] = strings.Join(slices.Compact(asks), ", ")
	}
	return fields
}

func learnedIn(s *Snapshot, name string) (*autoparser.Learned, error) {
	e, err := s.template(name)
	if err != nil {
		return nil, err
	}
	return e.learn()
}

// lint adds what is odd about the template under one and not under the other.
func (d *differ) lint(t *TemplateDiff) {
	var notes [2][]string
	for i, s := range []*Snapshot{d.before, d.after} {
		if learned, err := learnedIn(s, t.Template); err == nil {
			notes[i] = learned.Lint()
		}
	}
	t.LintNew, t.LintGone = without(notes[1], notes[0]), without(notes[0], notes[1])
}

// lineOfRule is where the first rule begins that changes a template; 0: none does.
func lineOfRule(s *Snapshot, template string) int {
	learned, err := learnedIn(s, template)
	if err != nil {
		return 0
	}
	for _, r := range s.Rules.Rules() {
		for _, a := range learned.Workarounds {
			if a.Rule == r.Name && len(a.Changes)+len(a.Requests) > 0 {
				return r.Line
			}
		}
	}
	return 0
}

// without lists what is in all and not in others.
func without(all, others []string) (rest []string) {
	for _, s := range all {
		if !slices.Contains(others, s) {
			rest = append(rest, s)
		}
	}
	return rest
}

// subjects are both, as cases are run against them.
func (d *differ) subjects() {
	if d.was == nil {
		d.was, d.is = &Subject{host: d.host, snap: d.before}, &Subject{host: d.host, snap: d.after}
	}
}

// compare runs a case under both. Each output is parsed as a whole: that cuts do not matter is not in question here.
func (d *differ) compare(ctx context.Context, c *cases.Case) (change CaseDiff, changed bool) {
	d.subjects()
	before, after := check.Judge(ctx, d.was, c, check.Options{}), check.Judge(ctx, d.is, c, check.Options{})
	change = changeOf(c, &before, &after)
	return change, ctx.Err() == nil && (before.OK() != after.OK() || change.Difference != "")
}

// changeOf says how two results of a case differ.
func changeOf(c *cases.Case, before, after *check.Result) CaseDiff {
	change := CaseDiff{Case: c.ID, Template: c.Template, Before: before.Why, After: after.Why}
	if before.Actual != nil && after.Actual != nil {
		change.Difference = cases.Compare(*before.Actual, *after.Actual)
	}
	return change
}
