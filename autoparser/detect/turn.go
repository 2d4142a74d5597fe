package detect

import (
	"strings"

	"github.com/dragoman-project/dragoman/autoparser/diff"
	"github.com/dragoman-project/dragoman/autoparser/probe"
)

// turn learns what ends an answer, what begins a user's message (M1), and what begins an answer
// (M2).
func (d *detective) turn() {
	m1, ok := d.answers.Of("M1")
	if !ok {
		return
	}
	_, alone, shown := strings.Cut(m1.TextA, probe.Content)
	_, behind, _ := strings.Cut(m1.TextB, probe.Content)
	between, _, followed := strings.Cut(behind, probe.SecondUser)
	if !shown || !followed {
		d.lint("M1: messages are not rendered in order")
		return
	}
	question, _, _ := strings.Cut(m1.TextA, probe.User)
	ends := strings.TrimPrefix(diff.CommonPrefix(alone, between), d.Dialect.Content.End)
	if blank(ends) {
		// The last message lacks its end: it is what precedes the next question beyond the first.
		ends = strings.TrimSuffix(between, diff.CommonSuffix(question, between))
	}
	end := strings.TrimSpace(throughMarker(ends))
	_, user, _ := strings.Cut(between, end)
	more := strings.TrimSuffix(user, diff.CommonSuffix(question, user))
	if _, last, _ := strings.Cut(alone, end); !blank(last) && strings.HasPrefix(user, trimRight(last)) {
		more = last // of the last message, which no header follows
	}
	end = withMarkers(end, more, "")
	learn(d, &d.Dialect.EndOfTurn, end, from("M1", between))
	_, user, _ = strings.Cut(between, end)
	if shared := diff.CommonSuffix(question, user); !blank(shared) {
		user = shared
	}
	learn(d, &d.Dialect.UserStart, strings.TrimSpace(user), from("M1", between))
	if end == "" {
		d.endsWithNext(between)
		d.userOnNextLine(between)
	}
	if m2, ok := d.answers.Of("M2"); ok {
		start := d.assistantStart(m2)
		learn(d, &d.Dialect.AssistantStart, start, from("M2", m2.Right))
		d.endsBeforeHeader(m2.Right)
		d.endsWithAny(m2.Right)
	}
}

// endsBeforeHeader handles renderings in which the end of the previous message was taken for the
// beginning of a user's message: what precedes the marker that begins an answer, too, ends the
// message before.
func (d *detective) endsBeforeHeader(seen string) {
	header, _ := leadingMarker(d.Dialect.AssistantStart)
	end, start, found := strings.Cut(d.Dialect.UserStart, strings.TrimSpace(header))
	if end = strings.TrimSpace(end); d.Dialect.EndOfTurn == "" && header != "" && found && markers(end) > 0 {
		learn(d, &d.Dialect.EndOfTurn, end, from("M2", seen))
		relearn(d, &d.Dialect.UserStart, strings.TrimSpace(header)+start, from("M2", seen))
	}
}

// endsWithAny handles templates without an end of an answer, but with a marker that begins messages
// of all roles: that ends an answer.
func (d *detective) endsWithAny(seen string) {
	user, _ := leadingMarker(d.Dialect.UserStart)
	assistant, _ := leadingMarker(d.Dialect.AssistantStart)
	if user = strings.TrimSpace(user); d.Dialect.EndOfTurn == "" && user == strings.TrimSpace(assistant) {
		learn(d, &d.Dialect.EndOfTurn, user, from("M2", seen))
	}
}

// assistantStart returns what the template writes before an answer: what the answer adds to the
// conversation before it or, if every conversation ends in the beginning of an answer, what follows
// the end of the question.
func (d *detective) assistantStart(m2 probe.Answer) string {
	before, _, _ := strings.Cut(m2.TextB, probe.SecondContent)
	if added, ok := strings.CutPrefix(before, m2.TextA); ok {
		if start := d.withoutMarkup(added); start != "" {
			return start
		}
	}
	_, behind, _ := strings.Cut(before, probe.SecondUser)
	return d.withoutMarkup(strings.TrimPrefix(trimLeft(behind), d.Dialect.EndOfTurn))
}

// withoutHeaders removes the header of an answer from markers. One got there if a comparison failed
// that would have shown it. The end of reasoning, or of content before calls, and what separates
// calls can contain it: then they are messages of their own.
func (d *detective) withoutHeaders() {
	header := d.header()
	if header == "" {
		return
	}
	for _, start := range []*string{&d.Dialect.Reasoning.Start, &d.Dialect.Content.Start} {
		if at := strings.LastIndex(*start, header); at >= 0 {
			relearn(d, start, trimLeft((*start)[at+len(header):]), from("M2", header))
		}
	}
	for _, end := range []*string{&d.Dialect.Content.End, &d.Dialect.EndOfCalls, &d.Dialect.Tools.SectionEnd} {
		before, _, _ := strings.Cut(*end, header)
		relearn(d, end, before, from("M2", header))
	}
}

// header returns what begins an answer: as learned, or else the end of the prompt, from the last
// marker before reasoning on.
func (d *detective) header() string {
	if d.Dialect.AssistantStart != "" {
		return d.Dialect.AssistantStart
	}
	end := d.withoutMarkup(tailOf(d.prompt()))
	at, _ := diff.LastMarker(end)
	return end[at:]
}

// withoutMarkup returns the beginning of an answer up to its first marker of reasoning or content.
func (d *detective) withoutMarkup(text string) string {
	for _, marker := range []string{d.Dialect.Reasoning.Start, d.Dialect.Reasoning.End, d.Dialect.Content.Start} {
		if marker = strings.TrimSpace(marker); marker != "" {
			text, _, _ = strings.Cut(text, marker)
		}
	}
	return strings.TrimSpace(text)
}

// endsWithNext handles templates without an end of an answer: the model writes the token that
// begins the next message, of the user or, after calls, of a tool (M3).
func (d *detective) endsWithNext(question string) {
	learn(d, &d.Dialect.EndOfTurn, token(question), from("M1", question))
	m3, ok := d.answers.Of("M3")
	if next := token(m3.Right); ok && m3.Left == "" && next != d.Dialect.EndOfTurn {
		learn(d, &d.Dialect.EndOfCalls, next, from("M3", m3.Right))
	}
}

// userOnNextLine handles templates in which only the last answer lacks its end: a token that ends a
// line before the user's message ends the answer.
func (d *detective) userOnNextLine(between string) {
	if start, ok := strings.CutPrefix(d.Dialect.UserStart, d.Dialect.EndOfTurn+"\n"); ok && d.Dialect.EndOfTurn != "" {
		relearn(d, &d.Dialect.UserStart, strings.TrimSpace(start), from("M1", between))
	}
}

// withMarkers returns an end's first marker with the markers after it, whatever white space stands
// between them: an answer may end in two, one of the message and one of the turn. Markers contained
// in others begin a message.
func withMarkers(end, behind, others string) string {
	if markers(end) == 0 {
		return end
	}
	for range maxEnds {
		start, stop := diff.FirstMarker(behind)
		if stop == 0 || !blank(behind[:start]) || strings.Contains(others, behind[start:stop]) {
			break
		}
		end, behind = end+behind[:stop], behind[stop:]
	}
	return end
}

// maxEnds bounds the further markers that an answer may end in. Templates have one.
const maxEnds = 8

// token returns the marker that a text begins with, if it looks like a special token, which does
// not occur in prose.
func token(text string) string {
	marker, _ := leadingMarker(text)
	if !strings.ContainsAny(marker, "|｜") {
		return ""
	}
	return strings.TrimSpace(marker)
}
