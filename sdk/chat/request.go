package chat

import (
	"time"

	"github.com/dragoman-project/dragoman/sdk/jsonschema"
)

// Request is a chat request: OpenAI's fields, and those that engines add to them for templates and reasoning.
type Request struct {
	Messages []Message
	Tools    []Tool
	// ToolChoice says whether the model may, must or must not call a tool.
	ToolChoice ToolChoice
	// ParallelToolCalls allows several calls in a turn ("parallel_tool_calls", default false).
	ParallelToolCalls bool
	// JSONSchema is what the content must follow: "json_schema", or the schema within "response_format". The zero value: any.
	JSONSchema jsonschema.Schema
	// StrictSchema refuses the request if a keyword of JSONSchema cannot be held to ("strict" in "response_format").
	StrictSchema bool
	// Grammar is another form that the content must follow: "grammar", or the grammar, regular expression or choice within
	// "response_format".
	Grammar Grammar
	// ReasoningFormat says where reasoning goes ("reasoning_format", default auto).
	ReasoningFormat ReasoningFormat
	// EnableThinking is what templates read as enable_thinking; nil is true to a template that asks.
	EnableThinking *bool
	// AddGenerationPrompt ends the prompt with the beginning of the assistant's turn ("add_generation_prompt", default true).
	AddGenerationPrompt bool
	// ContinueFinalMessage lets the model go on with the last message of the assistant instead of starting a new one.
	ContinueFinalMessage Continuation
	// TemplateKwargs are further variables for the template ("chat_template_kwargs"), in the order received.
	TemplateKwargs []Field
	// PureContent asks for no parsing at all: the whole output is content ("pure_content").
	PureContent bool
	// Parsing says what becomes of output that is not what it should be ("parsing"). Templates do not see it.
	Parsing Policies
	// Now is the time that templates are told; the zero value means the time of rendering.
	Now time.Time
	// Extra holds the fields that this package does not know, in the order received.
	Extra []Field
}

// ToolChoice is OpenAI's "tool_choice". The zero value is auto.
type ToolChoice struct {
	Mode ToolMode
	// Name is the function that must be called, when Mode is ToolNamed.
	Name string
}

// ToolMode says whether the model may, must or must not call a tool.
type ToolMode uint8

// The modes of a tool choice.
const (
	ToolAuto     ToolMode = iota // "auto": it may
	ToolNone                     // "none": it must not
	ToolRequired                 // "required": it must call one
	ToolNamed                    // it must call the one named
)

// ReasoningFormat says where the model's reasoning goes. The zero value is auto.
type ReasoningFormat uint8

// The reasoning formats, named as engines name them.
const (
	ReasoningAuto           ReasoningFormat = iota // "auto": into reasoning_content
	ReasoningNone                                  // "none": it stays in the content, markup and all
	ReasoningDeepSeek                              // "deepseek": into reasoning_content
	ReasoningDeepSeekLegacy                        // "deepseek-legacy": into reasoning_content, also while streaming: a stream says what the whole answer says
)

// Extract says whether reasoning is taken out of the content.
func (f ReasoningFormat) Extract() bool { return f != ReasoningNone }

// Continuation says which part of the final assistant message the model goes on with. The zero value is none.
type Continuation uint8

// The continuations: `true` and "auto" of the wire mean the content if the message has one, else the reasoning.
const (
	ContinueNone      Continuation = iota // false, "none": a new message
	ContinueAuto                          // true, "auto"
	ContinueContent                       // "content"
	ContinueReasoning                     // "reasoning_content"
)
