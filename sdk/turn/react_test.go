package turn_test

import (
	"context"
	"testing"

	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/dragoman-project/dragoman/sdk/conformance"
	"github.com/dragoman-project/dragoman/sdk/handler"
	"github.com/dragoman-project/dragoman/sdk/peg"
	"github.com/dragoman-project/dragoman/sdk/turn"
)

// react is a handler for turns that are not reasoning between markers followed by text with calls.
// A thought ends where an action or the answer begins, even if calls within reasoning are kept:
//
//	Thought: I need the weather.
//	Action: get_weather
//	Action Input: {"city": "Paris"}
//	Observation: …
//
// It builds the root of its program itself, and uses package turn for the rest.
type react struct{}

func (react) Describe() handler.Description {
	return handler.Description{Name: "react", Version: "1.0.0", Match: `source contains "Action Input:"`, Priority: 100, Cases: []byte(reactCases)}
}

func (react) Plan(_ context.Context, in handler.Input) (*handler.Plan, error) {
	t := reactTurn{turn.New(in.Request, turn.Format{
		ThinkStart: "Thought:", ThinkEnd: answerMark, Opened: "Thought: ", Closed: "\n" + answerMark + " ",
		Ends: []string{"Observation"},
	})}
	plan := t.Answer(t.Program(t.root))
	plan.Stops = []string{"\nObservation"}
	return plan, t.Continue(plan)
}

const answerMark = "Final Answer:"

// marks are the texts at which a part may end. They are not special tokens, so a lookahead decides.
var marks = []string{"Action:", answerMark, "Thought:", "Observation"}

type reactTurn struct{ *turn.Turn }

// root matches a thought, and then calls or the answer. Grammars omit the alternatives that violate
// the format.
func (t reactTurn) root() peg.ID {
	calls := t.Trigger("calls", t.Several(t.call(), ""))
	next := []peg.ID{calls, t.answer()}
	switch {
	case len(t.Tools) == 0:
		next = next[1:]
	case t.MustCall():
		next[1] = t.Only("no-call", next[1])
	}
	more := t.Only("more", t.Plus(t.Choice(calls, t.thought(), t.final(t.text()))))
	return t.Seq(t.Prompt("Thought:"), t.Space(), t.Optional(t.thought()), t.Choice(next...), t.Optional(more), t.TurnEnd())
}

// part matches text of a role up to the beginning of the next part.
func (t reactTurn) part(role peg.Role) peg.ID {
	ahead := t.Choice(t.header(t.AnyName()), t.Lit(answerMark), t.Lit("Thought:"), t.Lit("Observation"))
	return t.Text(role, ahead, marks...)
}

func (t reactTurn) thought() peg.ID {
	role := peg.Reasoning
	if !t.Request.ReasoningFormat.Extract() {
		role = peg.Content
	}
	return t.Once("thought", func() peg.ID { return t.Seq(t.ThinkMark("Thought:"), t.Space(), t.part(role)) })
}

func (t reactTurn) text() peg.ID {
	return t.Once("text", func() peg.ID { return t.part(peg.Content) })
}

func (t reactTurn) final(text peg.ID) peg.ID { return t.Seq(t.Lit(answerMark), t.Space(), text) }

// answer matches the answer, optionally without its mark, or a value that follows the schema.
func (t reactTurn) answer() peg.ID {
	s := t.AnswerSchema()
	if s.IsZero() {
		return t.Choice(t.final(t.text()), t.text())
	}
	value := t.Seq(t.Tag(peg.Content, t.Schema(s, t.Value(peg.AnyJSON))), t.Space())
	return t.Choice(t.final(value), value, t.Only("prose", t.Choice(t.final(t.text()), t.text())))
}

func (t reactTurn) call() peg.ID { return t.Tag(peg.Call, t.ByName(t.header, t.Object)) }

// header matches the text before the arguments. It is atomic, and also serves as a lookahead.
func (t reactTurn) header(name peg.ID) peg.ID {
	gap := t.Chars(1, 32, peg.Range{Lo: ' ', Hi: ' '}, peg.Range{Lo: '\n', Hi: '\n'})
	return t.Atomic(t.Lit("Action:"), t.Blanks(), t.Tag(peg.CallName, name), gap, t.Lit("Action Input:"), t.Blanks())
}

const reactCases = `
{"id":"answer","kind":"parse","template":"react","output":" I know.\nFinal Answer: It is sunny.","expect":{"reasoning_content":"I know.","content":"It is sunny."},"reference":{"generation_prompt":"A:\nThought:"}}
{"id":"call","kind":"parse","template":"react","request":{"tools":[{"name":"f","parameters":{"type":"object"}}]},"output":"Thought: Action: f might do.\nAction: f\nAction Input: {\"a\": 1}\nObservation","expect":{"reasoning_content":"Action: f might do.","content":"","tool_calls":[{"name":"f","arguments":"{\"a\": 1}"}]},"reference":{"generation_prompt":"A:\n"}}
{"id":"call-where-calls-in-reasoning-are-kept","kind":"parse","template":"react","request":{"tools":[{"name":"f","parameters":{"type":"object"}}],"parsing":{"call_in_reasoning":"keep"}},"output":"Thought: Hm.\nAction: f\nAction Input: {}","expect":{"reasoning_content":"Hm.","content":"","tool_calls":[{"name":"f","arguments":"{}"}]},"reference":{"generation_prompt":"A:\n","constrained":true}}
{"id":"call-and-what-the-tool-might-say","kind":"parse","template":"react","request":{"tools":[{"name":"f","parameters":{"type":"object"}}]},"output":"Action: f\nAction Input: {}\nThought: Then:\nFinal Answer: Done.","expect":{"reasoning_content":"Then:","content":"Done.","tool_calls":[{"name":"f","arguments":"{}"}]},"reference":{"generation_prompt":"A:\n"}}
`

func TestATurnOfAnotherShape(t *testing.T) {
	conformance.Run(t, react{}, conformance.Options{GenerationPrompt: "A:\n", Write: writeReact})
}

// writeReact writes a message. The format has no text beside calls.
func writeReact(m chat.Message) (text string) {
	content := m.Content.Join("")
	if len(m.ToolCalls) > 0 && content != "" {
		return ""
	}
	if m.ReasoningContent != "" {
		text = "Thought: " + m.ReasoningContent + "\n"
	}
	for _, c := range m.ToolCalls {
		text += "Action: " + c.Name + "\nAction Input: " + c.Arguments + "\n"
	}
	if content != "" {
		text += answerMark + " " + content
	}
	return text
}
