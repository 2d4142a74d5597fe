package detect

import (
	"slices"
	"strings"

	"github.com/dragoman-project/dragoman/autoparser/dialect"
	"github.com/dragoman-project/dragoman/autoparser/diff"
	"github.com/dragoman-project/dragoman/autoparser/probe"
)

// reasoning learns what surrounds reasoning. It looks at answers (R1), at answers with calls (R3),
// at the prompts with and without thinking (R2), at what the template strips from earlier answers
// (R4), and at the markers in its source at which it does so (R5).
func (d *detective) reasoning() {
	for _, ask := range []func() bool{d.reasoningOfAnswers, d.reasoningOfCalls, d.promptedReasoning, d.cutReasoning, d.namedReasoning} {
		if ask() {
			return
		}
	}
}

// concludeReasoning sets all fields of reasoning.
func (d *detective) concludeReasoning(mode dialect.ReasoningMode, start, end string, by source) {
	learn(d, &d.Dialect.Reasoning.Mode, mode, by)
	learn(d, &d.Dialect.Reasoning.Start, start, by)
	learn(d, &d.Dialect.Reasoning.End, end, by)
}

func (d *detective) reasoningOfAnswers() bool {
	r1, ok := d.answers.Of("R1")
	return ok && d.shownReasoning(r1, dialect.ReasoningTagBased, probe.Content)
}

// reasoningOfCalls handles reasoning that is shown before a call, but not before a text.
func (d *detective) reasoningOfCalls() bool {
	r3, ok := d.answers.Of("R3")
	return ok && !strings.Contains(r3.TextA, probe.Reasoning) && d.shownReasoning(r3, dialect.ReasoningToolsOnly, probe.Function)
}

// shownReasoning reads the markers around the reasoning in B, up to the needle that follows it.
func (d *detective) shownReasoning(a probe.Answer, mode dialect.ReasoningMode, next string) bool {
	before, after, ok := strings.Cut(a.TextB, probe.Reasoning)
	if !ok {
		return false
	}
	between, _, ok := strings.Cut(after, next)
	if !ok {
		return false
	}
	end := throughMarker(between)
	if blank(end) {
		d.lint("%s: reasoning is rendered, but nothing separates it from what follows", a.ID)
		return false
	}
	end += d.headerBehind(between[len(end):], before)
	start := d.reasoningStart(a, before)
	if prompt := d.prompt(); strings.HasSuffix(trimRight(prompt), strings.TrimSpace(start)) && !strings.HasSuffix(prompt, start) {
		// The prompt opens reasoning without the white space that answers have there, so that is
		// layout and not part of the marker.
		start, end = strings.TrimSpace(start), strings.TrimSpace(end)
	}
	d.concludeReasoning(mode, start, end, from(a.ID, start+probe.Reasoning+end))
	return true
}

// headerBehind returns the beginning of the text after the end of reasoning with which prompts
// begin an answer, if it precedes the reasoning, too: then reasoning is a message of its own.
func (d *detective) headerBehind(rest, before string) string {
	r2, _ := d.answers.Of("R2")
	marker, _ := leadingMarker(rest)
	marker = strings.TrimSpace(marker)
	for _, prompt := range []string{r2.TextA, r2.TextB} {
		at := strings.LastIndex(prompt, marker)
		if marker == "" || at < 0 {
			continue
		}
		if header := trimRight(prompt[at:]); strings.HasPrefix(rest, header) && strings.Contains(before, header) {
			return rest[:withSpace(rest, len(header))]
		}
	}
	return ""
}

// reasoningStart returns the marker before reasoning: what an answer with reasoning begins with,
// but neither the prompt, if that is known, nor an answer without reasoning: the header of an
// answer is never part of it. If the prompt, or every answer, opens reasoning, it is the last
// marker.
func (d *detective) reasoningStart(a probe.Answer, before string) string {
	plain, _, _ := strings.Cut(a.TextA, probe.Content)
	if before == plain {
		return d.promptedStart(before)
	}
	begun := tailOf(before)
	shared := diff.Shared(begun, tailOf(plain))
	if prompt := d.prompt(); prompt != "" {
		shared = diff.Shared(shared, tailOf(prompt))
	}
	if own := begun[len(shared):]; !blank(own) && !d.promptWords(own) {
		return trimLeft(own)
	}
	_, marker := diff.TrailingMarker(before)
	return marker
}

// promptWords reports whether a marker with words before it ends the prompt, too: then the words
// are its header.
func (d *detective) promptWords(own string) bool {
	words, marker := diff.TrailingMarker(own)
	return !blank(words) && marker != "" && markers(words) == 0 && strings.HasSuffix(squeezed(d.prompt()), squeezed(own))
}

// promptedStart returns what the prompt for an answer has beyond the header of an answer.
func (d *detective) promptedStart(header string) string {
	extra, ok := strings.CutPrefix(d.prompt(), header)
	if !ok {
		return ""
	}
	return trimLeft(extra)
}

// prompt returns the prompt for an answer with thinking, whether or not there is one without; "" if
// it is unknown.
func (d *detective) prompt() string {
	r2, _ := d.answers.Of("R2")
	return r2.TextB
}

// promptedReasoning compares the prompts with and without thinking after the question; text before
// it may switch thinking on or off. Without thinking, templates write empty reasoning, or close
// what they would have opened.
func (d *detective) promptedReasoning() bool {
	r2, ok := d.answers.Of("R2")
	if !ok || !strings.Contains(r2.TextA, probe.User) {
		return false
	}
	s := diff.Texts(tailOf(r2.TextA), tailOf(r2.TextB))
	off, on := markersOf(s.Left), markersOf(s.Right)
	off, on = without(off, on), without(on, off)
	_, last := diff.TrailingMarker(s.Prefix)
	start, end := "", ""
	switch {
	case s.Suffix != "":
	case len(on) > 0 && len(off) > 0:
		start, end = on[len(on)-1], off[len(off)-1]
	case len(on) > 0:
		start, end = on[0], d.closing(on[0])
	case len(off) > 1:
		start, end = off[len(off)-2], off[len(off)-1]
	case len(off) == 1 && last != "":
		start, end = strings.TrimSpace(last), trimRight(s.Left)
		if blank(s.Right) {
			start += s.Right
		}
	}
	if end == "" {
		return false
	}
	d.concludeReasoning(dialect.ReasoningTagBased, start, end, from("R2", tailOf(r2.TextB)+" / "+tailOf(r2.TextA)))
	return true
}

// closing returns what closes a marker of the prompt: what was tried (R4), or a guess.
func (d *detective) closing(marker string) string {
	if r4, ok := d.answers.Of("R4"); ok && probe.Opens(d.prompt()) == marker {
		_, end := thoughtMarkers(r4)
		return end
	}
	return diff.Counterpart(marker)
}

// without returns markers without others.
func without(markers, others []string) []string {
	return slices.DeleteFunc(slices.Clone(markers), func(m string) bool { return slices.Contains(others, m) })
}

// tailOf returns a rendering from the end of the question on.
func tailOf(text string) string {
	if at := strings.LastIndex(text, probe.User); at >= 0 {
		return text[at+len(probe.User):]
	}
	return text
}

// markersOf lists the markers of a text.
func markersOf(text string) []string {
	var all []string
	for _, s := range diff.Segments(text) {
		if s.Marker {
			all = append(all, s.Text)
		}
	}
	return all
}

// cutReasoning learns about reasoning that no answer shows: the end of the prompt opens it. That is
// certain if the template strips from an answer what precedes the counterpart of that marker.
func (d *detective) cutReasoning() bool {
	r4, ok := d.answers.Of("R4")
	if !ok {
		return false
	}
	r1, _ := d.answers.Of("R1")
	header, _, _ := strings.Cut(r1.TextA, probe.Content)
	_, start := diff.TrailingMarker(header)
	opens := probe.Opens(d.prompt())
	_, end := thoughtMarkers(r4)
	cut := !strings.Contains(r4.TextB, probe.Reasoning) && strings.Contains(r4.TextB, probe.Content)
	shown := strings.TrimSpace(start) == opens
	if !shown {
		start = opens
	}
	seen := probe.Reasoning + end + probe.Content + " → " + probe.Content
	if !cut {
		if shown || strings.TrimSpace(d.promptedStart(header)) != opens {
			return false
		}
		d.lint("R4: the prompt ends in %s, but the template never shows what ends reasoning; %s is a guess", opens, end)
		seen = tailOf(d.prompt())
	}
	d.concludeReasoning(dialect.ReasoningTagBased, start, end, from("R4", seen))
	return true
}

// namedReasoning handles templates that strip what precedes a marker named in their source.
func (d *detective) namedReasoning() bool {
	r5, ok := d.answers.Of("R5")
	if !ok || strings.Contains(r5.TextB, probe.Reasoning) || !strings.Contains(r5.TextB, probe.Content) {
		return false
	}
	start, end := thoughtMarkers(r5)
	d.concludeReasoning(dialect.ReasoningTagBased, start, end, from("R5", start+probe.Reasoning+end+probe.Content+" → "+probe.Content))
	return true
}

// thoughtMarkers returns the markers that a comparison wrote around reasoning in the text of an
// answer.
func thoughtMarkers(a probe.Answer) (start, end string) {
	start, rest, _ := strings.Cut(*a.B.Request.Messages[1].Content.Text, probe.Reasoning)
	end, _, _ = strings.Cut(rest, probe.Content)
	return start, end
}
