package host

import (
	"bytes"
	"context"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/dragoman-project/dragoman/autoparser/workaround"
	"github.com/dragoman-project/dragoman/host/check"
	"github.com/dragoman-project/dragoman/host/recorder"
	"github.com/dragoman-project/dragoman/host/suggest"
	"github.com/dragoman-project/dragoman/host/trial"
	"github.com/dragoman-project/dragoman/sdk/cases"
)

// Suggestion is a rule under which recorded outputs of a template are read better, and none worse.
type Suggestion struct {
	Template string `json:"template"`
	// Rule is a file with the rule, in YAML.
	Rule string `json:"rule"`
	// Markers are the fields that the rule sets, as they are and as the outputs show them.
	Markers []FieldDiff `json:"markers"`
	// Better counts the outputs that are read better, Bad those that were read badly before, and Outputs all that were read again.
	Better  int `json:"better"`
	Bad     int `json:"bad"`
	Outputs int `json:"outputs"`
	// Diff is what the rule changes over all recordings of the template, and over recorded cases.
	Diff RulesDiff `json:"diff"`
}

// What is read of recordings to suggest rules, so that memory and time are bounded.
const (
	maxSuggestOutputs = 2000      // of a template
	maxSuggestBytes   = 256 << 10 // of an output
	maxSuggestRounds  = 3         // rules that build on each other
)

// Suggest returns rules for templates whose recorded outputs are read badly, the most helpful first. A rule is returned only if
// reading all recordings of its template again has shown that some are read better and none worse, and recorded cases that none
// fails which passed. Notes are about recordings that cannot be read. progress is called now and then; it may be nil.
func (r *Replayer) Suggest(ctx context.Context, all iter.Seq2[*recorder.Recording, error], files []check.Input, progress func(template string, tried int)) (found []Suggestion, notes []string, err error) {
	recorded, err := trial.ReadCases(files)
	if err != nil {
		return nil, nil, err
	}
	templates := map[string][]*recorder.Recording{}
	for one, err := range all {
		switch {
		case ctx.Err() != nil:
			return nil, nil, ctx.Err()
		case err != nil:
			if len(notes) < maxReplayNotes {
				notes = append(notes, err.Error())
			}
		case len(one.Output) <= maxSuggestBytes && len(templates[one.Source.Name]) < maxSuggestOutputs:
			templates[one.Source.Name] = append(templates[one.Source.Name], one)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(templates)) {
		s := &suggesting{replayer: r, template: name, recordings: templates[name], cases: recorded, progress: progress}
		one, err := s.run(ctx)
		if err != nil {
			return nil, nil, err
		}
		if one != nil {
			found = append(found, *one)
		}
	}
	slices.SortStableFunc(found, func(a, b Suggestion) int { return b.Better - a.Better })
	return found, notes, ctx.Err()
}

// suggesting looks for a rule for one template.
type suggesting struct {
	replayer   *Replayer
	template   string
	recordings []*recorder.Recording
	cases      map[string][]*cases.Case
	progress   func(template string, tried int)
	tried      int
}

// ruled are recordings as they are read under a rule.
type ruled struct {
	text          string
	rules         *workaround.Set
	candidate     suggest.Candidate
	seen          []suggest.Seen
	better, worse int
	badness       int // of all
}

// run returns the best rule; nil if none helps.
func (s *suggesting) run(ctx context.Context) (*Suggestion, error) {
	seen, err := s.read(ctx, s.replayer)
	if err != nil {
		return nil, err
	}
	before := &ruled{seen: seen, rules: s.replayer.rules}
	bad := before.compare(seen)
	if bad == 0 {
		return nil, nil
	}
	best := before
	for range maxSuggestRounds {
		next, err := s.improve(ctx, before, best)
		if err != nil {
			return nil, err
		}
		if next == nil {
			break
		}
		best = next
	}
	if best == before {
		return nil, nil
	}
	return s.suggestion(ctx, before, best, bad)
}

// read reads all recordings.
func (s *suggesting) read(ctx context.Context, r *Replayer) ([]suggest.Seen, error) {
	all := make([]suggest.Seen, len(s.recordings))
	for i, one := range s.recordings {
		req, err := one.ChatRequest()
		if err != nil {
			continue // it is not bad, and cannot become worse
		}
		result, err := r.Now(ctx, one)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err == nil {
			all[i] = suggest.Seen{Tools: req.Tools, Output: string(one.Output), Limited: one.Limited, Message: result.Message, Report: result.Report}
		}
	}
	return all, nil
}

// compare sets how the recordings are read against how they were, and returns how many were bad.
func (r *ruled) compare(was []suggest.Seen) (bad int) {
	r.better, r.worse, r.badness = 0, 0, 0
	for i := range r.seen {
		if was[i].Report == nil {
			continue
		}
		then, now := was[i].Badness(), worst
		if r.seen[i].Report != nil {
			now = r.seen[i].Badness()
		}
		if then > 0 {
			bad++
		}
		r.badness += now
		switch {
		case now < then:
			r.better++
		case now > then, then == 0 && cases.Compare(cases.MessageOf(was[i].Message), cases.MessageOf(r.seen[i].Message)) != "":
			r.worse++
		}
	}
	return bad
}

// worst is the badness of what cannot be read at all.
const worst = 1 << 20

// improve returns the best rule that adds a candidate to those of another; nil if none is better.
func (s *suggesting) improve(ctx context.Context, before, on *ruled) (best *ruled, err error) {
	under := s.replayer.under(on.rules)
	learned, err := under.entry(s.recordings[len(s.recordings)-1]).Learn(ctx)
	if err != nil {
		return nil, err
	}
	for _, c := range suggest.Candidates(learned.Concluded, on.seen) {
		c.Fields = merged(on.candidate.Fields, c.Fields)
		for _, vouch := range []bool{false, true} {
			one, err := s.try(ctx, before, c, vouch)
			if err != nil {
				return nil, err
			}
			if one == nil || one.worse > 0 || one.badness >= on.badness {
				continue
			}
			if best == nil || one.badness < best.badness {
				best = one
			}
			break
		}
	}
	return best, nil
}

func merged(a, b map[string]any) map[string]any {
	out := maps.Clone(a)
	if out == nil {
		out = map[string]any{}
	}
	maps.Copy(out, b)
	return out
}

// try reads the recordings under a rule with a candidate; nil if it is no valid rule.
func (s *suggesting) try(ctx context.Context, before *ruled, c suggest.Candidate, vouch bool) (*ruled, error) {
	s.tried++
	if s.progress != nil {
		s.progress(s.template, s.tried)
	}
	text, err := s.rule(c, vouch)
	if err != nil {
		return nil, err
	}
	own, err := workaround.Parse("suggestion.yaml", text)
	if err != nil {
		return nil, nil //nolint:nilerr // the candidate is none
	}
	out := &ruled{text: string(text), rules: workaround.Join(before.rules, own), candidate: c}
	if out.seen, err = s.read(ctx, s.replayer.under(out.rules)); err != nil {
		return nil, err
	}
	out.compare(before.seen)
	return out, nil
}

// rule returns a file with a rule, in YAML.
func (s *suggesting) rule(c suggest.Candidate, vouch bool) ([]byte, error) {
	type rule struct {
		Name    string         `yaml:"name"`
		Because string         `yaml:"because"`
		SeenIn  []string       `yaml:"seen-in,flow"`
		When    string         `yaml:"when"`
		Set     map[string]any `yaml:"set"`
		Vouch   []string       `yaml:"vouch,flow,omitempty"`
	}
	one := rule{Name: "seen-in-" + ruleName(s.template), Because: "recorded outputs are written like this, which the template does not show", SeenIn: []string{s.template},
		When: fmt.Sprintf("name == %q", s.template), Set: map[string]any{}}
	for _, field := range slices.Sorted(maps.Keys(c.Fields)) {
		at, names := one.Set, strings.Split(field, ".")
		for _, name := range names[:len(names)-1] {
			if at[name] == nil {
				at[name] = map[string]any{}
			}
			at = at[name].(map[string]any)
		}
		at[names[len(names)-1]] = quoted(c.Fields[field])
	}
	if vouch {
		for _, part := range []string{"reasoning", "tools"} {
			if one.Set[part] != nil {
				one.Vouch = append(one.Vouch, map[string]string{"reasoning": "reasoning", "tools": "calls"}[part])
			}
		}
	}
	var out bytes.Buffer
	e := yaml.NewEncoder(&out)
	e.SetIndent(2)
	err := e.Encode(struct {
		Version     int    `yaml:"version"`
		Workarounds []rule `yaml:"workarounds"`
	}{1, []rule{one}})
	return out.Bytes(), err
}

// quoted returns a value as rules write it: texts in quotes, with their line breaks visible.
func quoted(v any) any {
	if text, ok := v.(string); ok {
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Style: yaml.DoubleQuotedStyle, Value: text}
	}
	return v
}

// ruleName returns the name of a template as names of rules are written.
func ruleName(template string) string {
	return strings.Trim(strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return '-'
	}, strings.ToLower(template)), "-")
}

// suggestion returns a rule with what it changes; nil if a recorded case fails that passed.
func (s *suggesting) suggestion(ctx context.Context, before, best *ruled, bad int) (*Suggestion, error) {
	last := sourceOf(s.recordings[len(s.recordings)-1])
	diff, err := s.replayer.host.trials.DiffSets(ctx, s.replayer.snap, before.rules, best.rules, []TemplateSource{last}, s.cases)
	if err != nil {
		return nil, err
	}
	out := &Suggestion{Template: s.template, Rule: best.text, Markers: []FieldDiff{}, Better: best.better, Bad: bad, Outputs: len(s.recordings), Diff: diff}
	learned, err := s.replayer.entry(s.recordings[len(s.recordings)-1]).Learn(ctx)
	if err != nil {
		return nil, err
	}
	was := map[string]string{}
	for _, f := range learned.Findings() {
		was[f.Field] = f.Value
	}
	for _, field := range slices.Sorted(maps.Keys(best.candidate.Fields)) {
		out.Markers = append(out.Markers, FieldDiff{Field: field, Before: was[field], After: fmt.Sprint(best.candidate.Fields[field])})
	}
	for i := range diff.Templates {
		t := &diff.Templates[i]
		if slices.ContainsFunc(t.Cases, CaseDiff.IsRegression) {
			return nil, nil
		}
		t.Cases = append(t.Cases, s.changes(before, best)...)
	}
	return out, nil
}

// changes returns what a rule changes of the recordings.
func (s *suggesting) changes(before, best *ruled) (all []CaseDiff) {
	for i, r := range s.recordings {
		was, is := &before.seen[i], &best.seen[i]
		if was.Report == nil || len(all) == maxReplayChanges {
			continue
		}
		c := CaseDiff{Case: r.ID, Template: s.template, Before: problem(was.Report), After: problem(is.Report), Difference: cases.Compare(cases.MessageOf(was.Message), cases.MessageOf(is.Message))}
		if c.Before != c.After || c.Difference != "" {
			all = append(all, c)
		}
	}
	return all
}
