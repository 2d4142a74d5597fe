package turn

import (
	"slices"
	"strings"

	"github.com/dragoman-project/dragoman/sdk/peg"
)

// Body matches what follows reasoning: text with calls anywhere in it, or an answer that follows
// the JSON Schema of the request. stray lists markers that are dropped from the text.
func (t *Turn) Body(calls peg.ID, stray ...string) peg.ID {
	if len(t.Tools) > 0 {
		calls = t.Rule("run", t.run(calls))
	}
	if !t.AnswerSchema().IsZero() {
		return t.response(calls)
	}
	return t.mixed(calls, stray...)
}

// mixed matches text with calls anywhere in it. Grammars allow calls only at the end, and require
// them if the request does.
func (t *Turn) mixed(calls peg.ID, stray ...string) peg.ID {
	if len(t.Tools) == 0 {
		return t.text(stray, t.Ends)
	}
	text := t.text(stray, slices.Concat(t.Openers, t.Ends))
	spelled := t.Tag(peg.Content, t.OneOf(t.Openers...))
	rest := text
	if t.promotes() && t.extracts() {
		rest = t.text(append(stray, t.ThinkEnd), slices.Concat(t.Openers, t.Ends))
	}
	more := t.Only("more", rest, t.Star(t.Choice(calls, spelled), rest))
	first := t.Seq(calls, t.Optional(more))
	if t.MustCall() {
		if t.ThinkStart != "" && t.extracts() { // the parser reads reasoning that begins there
			text = t.Choice(t.OnlyHere("text", text), t.text(stray, slices.Concat(t.Openers, t.Ends, []string{t.ThinkStart})))
		}
		return t.Seq(text, t.Choice(first, t.Only("no-call", t.Optional(spelled, more))))
	}
	return t.Seq(text, t.Choice(first, t.Optional(t.Only("no-call", spelled, more))))
}

// text matches content up to one of ends, dropping stray markers.
func (t *Turn) text(stray, ends []string) peg.ID {
	if len(t.Tools) > 0 {
		stray = slices.Concat(stray, t.CallEnds)
	}
	text := t.Tag(peg.Content, t.Until(slices.Concat(ends, stray)...))
	if len(stray) == 0 {
		return text
	}
	dropped := t.OncePer("~stray", strings.Join(stray, "\x00"), func() peg.ID {
		return t.Seq(t.Trigger("stray", t.OneOf(stray...)), t.Space())
	})
	return t.Seq(text, t.Star(dropped, text))
}

// Fence opens and closes a code block in Markdown.
const Fence = "```"

// Shaped matches JSON that follows the JSON Schema of the request, optionally in a code fence, which is not content.
func (t *Turn) Shaped() peg.ID {
	value := t.Tag(peg.Content, t.Schema(t.Request.JSONSchema, t.Value(peg.AnyJSON)))
	fenced := t.Seq(t.Lit(Fence), t.Optional(t.Lit("json")), t.Space(), value, t.Space(), t.Closer(Fence))
	return t.Choice(fenced, value)
}

// response matches content that follows the JSON Schema of the request. If the request has tools,
// calls are accepted instead. Text that is not JSON remains content.
func (t *Turn) response(calls peg.ID) peg.ID {
	answers := []peg.ID{t.Shaped(), t.Only("prose", t.mixed(calls))}
	if len(t.Tools) > 0 {
		answers = append([]peg.ID{calls}, answers...)
	}
	end, trailing := t.Only("at-end", t.TurnEnd(), t.End()), t.Only("trailing", t.Tag(peg.Content, t.Until(t.Ends...)))
	return t.Seq(t.Space(), t.Choice(answers...), t.Choice(end, trailing, t.Empty()))
}
