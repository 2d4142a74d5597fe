package chat

import (
	"time"

	"github.com/dragoman-project/dragoman/sdk/jsonschema"
)

// Request is a chat request: OpenAI's fields, and the fields that engines add for templates and reasoning.
type Request struct {
	Messages []Message
	Tools    []Tool
	// ToolChoice is whether the model may, must or must not call a tool.
	ToolChoice ToolChoice
	// ParallelToolCalls allows several calls in a turn ("parallel_tool_calls", whose default in JSON is true).
	ParallelToolCalls bool
	// JSONSchema is the schema that the content must match: "json_schema", or the schema within "response_format". The zero
	// value allows any content.
	JSONSchema jsonschema.Schema
	// StrictSchema rejects the request if a keyword of JSONSchema cannot be enforced ("strict" in "response_format").
	StrictSchema bool
	// Grammar is a grammar that the content must match instead: "grammar", or the grammar, regular expression or choice
	// within "response_format".
	Grammar Grammar
	// ReasoningFormat is where reasoning is delivered ("reasoning_format", default auto).
	ReasoningFormat ReasoningFormat
	// EnableThinking turns thinking on or off: "enable_thinking", "thinking", "reasoning.enabled", and "reasoning_effort" if
	// that is none. Nil leaves it to the template.
	EnableThinking *bool
	// Thinking is how the model thinks where EnableThinking is true ("thinking.type").
	Thinking Thinking
	// ReasoningEffort is how much to think, in a word ("reasoning_effort", "reasoning.effort"); empty leaves it to the template.
	ReasoningEffort string
	// ThinkingBudget is how many tokens to think at most ("thinking.budget_tokens", "reasoning.max_tokens", "thinking_budget" and
	// other names of engines); 0 leaves it to the template. A budget of 0 in a request turns thinking off.
	ThinkingBudget int
	// AddGenerationPrompt appends the beginning of the assistant's turn to the prompt ("add_generation_prompt", default true).
	AddGenerationPrompt bool
	// ContinueFinalMessage makes the model continue the last message, the assistant's, instead of starting a new one.
	ContinueFinalMessage Continuation
	// TemplateKwargs are additional variables for the template ("chat_template_kwargs"), in the order received.
	TemplateKwargs []Field
	// PureContent disables parsing: the whole output is content ("pure_content").
	PureContent bool
	// Parsing are the policies for output that is not as it should be ("parsing"). Templates do not see them.
	Parsing Policies
	// Now is the time that templates see; the zero value means the time of rendering.
	Now time.Time
	// Extra holds unknown fields in the order received.
	Extra []Field
}

// ToolChoice is OpenAI's "tool_choice". The zero value is auto.
type ToolChoice struct {
	Mode ToolMode
	// Name is the function that must be called if Mode is ToolNamed.
	Name string
}

// ToolMode is whether the model may, must or must not call a tool.
type ToolMode uint8

// The modes of a tool choice.
const (
	ToolAuto     ToolMode = iota // "auto": it may
	ToolNone                     // "none": it must not
	ToolRequired                 // "required": it must call one
	ToolNamed                    // it must call the one named
)

// ReasoningFormat is where the model's reasoning is delivered. The zero value is auto.
type ReasoningFormat uint8

// The reasoning formats, named as engines name them.
const (
	ReasoningAuto           ReasoningFormat = iota // "auto": into reasoning_content
	ReasoningNone                                  // "none": it stays in the content, including its markup
	ReasoningDeepSeek                              // "deepseek": into reasoning_content
	ReasoningDeepSeekLegacy                        // "deepseek-legacy": into reasoning_content, also while streaming
)

// Extract reports whether reasoning is separated from the content.
func (f ReasoningFormat) Extract() bool { return f != ReasoningNone }

// Thinking is how a model thinks. The zero value is any way.
type Thinking uint8

// The ways to think.
const (
	ThinkingAny      Thinking = iota // not said
	ThinkingEnabled                  // "enabled": always
	ThinkingAdaptive                 // "adaptive": when the model thinks that it should
)

// Continuation is the part of the last message that the model continues. The zero value is none.
type Continuation uint8

// The continuations. ContinueAuto means the content if the message has any, and its reasoning otherwise.
const (
	ContinueNone      Continuation = iota // false, "none": a new message
	ContinueAuto                          // true, "auto"
	ContinueContent                       // "content"
	ContinueReasoning                     // "reasoning_content"
)
