package turn

import (
	"cmp"
	"slices"

	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/dragoman-project/dragoman/sdk/handler"
	"github.com/dragoman-project/dragoman/sdk/peg"
)

// reasoning is the region of reasoning, or what says that there is none. Where the request leaves reasoning in the content,
// its markers are content, too.
func (t *Turn) reasoning() peg.ID {
	if t.ThinkStart == "" {
		return t.Empty()
	}
	thought := t.Seq(t.Space(), t.ThinkMark(t.ThinkStart), t.StartAgain(), t.Thought())
	none := t.Seq(t.Space(), t.Lit(t.ThinkEnd), t.gap())
	if t.NoThought == "" {
		return t.Seq(t.Optional(t.Choice(thought, t.Only("end-of-no-thought", none))), t.ThoughtAnew())
	}
	return t.Seq(t.Optional(t.Choice(thought, none)), t.ThoughtAnew())
}

// Thought matches reasoning behind its start marker, and its end marker, which a model may leave out.
func (t *Turn) Thought() peg.ID {
	return t.Seq(t.Thoughts(), t.Choice(t.Seq(t.ThinkMark(t.ThinkEnd), t.gap()), t.Omitted(t.ThinkEnd)))
}

// StartAgain matches the start marker where reasoning has begun already, unless the lookaheads behind it fail: models write it
// once more behind a prompt that ends in it.
func (t *Turn) StartAgain(unless ...peg.ID) peg.ID {
	if t.ThinkStart == "" || !t.extracts() {
		return t.Empty()
	}
	return t.Optional(t.Only("start-again", append([]peg.ID{t.Space(), t.Lit(t.ThinkStart)}, unless...)...))
}

// ThoughtAnew matches reasoning directly behind other reasoning, or behind a prompt that has closed it.
func (t *Turn) ThoughtAnew() peg.ID {
	if t.ThinkStart == "" || !t.extracts() {
		return t.Empty()
	}
	return t.Optional(t.Only("thought-anew", t.Space(), t.Lit(t.ThinkStart), t.Thought()))
}

// LateThoughtEnd matches the end marker of reasoning behind calls that have ended it already.
func (t *Turn) LateThoughtEnd() peg.ID {
	return t.Optional(t.Only("late-end-of-thought", t.Lit(t.ThinkEnd), t.Space()))
}

// ThoughtAgain matches reasoning behind calls.
func (t *Turn) ThoughtAgain() peg.ID {
	again := t.Seq(t.Lit(t.ThinkStart), t.Think(t.Until(t.ThinkEnd)), t.Closer(t.ThinkEnd))
	return t.Optional(t.Only("thought-again", again))
}

// EndThinkingAt lets calls end reasoning, where the request has tools and does not want calls kept there; otherwise they are
// thoughts. ahead matches from an opener to the closed name of a tool that the request has, within a bounded region: an
// opener that begins no such call is a thought all the same.
func (t *Turn) EndThinkingAt(ahead func() peg.ID) {
	if t.Request.Parsing.CallInReasoning != chat.KeepCalls && len(t.Tools) > 0 {
		t.ahead = t.Rule("~call-ahead", t.Seq(t.Blanks(), t.Tag(peg.Call, ahead())))
		t.promotes = true
	}
}

// Ahead matches what ends reasoning, where EndThinkingAt has said that something does.
func (t *Turn) Ahead() peg.ID { return t.ahead }

// Thoughts is the text of reasoning, up to its end, a call, or the end of the turn and of the output.
func (t *Turn) Thoughts() peg.ID {
	ends := t.thoughtEnds()
	if !t.promotes {
		return t.thoughtsBefore(ends, t.endAhead)
	}
	stop := func() peg.ID {
		if len(ends) == 0 {
			return t.ahead
		}
		return t.Choice(t.ahead, t.endAhead())
	}
	return t.Choice(t.Only("call-at-once", t.Peek(t.ahead)), t.thoughtsBefore(slices.Concat(t.promoters(), ends), stop))
}

func (t *Turn) thoughtEnds() []string {
	if t.ThoughtEnds != nil {
		return t.ThoughtEnds
	}
	return t.Ends
}

func (t *Turn) promoters() []string {
	if len(t.Promoters) > 0 {
		return t.Promoters
	}
	return t.Openers
}

// thoughtsBefore is reasoning up to its end, or one of texts at which stop matches. It goes on over the others.
func (t *Turn) thoughtsBefore(texts []string, stop func() peg.ID) peg.ID {
	thought := t.Think(t.Until(append([]string{t.ThinkEnd}, texts...)...))
	if len(texts) == 0 {
		return thought
	}
	return t.Seq(thought, t.Star(t.Only("no-call-in-thought", t.Not(stop()), t.Think(t.OneOf(texts...)), thought)))
}

// endAhead sees that the turn, and the output, ends.
func (t *Turn) endAhead() peg.ID {
	return t.Once("~end-ahead", func() peg.ID { return t.Seq(t.Blanks(), t.OneOf(t.thoughtEnds()...), t.Blanks(), t.End()) })
}

// run is calls and what may follow them: the end of reasoning that they have ended already, and reasoning anew.
func (t *Turn) run(calls peg.ID) peg.ID {
	if t.ThinkStart == "" || !t.extracts() {
		return calls
	}
	if !t.promotes {
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

// ThinkMark matches a marker of reasoning.
func (t *Turn) ThinkMark(marker string) peg.ID {
	if t.extracts() {
		return t.Lit(marker)
	}
	return t.Tag(peg.Content, t.Lit(marker))
}

// gap is the white space behind reasoning: line ends, because what follows may be indented.
func (t *Turn) gap() peg.ID {
	if !t.extracts() {
		return t.Empty()
	}
	return t.Lines()
}

// Continue fills in what a plan says of a message that is to be continued, in the format: its reasoning, and its content when
// that goes on. The error says that there is no such message.
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
	if enabled := t.Request.EnableThinking; enabled != nil && !*enabled {
		plan.Ending.Old += closed
	}
	return nil
}
