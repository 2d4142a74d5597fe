package autoparser

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/dragoman-project/dragoman/autoparser/detect"
	"github.com/dragoman-project/dragoman/autoparser/dialect"
	"github.com/dragoman-project/dragoman/autoparser/jinja"
	"github.com/dragoman-project/dragoman/autoparser/probe"
	"github.com/dragoman-project/dragoman/autoparser/workaround"
	"github.com/dragoman-project/dragoman/sdk/chat"
)

// Learned is what is known of a template. It is immutable and safe for concurrent use.
type Learned struct {
	Template *Template
	// Answers are the answers of the template to all comparisons.
	Answers probe.Answers
	// Detected is what follows from the answers, and Concluded that with the workarounds applied. Dialect is what is served of
	// it: the parts that the self-check proved, and those that a workaround vouches for.
	Detected  detect.Result
	Concluded dialect.Dialect
	Dialect   dialect.Dialect
	// Workarounds are the rules that hold for the template.
	Workarounds []workaround.Applied

	facts   *workaround.Facts
	checked *SelfCheck
}

// Learn asks a template all questions, concludes how it writes an answer, and applies the workarounds. The result depends on
// the template and the rules alone. If the answers make no sense, or the probes together exceed the budget of learning, all
// output is content, and Lint returns the reason. Errors are of type *jinja.Error: the context ended, or the template exceeds
// the limits before it has rendered anything.
func Learn(ctx context.Context, template *Template, rules *workaround.Set) (*Learned, error) {
	e := explore(learning(ctx), template)
	t := e.Template
	answers := probe.Ask(t.Capabilities, t.Source, e.ask)
	if e.exhausted != nil && (!e.rendered || errors.Is(e.exhausted, jinja.Deadline)) {
		return nil, e.exhausted
	}
	if e.exhausted != nil {
		answers = nil
	}
	l := concluded(t, answers)
	if e.exhausted != nil {
		l.Detected.Lint = append(l.Detected.Lint, "it costs too much to learn, so that all output is content: "+e.exhausted.Error())
	}
	if e.tolerated != nil {
		l.Detected.Lint = append(l.Detected.Lint, "Jinja2 does not render all of it; it is rendered tolerantly: "+e.tolerated.Error())
	}
	if t.nullCalls {
		l.Detected.Lint = append(l.Detected.Lint,
			"calls are rendered only beside null content: a prompt leaves out those of earlier answers, unless a workaround asks for null-content")
	}
	return l.With(ctx, rules)
}

// concluded returns what follows from the answers, without workarounds.
func concluded(t *Template, answers probe.Answers) *Learned {
	l := &Learned{Template: t, Answers: answers, Detected: detect.Run(answers)}
	l.facts = &workaround.Facts{Source: t.Source, Name: t.Name, Dialect: l.Detected.Dialect, Capabilities: t.Capabilities}
	return l
}

// With returns what was learned, with other workarounds applied. If they change anything, the self-check runs again; otherwise
// nothing is rendered. The error is that of the context.
func (l *Learned) With(ctx context.Context, rules *workaround.Set) (*Learned, error) {
	next := *l
	next.Concluded, next.Workarounds = rules.Apply(*l.facts)
	next.Dialect = next.Concluded
	if l.checked == nil || !next.checksLike(l) {
		next.checked = next.newChecker(learning(ctx), selfCheckTools(allProperties)).checkAll()
	}
	next.Dialect = served(next.Concluded, next.checked.Unproven())
	return &next, ctx.Err()
}

// checksLike reports whether the self-check of l has the result of that of other.
func (l *Learned) checksLike(other *Learned) bool {
	sameVoucher := func(p Part) bool {
		return l.voucher(p, false) == other.voucher(p, false) && l.voucher(p, true) == other.voucher(p, true)
	}
	return reflect.DeepEqual(l.Concluded, other.Concluded) && slices.Equal(l.Style().Normalise, other.Style().Normalise) &&
		sameVoucher(dialect.PartReasoning) && sameVoucher(dialect.PartCalls)
}

// Facts returns what the conditions of workarounds and plugins see, with the dialect as detected. All calls return the same
// facts, which must not be modified.
func (l *Learned) Facts() *workaround.Facts { return l.facts }

// LintFacts returns the facts that workaround.Set.Lint wants: with the parts that nothing proves.
func (l *Learned) LintFacts() workaround.Facts {
	f := *l.facts
	for _, p := range l.checked.Parts {
		if !p.Proven {
			f.Unproven = append(f.Unproven, p.Part)
		}
	}
	return f
}

// Style returns the part of what was learned that rendering depends on.
func (l *Learned) Style() Style {
	s := Style{Reasoning: l.Concluded.Reasoning, Content: l.Concluded.Content,
		BeforeReasoning: l.gap("R1"), BeforeContent: l.gap("C1")}
	for _, w := range l.Workarounds {
		s.Normalise = append(s.Normalise, w.Requests...)
	}
	return s
}

// gap returns the white space between the prompt and the answer that a comparison shows, if the answer repeats the prompt of
// an answer without thinking.
func (l *Learned) gap(id string) string {
	r2, known := l.Answers.Of("R2")
	a, ok := l.Answers.Of(id)
	prompt := afterQuestion(r2.TextA)
	answer, follows := strings.CutPrefix(afterQuestion(a.TextB), prompt)
	if !known || !ok || !follows || blank(prompt) || blank(answer) {
		return ""
	}
	return answer[:len(answer)-len(strings.TrimLeft(answer, " \t\r\n"))]
}

func afterQuestion(text string) string { return text[strings.LastIndex(text, probe.User)+1:] }

// Render renders the prompt of a request in the learned style. See Template.Render.
func (l *Learned) Render(ctx context.Context, r *chat.Request) (Rendered, error) {
	return l.RenderWith(ctx, r, nil)
}

// RenderWith is Render with a cache.
func (l *Learned) RenderWith(ctx context.Context, r *chat.Request, cache *Cache) (Rendered, error) {
	return l.Template.render(ctx, r, l.Style(), cache)
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
