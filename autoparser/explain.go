package autoparser

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/dragoman-project/dragoman/autoparser/detect"
	"github.com/dragoman-project/dragoman/autoparser/dialect"
	"github.com/dragoman-project/dragoman/autoparser/diff"
	"github.com/dragoman-project/dragoman/autoparser/probe"
	"github.com/dragoman-project/dragoman/autoparser/workaround"
)

// Explanation is what was learned of a template, stage by stage, with what taught it. Its JSON is stable: fields are added,
// but never renamed or removed. Its text is a txtar archive with a section for each stage.
type Explanation struct {
	Template       string           `json:"template"`       // its name
	Capabilities   []Ability        `json:"capabilities"`   // in the order of the questions
	Thinking       Dial             `json:"thinking"`       // how requests choose how much to think
	Normalisations []Applicable     `json:"normalisations"` // that apply to every conversation for this template
	Comparisons    []Compared       `json:"comparisons"`    // in the order in which they are asked
	Dialect        []detect.Finding `json:"dialect"`        // the fields that are set, and what decided each
	Workarounds    []Rule           `json:"workarounds"`    // that hold for this template
	SelfCheck      SelfCheck        `json:"self_check"`     // whether what the template writes is parsed back
	Lint           []string         `json:"lint"`           // what people should look at
}

// Applicable is a normalisation that a template needs.
type Applicable struct {
	ID      string `json:"id"`
	Because string `json:"because"`
}

// Compared is a comparison, and how the renderings differ.
type Compared struct {
	ID       string `json:"id"`
	Question string `json:"question"`
	Differs  string `json:"differs"` // the one thing in which B differs from A
	A        string `json:"a"`       // the names of the probes
	B        string `json:"b"`
	Before   string `json:"before,omitempty"` // the end of what both begin with
	Left     string `json:"left,omitempty"`   // what only A has
	Right    string `json:"right,omitempty"`  // what only B has
	After    string `json:"after,omitempty"`  // the beginning of what both end with
	// Skipped is set if the template lacks the capability that the question is about. Error is why a rendering failed.
	Skipped bool   `json:"skipped,omitempty"`
	Error   string `json:"error,omitempty"`
}

// Rule is a workaround that holds for a template.
type Rule struct {
	Name    string   `json:"name"`
	Because string   `json:"because"`
	Changes []string `json:"changes"`        // "field: from → to"
	Asks    []string `json:"asks,omitempty"` // ids of normalisations
	Vouches []Part   `json:"vouches,omitempty"`
	Error   string   `json:"error,omitempty"` // of its condition; such a rule has no effect
}

// Explain returns what was learned and why.
func (l *Learned) Explain(ctx context.Context) Explanation {
	e := Explanation{
		Template:     l.Template.Name,
		Capabilities: l.Template.Abilities,
		Thinking:     l.Template.Dial,
		Dialect:      l.Findings(),
		SelfCheck:    l.SelfCheck(),
		Lint:         l.Lint(ctx),
	}
	for _, n := range l.Template.manner(l.Style().Normalise).wants() {
		e.Normalisations = append(e.Normalisations, Applicable{n.ID, n.Because})
	}
	for _, a := range l.Answers {
		e.Comparisons = append(e.Comparisons, compared(a))
	}
	for _, w := range l.Workarounds {
		e.Workarounds = append(e.Workarounds, ruleOf(w))
	}
	return e
}

// Lint returns what people should look at: oddities of the answers, what is not proven, what the self-check could not parse
// back, and where the prompt of a growing conversation is not stable.
func (l *Learned) Lint(ctx context.Context) []string {
	lint := slices.Clone(l.Detected.Lint)
	switch can := l.Template.Capabilities; {
	case !can.Tools || can.ToolCalls:
	case !l.Concluded.Has(dialect.PartCalls):
		lint = append(lint, "tools are offered, but calls are not rendered: how they are written must be said by a workaround")
	default:
		lint = append(lint, "tools are offered, but calls are not rendered: prompts leave out those of earlier answers")
	}
	lint = append(lint, l.checked.lint()...)
	for _, r := range l.Rewrites(ctx) {
		lint = append(lint, "prompt stability: "+r.String())
	}
	return lint
}

// The number of bytes shown of a difference, and of the text on either side of it.
const (
	longestDifference = 400
	nearby            = 40
)

func compared(a probe.Answer) Compared {
	c := Compared{ID: a.ID, Question: a.Question, Differs: a.Differs, A: a.A.Name, B: a.B.Name,
		Left: diff.Excerpt(a.Left, longestDifference), Right: diff.Excerpt(a.Right, longestDifference), Skipped: a.Skipped}
	if a.Err != nil {
		c.Error = a.Err.Error()
	}
	c.Before = strings.ToValidUTF8(a.Prefix[max(0, len(a.Prefix)-nearby):], "")
	c.After = strings.ToValidUTF8(a.Suffix[:min(len(a.Suffix), nearby)], "")
	return c
}

func ruleOf(w workaround.Applied) Rule {
	r := Rule{Name: w.Rule, Because: w.Because, Vouches: w.Vouches, Error: w.Error}
	for _, c := range w.Changes {
		r.Changes = append(r.Changes, fmt.Sprintf("%s: %s → %s", c.Field, orNothing(c.From), c.To))
	}
	for _, n := range w.Requests {
		r.Asks = append(r.Asks, string(n))
	}
	return r
}

func orNothing(text string) string {
	if text == "" {
		return "nothing"
	}
	return text
}

// String returns the explanation as a txtar archive.
func (e Explanation) String() string {
	var p printer
	p.line("%s", e.Template)
	p.section("capabilities")
	for _, a := range e.Capabilities {
		p.line("%-3s  %-20s  %s", yesNo(a.Yes), a.ID, a.Question)
	}
	p.section("thinking")
	for _, d := range e.Thinking {
		p.line("%s", d)
	}
	p.section("normalisations")
	for _, n := range e.Normalisations {
		p.line("%-16s  %s", n.ID, n.Because)
	}
	p.section("comparisons")
	for _, c := range e.Comparisons {
		c.print(&p)
	}
	p.section("dialect")
	for _, f := range e.Dialect {
		p.line("%s = %q", f.Field, f.Value)
		p.line("    %s: %q", f.By, f.Seen)
	}
	p.section("workarounds")
	for _, r := range e.Workarounds {
		r.print(&p)
	}
	p.section("self-check")
	e.SelfCheck.print(&p)
	p.section("lint")
	for _, l := range e.Lint {
		p.line("%s", l)
	}
	return p.String()
}

func yesNo(yes bool) string {
	if yes {
		return "yes"
	}
	return "no"
}

func (c Compared) print(p *printer) {
	p.line("%s  %s", c.ID, c.Question)
	switch {
	case c.Skipped:
		p.line("    not asked")
	case c.Error != "":
		p.line("    no answer: %s", c.Error)
	case c.Left == "" && c.Right == "":
		p.line("    %s / %s: %s", c.A, c.B, c.Differs)
		p.line("    no difference")
	default:
		p.line("    %s / %s: %s", c.A, c.B, c.Differs)
		p.line("    … %q", c.Before)
		p.line("    - %q", c.Left)
		p.line("    + %q", c.Right)
		p.line("    … %q", c.After)
	}
}

func (r Rule) print(p *printer) {
	p.line("%s: %s", r.Name, r.Because)
	for _, c := range r.Changes {
		p.line("    %s", c)
	}
	for _, n := range r.Asks {
		p.line("    asks for %s", n)
	}
	for _, part := range r.Vouches {
		p.line("    vouches for %s", part)
	}
	if r.Error != "" {
		p.line("    its condition fails: %s", r.Error)
	}
}

func (s SelfCheck) print(p *printer) {
	p.line("%s passed", s.Score())
	for _, part := range s.Parts {
		p.line("%s", part)
	}
	for _, r := range s.Rows {
		switch {
		case r.Failed != "":
			p.line("failed   %-16s  %s", r.ID, r.Question)
			p.line("    %s", r.Failed)
			p.line("    %q", r.Output)
		case r.Skipped != "":
			p.line("skipped  %-16s  %s", r.ID, r.Skipped)
		default:
			p.line("passed   %-16s  %s", r.ID, r.Question)
		}
	}
}

// printer prints the lines of an archive.
type printer struct{ strings.Builder }

func (p *printer) section(name string) { fmt.Fprintf(p, "-- %s --\n", name) }

// line prints a line. Line breaks become spaces, so that no line looks like the header of a section.
func (p *printer) line(format string, args ...any) {
	fmt.Fprintln(p, strings.ReplaceAll(fmt.Sprintf(format, args...), "\n", " "))
}
