package detect

import (
	"strings"

	"github.com/dragoman-project/dragoman/autoparser/dialect"
	"github.com/dragoman-project/dragoman/autoparser/diff"
	"github.com/dragoman-project/dragoman/autoparser/probe"
)

// content learns what surrounds the text of an answer besides the prompt and reasoning (C1), what
// does so only with reasoning (R1), and what the template strips from earlier answers (R5).
func (d *detective) content() {
	c1, ok := d.answers.Of("C1")
	if !ok {
		return
	}
	before, after, ok := strings.Cut(c1.TextB, probe.Content)
	if !ok {
		d.lint("C1: the text of an answer is not rendered verbatim")
		return
	}
	before = tailOf(before) // a prompt may begin with more than an answered question
	shared := diff.Shared(before, tailOf(c1.TextA))
	start := d.withoutReasoning(before[len(shared):])
	if !blank(start) && !strings.HasSuffix(d.bare(c1.TextA), d.bare(start)) {
		d.wrapped(dialect.ContentAlwaysWrapped, start, d.contentEnd(start, after), from("C1", before[len(shared):]+probe.Content+after))
		d.reasoningBeforeWrapped()
		return
	}
	if !d.wrappedWithReasoning(after) {
		d.namedContent()
	}
}

// bare returns a text without white space and without markers of reasoning.
func (d *detective) bare(text string) string {
	r := d.Dialect.Reasoning
	for _, marker := range nonblank(r.Start, r.End) {
		text = strings.ReplaceAll(text, marker, "")
	}
	return squeezed(text)
}

// namedContent handles templates that keep of an earlier answer only the text between two markers
// that their source names: the model writes them around its content, although no answer shows them.
func (d *detective) namedContent() {
	r5, ok := d.answers.Of("R5")
	if !ok || strings.Contains(r5.TextB, probe.Content) || !strings.Contains(r5.TextB, probe.Reasoning) {
		return
	}
	start, end := thoughtMarkers(r5)
	before, _, _ := strings.Cut(r5.TextB, probe.Reasoning)
	if strings.HasSuffix(trimRight(before), strings.TrimSpace(start)) {
		return
	}
	d.wrapped(dialect.ContentWrappedWithReasoning, start, end, from("R5", start+probe.Reasoning+end+" → "+probe.Reasoning))
}

// wrapped learns that content stands between markers.
func (d *detective) wrapped(mode dialect.ContentMode, start, end string, by source) {
	learn(d, &d.Dialect.Content.Mode, mode, by)
	learn(d, &d.Dialect.Content.Start, start, by)
	learn(d, &d.Dialect.Content.End, end, by)
}

// reasoningBeforeWrapped extends the end of reasoning up to the beginning of content, if content
// has a start marker.
func (d *detective) reasoningBeforeWrapped() {
	r1, ok := d.answers.Of("R1")
	_, behind, shown := strings.Cut(r1.TextB, probe.Reasoning)
	between, _, _ := strings.Cut(behind, probe.Content)
	end, wrapped := strings.CutSuffix(between, d.Dialect.Content.Start)
	if ok && shown && wrapped && len(end) > len(d.Dialect.Reasoning.End) && strings.HasPrefix(end, d.Dialect.Reasoning.End) {
		learn(d, &d.Dialect.Reasoning.End, end, from("R1", between))
	}
}

// contentEnd returns the first marker after the text of an answer. If a call ends in the same way,
// the marker ends the turn, unless it closes the marker before the text.
func (d *detective) contentEnd(start, after string) string {
	end, _ := leadingMarker(after)
	own := end
	if t1, ok := d.answers.Of("T1"); ok {
		_, left, _ := strings.Cut(t1.Left, probe.Content)
		own, _ = leadingMarker(left)
	}
	if own == "" && diff.Closes(strings.TrimSpace(start), strings.TrimSpace(end)) {
		return end
	}
	return own
}

// wrappedWithReasoning learns what stands between the end of reasoning and the answer only if there
// is reasoning, and reports whether there is something.
func (d *detective) wrappedWithReasoning(plain string) bool {
	r1, ok := d.answers.Of("R1")
	if !ok || d.Dialect.Reasoning.End == "" {
		return false
	}
	_, behind, _ := strings.Cut(r1.TextB, probe.Reasoning)
	between, after, ok := strings.Cut(behind, probe.Content)
	start := strings.TrimPrefix(trimLeft(between), trimLeft(d.Dialect.Reasoning.End))
	end, _ := leadingMarker(after)
	if !ok || blank(start) || strings.HasPrefix(plain, end) {
		return false
	}
	d.wrapped(dialect.ContentWrappedWithReasoning, start, end, from("R1", between+probe.Content+end))
	return true
}

// contentBeforeCalls learns what ends a text before calls (C2). If the two are separate messages,
// that is the end of one and the beginning of the other. The end of the turn cannot be told from
// the end of a text.
func (d *detective) contentBeforeCalls() {
	c2, ok := d.answers.Of("C2")
	end := strings.TrimSpace(d.Dialect.Content.End)
	if !ok || d.Dialect.Content.Mode == dialect.ContentWrappedWithReasoning || end != "" && end != d.Dialect.EndOfTurn {
		return
	}
	_, behind, _ := strings.Cut(c2.TextB, probe.Content)
	t := d.Dialect.Tools
	for _, opener := range []string{t.SectionStart, t.PerCallStart, t.Function.NamePrefix} {
		if opener = strings.TrimSpace(opener); opener == "" {
			continue
		}
		between, _, follows := strings.Cut(behind, opener)
		if between = strings.TrimSpace(between); follows && markers(between) > 1 && !d.endsTurn(between) {
			start := d.Dialect.Content.Start
			d.forget(&d.Dialect.Content)
			d.wrapped(dialect.ContentAlwaysWrapped, start, between, from("C2", probe.Content+between+opener))
		}
		return
	}
}

// contentLead learns the words directly before the text of an answer that are there only if tools
// are offered (C1, T1).
func (d *detective) contentLead() {
	c1, ok1 := d.answers.Of("C1")
	t1, ok2 := d.answers.Of("T1")
	if !ok1 || !ok2 {
		return
	}
	plain, _, _ := strings.Cut(tailOf(c1.TextB), probe.Content)
	offered, _, _ := strings.Cut(tailOf(t1.TextA), probe.Content)
	lead, follows := strings.CutPrefix(offered, plain)
	if follows && !blank(lead) && markers(lead) == 0 && !strings.Contains(tailOf(t1.TextB), lead) {
		learn(d, &d.Dialect.Content.Lead, strings.TrimSpace(lead), from("T1", lead+probe.Content))
	}
}

// endsTurn reports whether a text begins with the end of the turn.
func (d *detective) endsTurn(text string) bool {
	return d.Dialect.EndOfTurn != "" && strings.HasPrefix(text, d.Dialect.EndOfTurn)
}

// contentBesideCalls learns that an empty element before calls holds the content of their message,
// which is empty in the probes, if a text appears there (C2).
func (d *detective) contentBesideCalls(calls string) {
	c2, _ := d.answers.Of("C2")
	start, rest := leadingMarker(calls)
	end, behind := leadingMarker(rest)
	start, end = strings.TrimSpace(start), strings.TrimSpace(end)
	shown := diff.Closes(start, end) && strings.Contains(squeezed(c2.TextB), squeezed(start+probe.Content+end))
	if d.Dialect.Content.Mode == dialect.ContentPlain && shown && !blank(behind) {
		d.wrapped(dialect.ContentWrappedWithReasoning, start, end, from("C2", start+probe.Content+end))
	}
}

// withoutContent strips from calls the leading markers of empty content, or those that wrap calls
// and content alike.
func (d *detective) withoutContent(calls string) string {
	c := d.Dialect.Content
	switch {
	case c.Mode == dialect.ContentAlwaysWrapped && c.End != "" && markers(c.Start) > 0:
		inner := trimLeft(strings.TrimPrefix(calls, strings.TrimSpace(c.Start)))
		return trimLeft(strings.TrimPrefix(inner, strings.TrimSpace(c.End)))
	case c.Mode != dialect.ContentWrappedWithReasoning:
		return calls
	}
	if inner, ok := strings.CutPrefix(calls, strings.TrimSpace(c.Start)); ok {
		if rest, ok := strings.CutPrefix(trimLeft(inner), strings.TrimSpace(c.End)); ok {
			return trimLeft(rest)
		}
	}
	return calls
}

// withoutReasoning strips leading markers of reasoning and the white space around them.
func (d *detective) withoutReasoning(text string) string {
	r := d.Dialect.Reasoning
	for _, marker := range nonblank(r.Start, r.End) {
		if rest, ok := strings.CutPrefix(trimLeft(text), marker); ok {
			text = trimLeft(rest)
		}
	}
	return text
}
