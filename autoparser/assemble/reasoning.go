package assemble

import (
	"slices"
	"strings"

	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/dragoman-project/dragoman/sdk/peg"
)

// reasoning matches reasoning, including its end marker, and further reasoning directly after it.
// If the request leaves reasoning in the content, its markers are content, too.
func (a *assembly) reasoning() peg.ID {
	switch a.start.thinking {
	case mayThink:
		return a.Seq(a.Optional(a.Space(), a.ThinkBegin(), a.StartAgain(), a.Thought()), a.ThoughtAnew())
	case mustThink:
		return a.Seq(a.ThinkMark(a.m.Reasoning.Start), a.startAgain(), a.Thought(), a.ThoughtAnew())
	case alreadyThinking:
		return a.Seq(a.startAgain(), a.Thought(), a.ThoughtAnew())
	}
	return a.ThoughtAnew()
}

// startAgain matches a repeated start marker. If only an empty line separates it from the end
// marker it is the whole reasoning, so that the message is rendered as the model wrote it.
func (a *assembly) startAgain() peg.ID {
	return a.StartAgain(a.Not(a.Lit("\n\n" + a.m.Reasoning.End)))
}

// thoughtEnds returns the markers that end a turn and do not occur in reasoning; the end of
// reasoning must not begin with one.
func thoughtEnds(ends []string, reasoningEnd string) []string {
	return slices.DeleteFunc(slices.Clone(ends), func(e string) bool { return !special(e) || strings.HasPrefix(reasoningEnd, e) })
}

// promotes reports whether calls can end reasoning: only markers tell them from it.
func (a *assembly) promotes() bool {
	return a.m.Reasoning.End != "" && a.format != nil && !a.markerless()
}

// starts returns the markers that begin calls.
func (a *assembly) starts() []string {
	if starts := nonempty(a.m.Tools.SectionStart, a.m.Tools.PerCallStart); len(starts) > 0 {
		return starts
	}
	return nonempty(a.format.opening())
}

// promoters returns the texts at which calls end reasoning as soon as their arguments begin.
func (a *assembly) promoters() []string { return atLineStart(respaced(a.starts()...)) }

// atLineStart returns markers that are special tokens as they are, and the others at the beginning of a line.
func atLineStart(markers []string) []string {
	out := slices.Clone(markers)
	for i, m := range out {
		if !special(m) {
			out[i] = "\n" + m
		}
	}
	return out
}

// thinkingEnds returns the texts that end reasoning: its own marker, and those of calls that may
// end it. Engines that count reasoning tokens, or suspend a constraint until reasoning ends, look
// for them.
func (a *assembly) thinkingEnds() []string {
	switch {
	case a.m.Reasoning.End == "":
		return nil
	case a.Request.Parsing.CallInReasoning == chat.KeepCalls || !a.promotes():
		return []string{a.m.Reasoning.End}
	}
	return append([]string{a.m.Reasoning.End}, atLineStart(a.starts())...)
}
