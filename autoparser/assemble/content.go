package assemble

import (
	"slices"
	"strings"

	"github.com/dragoman-project/dragoman/autoparser/dialect"
	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/dragoman-project/dragoman/sdk/peg"
	"github.com/dragoman-project/dragoman/sdk/turn"
)

// body matches everything after the reasoning: content and calls.
func (a *assembly) body() peg.ID {
	if a.Request.Grammar.Kind != chat.GrammarNone && a.format == nil {
		return a.held()
	}
	if !a.AnswerSchema().IsZero() {
		return a.response()
	}
	if a.d.Content.Mode == dialect.ContentWrappedWithReasoning && a.m.Content.Start != "" {
		return a.Choice(
			a.Seq(a.Space(), a.Lit(a.m.Content.Start), a.mixed(nonempty(a.m.Content.End))),
			a.led(a.mixed(nil)))
	}
	if start := a.m.Content.Start; start != "" && !distinctive(start) {
		return a.behindWords()
	}
	wrappers := nonempty(a.m.Content.Start, a.m.Content.End)
	if a.m.Content.Start != "" && distinctive(a.m.Tools.CallSeparator) {
		wrappers = append(wrappers, a.separated(a.m.Content.Start)...)
	}
	if start := a.d.Content.Start; start != strings.TrimLeft(start, " ") {
		return a.Seq(a.Optional(a.Space(), a.Lit(a.m.Content.Start), a.Lines()), a.mixed(wrappers))
	}
	return a.led(a.mixed(wrappers))
}

// led matches content behind the words that may precede it if tools are offered.
func (a *assembly) led(content peg.ID) peg.ID {
	if a.d.Content.Lead == "" || len(a.Tools) == 0 {
		return content
	}
	return a.Seq(a.Optional(a.Space(), a.Lit(a.d.Content.Lead), a.Space()), content)
}

// behindWords matches content that begins with words which may occur in text, too. They count only
// at the beginning, and after the separator of calls.
func (a *assembly) behindWords() peg.ID {
	words := strings.TrimRight(strings.TrimLeft(a.d.Content.Start, " \t\r\n"), " \t")
	var wrappers []string
	if distinctive(a.m.Tools.CallSeparator) {
		wrappers = append(wrappers, a.separated(words)...)
	}
	if distinctive(a.m.Content.End) {
		wrappers = append(wrappers, a.m.Content.End)
	}
	begin := []peg.ID{a.Space(), a.Lit(words)}
	if _, gap, ok := strings.Cut(a.d.Content.Start, words); ok && gap != "" {
		begin = append(begin, a.Optional(a.Lit(gap)))
	}
	return a.Seq(a.Optional(begin...), a.mixed(wrappers))
}

// separated returns the beginning of a message behind the separator of calls, with the white space
// between them that the template has, and without.
func (a *assembly) separated(start string) []string {
	own := strings.TrimLeft(a.d.Tools.CallSeparator, " \t\r\n")
	return nonempty(own+start, a.m.Tools.CallSeparator+start)
}

// mixed matches content with calls anywhere in it. wrappers are the markers around content, which
// are dropped. Grammars allow one run of calls, at the end, and require it if the request does.
func (a *assembly) mixed(wrappers []string) peg.ID {
	text := a.prose(wrappers)
	if a.format == nil {
		return text
	}
	spelled := a.Seq(a.notTheEnd(), a.Tag(peg.Content, a.OneOf(a.openers()...)))
	if a.markerless() && len(a.Ends) > 0 {
		spelled = a.Seq(a.Not(a.Seq(a.Chars(0, 1, turn.Blank...), a.OneOf(a.Ends...))), spelled) // one may begin with the other
	}
	if ends := a.strayEnds(); len(ends) > 0 {
		spelled = a.Choice(a.OnlyHere("stray-end", a.Trigger("stray-end", a.OneOf(ends...))), spelled)
	}
	rest := text
	if a.endsLate() && a.promotes() {
		rest = a.prose(nonempty(append(wrappers, a.m.Reasoning.End)...))
	}
	if a.markerless() {
		spelled = a.Choice(a.example(), spelled)
	}
	spelled = a.Seq(a.onward(), spelled)
	more := a.OnlyHere("more", a.Seq(rest, a.Star(a.Choice(a.Seq(a.onward(), a.callsInText()), spelled), rest)))
	first := a.Seq(a.onward(), a.calls(), a.enclosed(), a.Optional(more))
	none := a.Optional(a.OnlyHere("no-call", spelled, more))
	if a.MustCall() {
		none = a.OnlyHere("no-call", a.Optional(spelled, more))
		if start := a.m.Reasoning.Start; start != "" && a.Request.ReasoningFormat.Extract() { // the parser reads reasoning that begins there
			text = a.Choice(a.OnlyHere("text", text), a.prose(wrappers, start))
		}
	}
	if a.markerless() {
		inText := a.Seq(a.callsInText(), a.enclosed(), a.Optional(more))
		if a.untold {
			first = a.Seq(a.last(a.calls()), first)
		}
		return a.Choice(a.Seq(a.Space(), first), a.OnlyHere("text-first", a.Optional(a.example()), text, a.Choice(inText, none)))
	}
	whole := a.Seq(text, a.Choice(first, none))
	if a.d.Tools.Format != dialect.JSONNative {
		return whole
	}
	return a.Choice(a.OnlyHere("without-marker", a.Space(), a.unmarkedFirst(), a.Optional(more)), whole)
}

// onward matches nothing, where the turn does not end: a call may begin with the marker that ends a turn.
func (a *assembly) onward() peg.ID {
	ends := slices.DeleteFunc(slices.Clone(a.Ends), func(end string) bool {
		return !slices.ContainsFunc(a.openers(), func(o string) bool { return len(o) > len(end) && strings.HasPrefix(o, end) })
	})
	if len(ends) == 0 {
		return a.Empty()
	}
	return a.Once("onward", func() peg.ID { return a.Not(a.Seq(a.OneOf(ends...), a.Blanks(), a.End())) })
}

// enclosed matches the end marker of content after calls: some templates wrap both the same way.
func (a *assembly) enclosed() peg.ID {
	if a.m.Content.Start == "" || a.m.Content.End == "" || a.d.Content.Mode != dialect.ContentAlwaysWrapped {
		return a.Empty()
	}
	return a.Optional(a.Lit(a.m.Content.End), a.Space())
}

// strayEnds returns the end markers of calls that do not occur in prose: after a malformed call
// they are dropped from the text.
func (a *assembly) strayEnds() []string {
	if a.format == nil {
		return nil
	}
	return slices.DeleteFunc(respaced(a.m.Tools.PerCallEnd, a.m.Tools.SectionEnd), func(m string) bool {
		return !special(m) || slices.Contains(a.Ends, m) || slices.Contains(a.openers(), m)
	})
}

// prose matches content without calls and without any of except, dropping the wrappers that the
// template puts around it.
func (a *assembly) prose(wrappers []string, except ...string) peg.ID {
	until := nonempty(slices.Concat(a.openers(), a.strayEnds(), wrappers, a.Ends, except)...)
	text := a.Tag(peg.Content, a.Until(until...))
	if len(wrappers) == 0 {
		return text
	}
	kids := make([]peg.ID, len(wrappers))
	for i, w := range wrappers {
		kids[i] = a.around(w)
	}
	return a.Seq(text, a.Star(a.Choice(kids...), a.Lines(), text))
}

// around matches a marker around content. If it begins with the end of a turn, the rest may be
// missing.
func (a *assembly) around(marker string) peg.ID {
	if end, rest := a.afterEnding(marker); rest != "" {
		return a.Seq(a.Lit(end), a.Optional(a.Space(), a.Lit(rest)))
	}
	return a.Lit(marker)
}

// afterEnding splits a marker that begins with the end of a turn and continues; rest is empty if it
// does not.
func (a *assembly) afterEnding(marker string) (end, rest string) {
	for _, end := range a.Ends {
		if rest, ok := strings.CutPrefix(marker, end); ok {
			return end, strings.TrimSpace(rest)
		}
	}
	return "", ""
}
