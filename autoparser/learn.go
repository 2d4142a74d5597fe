package autoparser

import (
	"context"
	"strconv"

	"github.com/dragoman-project/dragoman/autoparser/detect"
	"github.com/dragoman-project/dragoman/autoparser/dialect"
	"github.com/dragoman-project/dragoman/autoparser/probe"
	"github.com/dragoman-project/dragoman/autoparser/workaround"
	"github.com/dragoman-project/dragoman/sdk/chat"
)

// Learned is what is known of a template. It is immutable and safe for concurrent use.
type Learned struct {
	Template *Template
	// Answers are the answers of the template to all comparisons.
	Answers probe.Answers
	// Detected is what follows from the answers, Dialect that with the workarounds applied.
	Detected detect.Result
	Dialect  dialect.Dialect
	// Workarounds are the rules that hold for the template.
	Workarounds []workaround.Applied

	facts   *workaround.Facts
	checked *checked
}

// Learn asks a template all questions, concludes how it writes an answer, and applies the workarounds. The result depends on
// the template and the rules alone. If the answers make no sense, all output is content, and Lint returns the reason. Errors
// are of type *jinja.Error: a probe exceeded the limits of rendering.
func Learn(t *Template, rules *workaround.Set) (*Learned, error) {
	e := exploration{Template: t, exhausted: t.exhausted, tolerated: t.tolerated}
	answers := probe.Ask(t.Capabilities, t.Source, e.ask)
	if e.exhausted != nil {
		return nil, e.exhausted
	}
	l := concluded(t, answers)
	if e.tolerated != nil {
		l.Detected.Lint = append(l.Detected.Lint, "Jinja2 does not render all of it; it is rendered tolerantly: "+e.tolerated.Error())
	}
	if t.nullCalls {
		l.Detected.Lint = append(l.Detected.Lint,
			"calls are rendered only beside null content: a prompt leaves out those of earlier answers, unless a workaround asks for null-content")
	}
	return l.With(rules), nil
}

// concluded returns what follows from the answers, without workarounds.
func concluded(t *Template, answers probe.Answers) *Learned {
	l := &Learned{Template: t, Answers: answers, Detected: detect.Run(answers)}
	l.facts = &workaround.Facts{Source: t.Source, Name: t.Name, Dialect: l.Detected.Dialect, Capabilities: t.Capabilities}
	return l
}

// With returns what was learned, with other workarounds applied. It renders nothing.
func (l *Learned) With(rules *workaround.Set) *Learned {
	next := *l
	next.checked = new(checked)
	next.Dialect, next.Workarounds = rules.Apply(*l.facts)
	return &next
}

// Facts returns what the conditions of workarounds and plugins see, with the dialect as detected. All calls return the same
// facts, which must not be modified.
func (l *Learned) Facts() *workaround.Facts { return l.facts }

// Style returns the part of what was learned that rendering depends on.
func (l *Learned) Style() Style {
	s := Style{Reasoning: l.Dialect.Reasoning, Content: l.Dialect.Content}
	for _, w := range l.Workarounds {
		s.Normalise = append(s.Normalise, w.Requests...)
	}
	return s
}

// Render renders the prompt of a request in the learned style. See Template.Render.
func (l *Learned) Render(ctx context.Context, r *chat.Request) (Rendered, error) {
	return l.Template.Render(ctx, r, l.Style())
}

// Findings returns the fields of the dialect that are set, in their order, each with what decided it: a comparison, or a
// workaround that overrides it.
func (l *Learned) Findings() []detect.Finding {
	decided := map[string]detect.Finding{}
	for _, f := range l.Detected.Findings {
		decided[f.Field] = f
	}
	for _, w := range l.Workarounds {
		for _, c := range w.Changes {
			decided[c.Field] = detect.Finding{Field: c.Field, Value: unquoted(c.To), By: w.Rule, Seen: w.Because}
		}
	}
	var all []detect.Finding
	for _, field := range dialect.Fields() {
		if f, ok := decided[field]; ok {
			all = append(all, f)
		}
	}
	return all
}

// unquoted returns a YAML value as plain text.
func unquoted(value string) string {
	if text, err := strconv.Unquote(value); err == nil {
		return text
	}
	return value
}
