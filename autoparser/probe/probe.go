// Package probe holds what a template is asked: made-up conversations, and the table of comparisons
// between them.
//
// A template is a black box that renders. To learn how it writes reasoning, it renders the same
// conversation twice, once with reasoning and once without, and the two renderings are compared:
// what only one of them has is what the template writes around reasoning. Every question has such a
// pair, and every pair differs in one thing:
//
//	R1  an answer                  an answer with reasoning        how is reasoning written?
//	T3  a call of one function     a call of another function      what stands around a function's name?
//
// What can be recognised in a rendering are needles: texts that no template writes by itself. Where
// a needle stands is where the template put that part of the message, and what stands between two
// needles is its markup.
//
// The table is the only list of questions: the analysis asks its rows in order, each conclusion
// names the row that taught it, and the documentation prints it. A new question is a new row.
//
// Words that must not be confused: a *probe* is one conversation; a *comparison* is a question and
// the two probes that answer it; a *needle* is a made-up text within a probe; a *marker* is text of
// the template's own.
package probe

import (
	"encoding/json"

	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/dragoman-project/dragoman/sdk/jsonschema"
)

// Needles: none is part of another, none contains anything that JSON, XML or Python would escape,
// and none looks like something that a template acts on.
const (
	System        = "SYSTEMNEEDLE"
	User          = "QUESTIONNEEDLE"
	SecondUser    = "FOLLOWUPNEEDLE"
	Content       = "ANSWERNEEDLE"
	SecondContent = "SEQUELNEEDLE"
	Reasoning     = "THOUGHTNEEDLE"
	Result        = "RESULTNEEDLE"
	Function      = "alphafunction"
	OtherFunction = "betaroutine"
	Argument      = "alphaargument" // in the order of the alphabet, because some templates sort
	OtherArgument = "betaoption"
	Value         = "VALUENEEDLE"
	OtherValue    = "REPLACEMENT"
	// The ids have the shape that the strictest templates require: nine letters and digits.
	ID      = "needleid1"
	OtherID = "idneedle2"
	Number  = "4711"
)

// Probe is a made-up conversation. Its name describes it and is unique.
type Probe struct {
	Name    string
	Request chat.Request
}

// Prompts.

// Question is a user's message, without the beginning of an answer.
func Question() Probe { return conversation("question", user(User)) }

// Prompt is a user's message, and the beginning of an answer with thinking.
func Prompt() Probe { return beginning(conversation("prompt", user(User)), true) }

// PromptWithoutThinking is a user's message, and the beginning of an answer without thinking.
func PromptWithoutThinking() Probe {
	return beginning(conversation("prompt, no thinking", user(User)), false)
}

// PromptToThink is a user's message, and the beginning of an answer with thinking, which is
// requested under another name, too.
func PromptToThink() Probe {
	p := beginning(conversation("prompt to think", user(User)), true)
	p.Request.TemplateKwargs = []chat.Field{{Name: "thinking", Value: json.RawMessage("true")}}
	return p
}

// Answers.

// Answered is a question and its answer.
func Answered() Probe { return conversation("answer", user(User), answer(Content)) }

// Reasoned is a question and its answer, with reasoning.
func Reasoned() Probe {
	return conversation("reasoning and answer", user(User), thinking(answer(Content)))
}

// FollowedUp is an answer and the next question.
func FollowedUp() Probe {
	return conversation("answer and question", user(User), answer(Content), user(SecondUser))
}

// TwiceAnswered is two questions with their answers.
func TwiceAnswered() Probe {
	return conversation("two answers", user(User), answer(Content), user(SecondUser), answer(SecondContent))
}

// Calls. All of them declare the same two tools.

// AnsweredWithTools is an answer that calls none of the offered tools.
func AnsweredWithTools() Probe { return withTools("answer, no call", answer(Content)) }

// ReasonedWithTools is AnsweredWithTools with reasoning.
func ReasonedWithTools() Probe {
	return withTools("reasoning and answer, no call", thinking(answer(Content)))
}

// Called is one call with one argument.
func Called() Probe { return withTools("call", calls(call(ID, Function, Argument, Value))) }

// SpokenAndCalled is a text and then a call.
func SpokenAndCalled() Probe {
	m := calls(call(ID, Function, Argument, Value))
	m.Content = chat.TextContent(Content)
	return withTools("text and call", m)
}

// ReasonedAndCalled is reasoning and then a call.
func ReasonedAndCalled() Probe {
	return withTools("reasoning and call", thinking(calls(call(ID, Function, Argument, Value))))
}

// CalledTwice is two calls of two functions in one message.
func CalledTwice() Probe {
	return withTools("two calls", calls(
		call(ID, Function, Argument, Value), call(OtherID, OtherFunction, OtherArgument, OtherValue)))
}

// CalledOther is a call of another function.
func CalledOther() Probe {
	return withTools("call of another function", calls(call(ID, OtherFunction, Argument, Value)))
}

// CalledWithOtherName is a call with another argument.
func CalledWithOtherName() Probe {
	return withTools("call with another argument", calls(call(ID, Function, OtherArgument, Value)))
}

// CalledWithOtherValue is a call with another value of its argument.
func CalledWithOtherValue() Probe {
	return withTools("call with another value", calls(call(ID, Function, Argument, OtherValue)))
}

// CalledWithNumber is a call with a number instead of a text.
func CalledWithNumber() Probe {
	return withTools("call with a number", calls(rawCall(ID, Function, `{"`+Argument+`": `+Number+`}`)))
}

// CalledWithTwo is a call with two arguments.
func CalledWithTwo() Probe {
	return withTools("call with two arguments", calls(call(ID, Function, Argument, Value, OtherArgument, OtherValue)))
}

// CalledWithNone is a call without arguments.
func CalledWithNone() Probe { return withTools("call without arguments", calls(call(ID, Function))) }

// CalledWithOtherID is a call with another id.
func CalledWithOtherID() Probe {
	return withTools("call with another id", calls(call(OtherID, Function, Argument, Value)))
}

// What a template can do.

// InParts is a question whose content is a typed part.
func InParts() Probe {
	return conversation("question in parts",
		chat.Message{Role: chat.RoleUser, Content: chat.Content{Parts: []chat.Part{{Type: "text", Text: User}}}})
}

// WithSystem is a system message and a question.
func WithSystem() Probe {
	return conversation("system message and question",
		chat.Message{Role: chat.RoleSystem, Content: chat.TextContent(System)}, user(User))
}

// OffersTools is a question and the tools.
func OffersTools() Probe {
	p := conversation("question with tools", user(User))
	p.Request.Tools = Tools()
	return p
}

// CalledWithNull is a call beside a null content.
func CalledWithNull() Probe {
	last := calls(call(ID, Function, Argument, Value))
	last.Content = chat.Content{}
	return withTools("call beside null content", last)
}

// Responded is a call and the tool's answer.
func Responded() Probe {
	p := Called()
	p.Name = "call and the tool's answer"
	p.Request.Messages = append(p.Request.Messages, chat.Message{
		Role: chat.RoleTool, Content: chat.TextContent(Result), Name: Function, ToolCallID: ID})
	return p
}

// Preserved is an answer with reasoning, and the next question, with a request to keep the
// reasoning.
func Preserved() Probe {
	p := conversation("reasoning, answer and question", user(User), thinking(answer(Content)), user(SecondUser))
	p.Request.TemplateKwargs = []chat.Field{{Name: "preserve_reasoning", Value: json.RawMessage("true")}}
	return p
}

// Thought is an answer whose text begins with reasoning between two markers, and the next question.
func Thought(start, end string) Probe {
	return conversation("answer behind "+start+end+" and question", user(User), answer(start+Reasoning+end+Content), user(SecondUser))
}

func conversation(name string, messages ...chat.Message) Probe {
	return Probe{Name: name, Request: chat.Request{Messages: messages}}
}

// beginning adds the beginning of an answer.
func beginning(p Probe, thinking bool) Probe {
	p.Request.AddGenerationPrompt = true
	p.Request.EnableThinking = &thinking
	return p
}

func withTools(name string, last chat.Message) Probe {
	p := conversation(name, user(User), last)
	p.Request.Tools = Tools()
	return p
}

// Tools returns the two functions that the probes with calls declare.
func Tools() []chat.Tool { return []chat.Tool{tool(Function), tool(OtherFunction)} }

func tool(name string) chat.Tool {
	return chat.Tool{Name: name, Description: "A function", Parameters: parameters}
}

// parameters is the schema of both functions.
var parameters = jsonschema.MustParse(
	`{"type": "object", "properties": {` + property(Argument) + `, ` + property(OtherArgument) + `}, "required": []}`)

func property(name string) string {
	return `"` + name + `": {"type": "string", "description": "A text"}`
}

func user(text string) chat.Message {
	return chat.Message{Role: chat.RoleUser, Content: chat.TextContent(text)}
}

func answer(text string) chat.Message {
	return chat.Message{Role: chat.RoleAssistant, Content: chat.TextContent(text)}
}

func thinking(m chat.Message) chat.Message {
	m.ReasoningContent = Reasoning
	return m
}

func calls(all ...chat.Call) chat.Message {
	return chat.Message{Role: chat.RoleAssistant, Content: chat.TextContent(""), ToolCalls: all}
}

// call returns a call with texts as arguments: names and values in turn.
func call(id, name string, arguments ...string) chat.Call {
	text := ""
	for i := 0; i+1 < len(arguments); i += 2 {
		if i > 0 {
			text += ", "
		}
		text += `"` + arguments[i] + `": "` + arguments[i+1] + `"`
	}
	return rawCall(id, name, "{"+text+"}")
}

func rawCall(id, name, arguments string) chat.Call {
	return chat.Call{ID: id, Name: name, Arguments: arguments}
}
