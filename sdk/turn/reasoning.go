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
	thought := t.Seq(t.Space(), t.mark(t.ThinkStart), t.startAgain(), t.Thoughts(), t.thoughtEnd())
	none := t.Seq(t.Space(), t.Lit(t.ThinkEnd), t.gap())
	if t.NoThought == "" {
		return t.Seq(t.Optional(t.Choice(thought, t.Only("end-of-no-thought", none))), t.thoughtAnew())
	}
	return t.Seq(t.Optional(t.Choice(thought, none)), t.thoughtAnew())
}

func (t *Turn) thoughtEnd() peg.ID { return t.Tolerate(t.Seq(t.mark(t.ThinkEnd), t.gap())) }

// startAgain is the marker that begins reasoning once more, as models write it behind a prompt that ends in it.
func (t *Turn) startAgain() peg.ID {
	if t.role() == peg.Content {
		return t.Empty()
	}
	return t.Optional(t.Only("start-again", t.Space(), t.Lit(t.ThinkStart)))
}

// thoughtAnew is reasoning directly behind other reasoning, or behind a prompt that says that there is none.
func (t *Turn) thoughtAnew() peg.ID {
	if t.role() == peg.Content {
		return t.Empty()
	}
	return t.Optional(t.Only("thought-anew", t.Space(), t.Lit(t.ThinkStart), t.Thoughts(), t.thoughtEnd()))
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
	if !t.promotes {
		return t.thoughtsBefore(t.Ends, t.endAhead)
	}
	stop := func() peg.ID {
		if len(t.Ends) == 0 {
			return t.ahead
		}
		return t.Choice(t.ahead, t.endAhead())
	}
	return t.Choice(t.Only("call-at-once", t.Peek(t.ahead)), t.thoughtsBefore(slices.Concat(t.promoters(), t.Ends), stop))
}

func (t *Turn) promoters() []string {
	if len(t.Promoters) > 0 {
		return t.Promoters
	}
	return t.Openers
}

// thoughtsBefore is reasoning up to its end, or one of texts at which stop matches. It goes on over the others.
func (t *Turn) thoughtsBefore(texts []string, stop func() peg.ID) peg.ID {
	thought := t.think(t.Until(append([]string{t.ThinkEnd}, texts...)...))
	if len(texts) == 0 {
		return thought
	}
	return t.Seq(thought, t.Star(t.Only("no-call-in-thought", t.Not(stop()), t.think(t.OneOf(texts...)), thought)))
}

// endAhead sees that the turn, and the output, ends.
func (t *Turn) endAhead() peg.ID {
	return t.Once("~end-ahead", func() peg.ID { return t.Seq(t.Blanks(), t.OneOf(t.Ends...), t.Blanks(), t.End()) })
}

// run is calls and what may follow them: the end of reasoning that they have ended already, and reasoning anew.
func (t *Turn) run(calls peg.ID) peg.ID {
	if t.ThinkStart == "" || t.role() == peg.Content {
		return calls
	}
	again := t.Seq(t.Lit(t.ThinkStart), t.think(t.Until(t.ThinkEnd)), t.Closer(t.ThinkEnd))
	behind := []peg.ID{calls, t.Optional(t.Only("thought-again", again))}
	if t.promotes {
		end := t.Only("late-end-of-thought", t.Lit(t.ThinkEnd), t.Space())
		behind = []peg.ID{calls, t.Optional(end), behind[1]}
	}
	return t.Seq(behind...)
}

func (t *Turn) role() peg.Role {
	if t.Request.ReasoningFormat.Extract() {
		return peg.Reasoning
	}
	return peg.Content
}

// think tags kid with the role that reasoning has in this request.
func (t *Turn) think(kid peg.ID) peg.ID { return t.Tag(t.role(), kid) }

// mark is a marker of reasoning.
func (t *Turn) mark(marker string) peg.ID {
	if t.role() == peg.Content {
		return t.Tag(peg.Content, t.Lit(marker))
	}
	return t.Lit(marker)
}

// gap is the white space behind reasoning: line ends, because what follows may be indented.
func (t *Turn) gap() peg.ID {
	if t.role() == peg.Content {
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
