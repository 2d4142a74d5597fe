// Package dialect holds what the autoparser concludes about a chat template: how it writes
// reasoning, content and tool calls. A Dialect is a plain value. Whatever can be derived from it is
// derived by methods and never stored, so a workaround that changes a field changes everything that
// follows from it.
//
// Words that must not be confused: a *section* is all tool calls of a turn together, a *call* is
// one of them; a *marker* is text that the template always writes around something.
package dialect

// ReasoningMode is how the template handles reasoning.
type ReasoningMode string

// The reasoning modes.
const (
	ReasoningNone ReasoningMode = "none"
	// ReasoningTagBased: reasoning stands between Start and End; an empty Start means that it needs
	// no opening.
	ReasoningTagBased ReasoningMode = "tag_based"
	// ReasoningToolsOnly is ReasoningTagBased for templates that show reasoning only in messages
	// with tool calls.
	ReasoningToolsOnly ReasoningMode = "tools_only"
)

// ContentMode is how the template wraps the content of the assistant.
type ContentMode string

// The content modes.
const (
	ContentPlain                ContentMode = "plain"
	ContentAlwaysWrapped        ContentMode = "always_wrapped"
	ContentWrappedWithReasoning ContentMode = "wrapped_with_reasoning"
)

// ToolFormat is how the template writes tool calls.
type ToolFormat string

// The tool formats.
const (
	ToolsNone ToolFormat = "none"
	// JSONNative: the whole call is JSON, {"name": "f", "arguments": {…}}.
	JSONNative ToolFormat = "json_native"
	// TagWithJSON: the name stands in markup, the arguments are a JSON object: <function=f>{…}</function>.
	TagWithJSON ToolFormat = "tag_with_json"
	// TagWithTagged: name and arguments stand in markup: <function=f><parameter=a>1</parameter></function>.
	TagWithTagged ToolFormat = "tag_with_tagged"
)

// CallIDPosition is where a call's id stands in formats with markup.
type CallIDPosition string

// The positions of a call id.
const (
	CallIDNone               CallIDPosition = "none"
	CallIDBeforeName         CallIDPosition = "pre_func_name"
	CallIDBetweenNameAndArgs CallIDPosition = "between_func_and_args"
	CallIDAfterArgs          CallIDPosition = "post_args"
)

// Dialect is how a template writes an assistant's turn. Its yaml names are those that workarounds
// set.
type Dialect struct {
	Reasoning Reasoning `yaml:"reasoning" json:"reasoning"`
	Content   Content   `yaml:"content" json:"content"`
	Tools     Tools     `yaml:"tools" json:"tools"`
	// UserStart and AssistantStart begin a message of that role in the prompt.
	UserStart      string `yaml:"user_start" json:"user_start"`
	AssistantStart string `yaml:"assistant_start" json:"assistant_start"`
	// EndOfTurn is the text that the template writes after an assistant's message; a model may
	// write it, too.
	EndOfTurn string `yaml:"end_of_turn" json:"end_of_turn"`
	// EndOfCalls replaces EndOfTurn after a message with calls, if that ends differently.
	EndOfCalls string `yaml:"end_of_calls" json:"end_of_calls"`
	// Preserve and Stop are preserved tokens and stop strings besides those that follow from the
	// markers.
	Preserve []string `yaml:"preserve" json:"preserve,omitempty"`
	Stop     []string `yaml:"stop" json:"stop,omitempty"`
}

// Reasoning is how reasoning is written.
type Reasoning struct {
	Mode  ReasoningMode `yaml:"mode" json:"mode"`
	Start string        `yaml:"start" json:"start"`
	End   string        `yaml:"end" json:"end"`
}

// Content is how content is written.
type Content struct {
	Mode  ContentMode `yaml:"mode" json:"mode"`
	Start string      `yaml:"start" json:"start"`
	End   string      `yaml:"end" json:"end"`
	// Lead is the words before content that the template writes only if tools are offered, such as
	// the name of a role.
	Lead string `yaml:"lead" json:"lead"`
}

// Tools is how tool calls are written.
type Tools struct {
	Format       ToolFormat `yaml:"format" json:"format"`
	SectionStart string     `yaml:"section_start" json:"section_start"`
	SectionEnd   string     `yaml:"section_end" json:"section_end"`
	PerCallStart string     `yaml:"per_call_start" json:"per_call_start"`
	PerCallEnd   string     `yaml:"per_call_end" json:"per_call_end"`
	// CallSeparator stands between two calls of a section.
	CallSeparator string    `yaml:"call_separator" json:"call_separator"`
	JSON          JSON      `yaml:"json" json:"json"`
	Function      Function  `yaml:"function" json:"function"`
	Arguments     Arguments `yaml:"arguments" json:"arguments"`
	CallID        CallID    `yaml:"call_id" json:"call_id"`
}

// JSON is the shape of calls in JSONNative. Fields are names of members; a nested one is written
// "outer.inner".
type JSON struct {
	NameField string `yaml:"name_field" json:"name_field"`
	ArgsField string `yaml:"args_field" json:"args_field"`
	// IDField holds the id that the engine gave a call, GenIDField one that the model makes up.
	IDField    string `yaml:"id_field" json:"id_field"`
	GenIDField string `yaml:"gen_id_field" json:"gen_id_field"`
	// FunctionField is the member in which NameField and ArgsField are nested; empty if they are
	// not.
	FunctionField string `yaml:"function_field" json:"function_field"`
	// NameIsKey: the function's name is the key and the arguments are the value: {"f": {…}}.
	NameIsKey bool `yaml:"name_is_key" json:"name_is_key"`
	// ArrayWrapped: the calls of a section are items of one array. This includes calls written as
	// code: [f(a=1), g()].
	ArrayWrapped bool `yaml:"array_wrapped" json:"array_wrapped"`
	// ArgsAreString: the arguments are JSON text within a string.
	ArgsAreString bool `yaml:"args_are_string" json:"args_are_string"`
	// ParameterOrder lists the members in the order in which the template writes them.
	ParameterOrder []string `yaml:"parameter_order" json:"parameter_order,omitempty"`
	// Constants lists the members before the name that are equal in every call, each with its
	// value: `type: "function"`.
	Constants []string `yaml:"constants" json:"constants,omitempty"`
	// PythonDicts: objects are written as in Python, with single quotes, True, False and None.
	PythonDicts bool `yaml:"python_dicts" json:"python_dicts"`
}

// NamePlaceholder stands for the name of the function in Function.Close, and for that of the
// argument in Arguments.ValueSuffix, if the closing tag contains it: <city>Oslo</city> has the
// value suffix "</{name}>".
const NamePlaceholder = "{name}"

// Function is the markup around a function's name.
type Function struct {
	NamePrefix string `yaml:"name_prefix" json:"name_prefix"`
	NameSuffix string `yaml:"name_suffix" json:"name_suffix"`
	Close      string `yaml:"close" json:"close"`
}

// Arguments is the markup around arguments.
type Arguments struct {
	Start       string `yaml:"start" json:"start"`
	End         string `yaml:"end" json:"end"`
	NamePrefix  string `yaml:"name_prefix" json:"name_prefix"`
	NameSuffix  string `yaml:"name_suffix" json:"name_suffix"`
	ValuePrefix string `yaml:"value_prefix" json:"value_prefix"`
	ValueSuffix string `yaml:"value_suffix" json:"value_suffix"`
	Separator   string `yaml:"separator" json:"separator"`
	// TextType is the word in NameSuffix or ValuePrefix that marks a value as text. If a value is
	// JSON, another word stands there: <param name="a" type="string">.
	TextType string `yaml:"text_type" json:"text_type"`
	// ValuesAreJSON: values are written as in JSON or Python, with texts in quotes: f(a=1, b="x").
	ValuesAreJSON bool `yaml:"values_are_json" json:"values_are_json"`
}

// CallID is where a call's id stands, and the markup around it.
type CallID struct {
	Position CallIDPosition `yaml:"position" json:"position"`
	Prefix   string         `yaml:"prefix" json:"prefix"`
	Suffix   string         `yaml:"suffix" json:"suffix"`
}

// Capabilities is what a template can do, determined by rendering probes.
type Capabilities struct {
	SystemRole        bool `json:"system_role"`         // renders a system message
	Tools             bool `json:"tools"`               // renders the tools of a request
	ToolCalls         bool `json:"tool_calls"`          // renders the tool calls of an assistant message
	ParallelToolCalls bool `json:"parallel_tool_calls"` // renders more than one call of a message
	ToolResponses     bool `json:"tool_responses"`      // renders messages of the role tool
	ObjectArguments   bool `json:"object_arguments"`    // wants the arguments of calls as objects, not as JSON texts
	StringContent     bool `json:"string_content"`      // renders content given as a string
	TypedContent      bool `json:"typed_content"`       // renders content given as typed parts
	NonNullContent    bool `json:"nonnull_content"`     // fails on, or prints, a null content
	EnableThinking    bool `json:"enable_thinking"`     // lets a request turn thinking on or off
	Reasoning         bool `json:"reasoning"`           // renders the reasoning of an assistant message
	PreserveReasoning bool `json:"preserve_reasoning"`  // reads a variable that keeps the reasoning of earlier turns
	ReasoningEffort   bool `json:"reasoning_effort"`    // lets a request choose the effort of thinking
}
