package turn

import (
	"cmp"
	"slices"

	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/dragoman-project/dragoman/sdk/handler"
	"github.com/dragoman-project/dragoman/sdk/peg"
)

// reasoning matches the reasoning, or what the format writes in its place. If the request leaves
// reasoning in the content, its markers are content, too.
func (t *Turn) reasoning() peg.ID {
	if t.ThinkStart == "" {
		return t.Empty()
	}
	thought := t.Seq(t.Space(), t.ThinkBegin(), t.StartAgain(), t.Thought())
	none := t.Seq(t.Space(), t.Lit(t.ThinkEnd), t.gap())
	if t.NoThought == "" {
		return t.Seq(t.Optional(t.Choice(thought, t.Only("end-of-no-thought", none))), t.ThoughtAnew())
	}
	return t.Seq(t.Optional(t.Choice(thought, none)), t.ThoughtAnew())
}

// Thought matches reasoning after its start marker, including its end marker, which may be missing.
func (t *Turn) Thought() peg.ID {
	return t.Seq(t.Thoughts(), t.Choice(t.Seq(t.ThinkMark(t.ThinkEnd), t.gap()), t.Unclosed()))
}

// Unclosed matches nothing, for the parser alone, in place of the end of reasoning. The report counts
// it as missing, whatever the Format asks for, so that requests can have such reasoning as content.
func (t *Turn) Unclosed() peg.ID {
	return t.OncePer("~missing", t.ThinkEnd, func() peg.ID { return t.Missing(t.ThinkEnd) })
}

// StartAgain matches a repeated start marker, as models write it after a prompt that ends in one,
// provided that the lookaheads after it match.
func (t *Turn) StartAgain(unless ...peg.ID) peg.ID {
	if t.ThinkStart == "" || !t.extracts() {
		return t.Empty()
	}
	return t.Optional(t.Only("start-again", append([]peg.ID{t.Space(), t.Lit(t.ThinkStart)}, unless...)...))
}

// ThoughtAnew matches further reasoning directly after reasoning, or after a prompt that has closed
// it.
func (t *Turn) ThoughtAnew() peg.ID {
	if t.ThinkStart == "" || !t.extracts() {
		return t.Empty()
	}
	return t.Star(t.Only("thought-anew", t.Space(), t.Lit(t.ThinkStart), t.Thought()))
}

// LateThoughtEnd matches the end marker of reasoning after calls that have already ended it.
func (t *Turn) LateThoughtEnd() peg.ID {
	return t.Optional(t.Only("late-end-of-thought", t.Lit(t.ThinkEnd), t.Space()))
}

// ThoughtAgain matches reasoning after calls.
func (t *Turn) ThoughtAgain() peg.ID {
	return t.Optional(t.Only("thought-again", t.Lit(t.ThinkStart), t.Thoughts(), t.Closer(t.ThinkEnd)))
}

// EndThinkingAt lets calls end reasoning if the request has tools and does not keep calls there;
// otherwise they are part of the reasoning. ahead matches a call of one of the request's tools from
// an opener up to its arguments, within bounded text: it tells a call from the mention of one. calls
// matches whole calls.
func (t *Turn) EndThinkingAt(ahead, calls func() peg.ID) {
	if t.Request.Parsing.CallInReasoning != chat.KeepCalls && len(t.Tools) > 0 {
		t.ahead = t.Rule("~call-ahead", t.Seq(t.Blanks(), t.Tag(peg.Call, ahead())))
		t.whole = calls
	}
}

// promotes reports whether calls end reasoning.
func (t *Turn) promotes() bool { return t.whole != nil }

// Ahead matches the lookahead built by EndThinkingAt.
func (t *Turn) Ahead() peg.ID { return t.ahead }

// Thoughts matches the text of reasoning up to its end marker, a call, or the end of the turn and
// of the output.
func (t *Turn) Thoughts() peg.ID {
	if !t.promotes() {
		return t.thoughtsBefore(t.thoughtEnds(), t.endAhead)
	}
	ends := slices.Concat(t.Promoters, t.Openers, t.thoughtEnds())
	return t.Choice(t.Only("call-at-once", t.Peek(t.ahead)), t.thoughtsBefore(ends, t.thoughtEndAhead))
}

// thoughtEndAhead matches what ends reasoning without its end marker.
func (t *Turn) thoughtEndAhead() peg.ID {
	return t.Once("~thought-end-ahead", func() peg.ID {
		ways := []peg.ID{t.wholeAhead()}
		if len(t.Promoters) > 0 {
			ways = []peg.ID{t.Seq(t.Peek(t.OneOf(t.Promoters...)), t.ahead), t.wholeAhead()}
		}
		if len(t.thoughtEnds()) > 0 {
			ways = append(ways, t.endAhead())
		}
		return t.Choice(ways...)
	})
}

// maxBehind is how much text may follow a call that ends reasoning within a line.
const maxBehind = 4 << 10

// wholeAhead matches whole calls that are not quoted: reasoning that goes on after a call for long,
// or ends with its own marker or in a call at one of the promoters, has only mentioned it.
func (t *Turn) wholeAhead() peg.ID {
	more := t.Seq(t.Peek(t.Seq(t.NotChars(0, maxBehind), t.End())), t.Until(append([]string{t.ThinkEnd}, t.Promoters...)...), t.End())
	return t.Seq(t.Peek(t.ahead), t.Blanks(), t.whole(), t.Space(), t.Choice(t.Lit(t.ThinkEnd), more))
}

func (t *Turn) thoughtEnds() []string {
	if t.ThoughtEnds != nil {
		return t.ThoughtEnds
	}
	return t.Ends
}

// thoughtsBefore matches reasoning up to its end marker, or up to one of texts where stop matches.
// Other occurrences of texts are reasoning.
func (t *Turn) thoughtsBefore(texts []string, stop func() peg.ID) peg.ID {
	thought := t.Think(t.Until(append([]string{t.ThinkEnd}, texts...)...))
	if len(texts) == 0 {
		return thought
	}
	return t.Seq(thought, t.Star(t.Only("no-call-in-thought", t.Not(stop()), t.Think(t.OneOf(texts...)), thought)))
}

// endAhead matches the end of the turn and of the output.
func (t *Turn) endAhead() peg.ID {
	return t.Once("~end-ahead", func() peg.ID { return t.Seq(t.Blanks(), t.OneOf(t.thoughtEnds()...), t.Blanks(), t.End()) })
}

// run matches calls and what may follow them: a late end of reasoning, and further reasoning.
func (t *Turn) run(calls peg.ID) peg.ID {
	if t.ThinkStart == "" || !t.extracts() {
		return calls
	}
	if !t.promotes() {
		return t.Seq(calls, t.ThoughtAgain())
	}
	return t.Seq(calls, t.LateThoughtEnd(), t.ThoughtAgain())
}

// extracts reports whether reasoning is taken out of the content.
func (t *Turn) extracts() bool { return t.Request.ReasoningFormat.Extract() }

// Think tags kid with the role that reasoning has in this request.
func (t *Turn) Think(kid peg.ID) peg.ID {
	if t.extracts() {
		return t.Tag(peg.Reasoning, kid)
	}
	return t.Tag(peg.Content, kid)
}

// ThinkMark matches a marker of reasoning, as content if reasoning stays in the content.
func (t *Turn) ThinkMark(marker string) peg.ID {
	if t.extracts() {
		return t.Lit(marker)
	}
	return t.Tag(peg.Content, t.Lit(marker))
}

// ThinkBegin matches the marker that begins reasoning, in any accepted spelling.
func (t *Turn) ThinkBegin() peg.ID {
	if t.extracts() {
		return t.Spelled(t.ThinkStart)
	}
	return t.ThinkMark(t.ThinkStart)
}

// gap matches the line ends after reasoning. It leaves other white space, since content may be
// indented.
func (t *Turn) gap() peg.ID {
	if !t.extracts() {
		return t.Empty()
	}
	return t.Lines()
}

// Continue completes a plan for a request to continue a message: it writes the message's reasoning
// and content in the format. The error reports that there is no message to continue.
func (t *Turn) Continue(plan *handler.Plan) error {
	last, part, err := t.Request.Continued()
	if err != nil || part == chat.ContinueNone {
		return err
	}
	opened, closed := cmp.Or(t.Opened, t.ThinkStart), cmp.Or(t.Closed, t.ThinkEnd)
	plan.Request = t.Request.StartingNew()
	plan.Prefill, plan.Ending.Old = opened+last.ReasoningContent, opened
	if part == chat.ContinueContent {
		plan.Prefill += closed + last.Content.Join("")
	}
	return nil
}
