// Package detect concludes from the answers to comparisons how a template writes an assistant's
// turn.
//
// Every conclusion rests on where needles stand in renderings. With one call rendered, and two,
//
//	<calls>⏎<call name="alpha">…</call>⏎</calls>
//	<calls>⏎<call name="alpha">…</call>⏎<call name="beta">…</call>⏎</calls>
//
// what precedes alpha and again beta belongs to each call, what precedes only the first to all of
// them; likewise after them. Nothing is known about any markup beforehand, except that <call> ends
// where its bracket closes.
//
// Each question is a file: turn.go what begins and ends messages; reasoning.go; content.go;
// calls.go which format there is, and what belongs to a section and what to a call; json.go the
// members of a call in JSON; markup.go the name and the arguments in markup; typed.go and code.go
// how values tell their types; callid.go the ids. They run in the order of Run. Conclusions are set
// through learn.go, each with the comparison that taught it; the name of the field follows from its
// address. If the answers do not fit together, a question stays open and is reported as lint: a
// template that cannot be read is a template whose output is content.
//
// Words that must not be confused: a *finding* is one field of the dialect with what taught it; a
// *lint* is something that a person should look at.
package detect

import (
	"fmt"

	"github.com/dragoman-project/dragoman/autoparser/dialect"
	"github.com/dragoman-project/dragoman/autoparser/probe"
)

// Result is what was concluded.
type Result struct {
	Dialect  dialect.Dialect
	Findings []Finding
	Lint     []string
	Tags     Tags `json:"-"`
}

// Finding is a field of the dialect with what taught it.
type Finding struct {
	Field string `json:"field"` // as workarounds write it: "tools.function.close"
	Value string `json:"value"`
	By    string `json:"by"`   // ids of comparisons, or the name of a workaround
	Seen  string `json:"seen"` // the piece of a rendering, or the workaround's reason
}

// Run answers all questions.
func Run(answers probe.Answers) Result {
	t := tagsIn(answers)
	d := &detective{answers: t.read(answers)}
	d.Dialect.Reasoning.Mode = dialect.ReasoningNone
	d.Dialect.Content.Mode = dialect.ContentPlain
	d.Dialect.Tools = noTools()
	d.unanswered()
	d.reasoning()
	d.content()
	d.turn()
	d.calls()
	d.withoutHeaders()
	d.contentBeforeCalls()
	d.contentLead()
	return t.restore(d.Result)
}

// unanswered reports each error of the template once.
func (d *detective) unanswered() {
	seen := map[string]bool{}
	for _, a := range d.answers {
		if a.Err != nil && !seen[a.Err.Error()] {
			seen[a.Err.Error()] = true
			d.lint("%s: %v", a.ID, a.Err)
		}
	}
}

// detective is a detection in progress.
type detective struct {
	Result
	answers probe.Answers
}

func (d *detective) lint(format string, args ...any) {
	d.Lint = append(d.Lint, fmt.Sprintf(format, args...))
}
