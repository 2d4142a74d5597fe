package chat

import (
	"encoding/json"

	"github.com/dragoman-project/dragoman/sdk/jsonschema"
)

// The roles of messages. Other roles are accepted as well.
const (
	RoleSystem    = "system"
	RoleDeveloper = "developer"
	RoleUser      = "user"
	RoleAssistant = "assistant"
	RoleTool      = "tool"
)

// Message is one message of a conversation, in the form of the OpenAI chat API.
type Message struct {
	Role             string
	Content          Content
	ReasoningContent string // the reasoning before the content, if the client sends it
	ToolCalls        []Call
	ToolCallID       string // of a tool's result: the id of the call
	Name             string // of a tool's result: the name of the tool
	// Extra holds unknown fields in the order received; templates may read them.
	Extra []Field
}

// Field is a member of a JSON object, in the order received.
type Field struct {
	Name  string
	Value json.RawMessage
}

// Content is the content of a message: absent or null, a text, or a list of typed parts. The zero value is null.
type Content struct {
	Text  *string
	Parts []Part
}

// Part is one typed part of a content: Type is its "type" member, Text its "text" member if it has one, and Raw the whole
// object as received.
type Part struct {
	Type string
	Text string
	Raw  json.RawMessage
}

// Call is a tool call of an assistant message.
type Call struct {
	ID   string
	Name string
	// Arguments is the JSON text of the arguments, as the model or the client wrote it.
	Arguments string
	Extra     []Field
}

// Tool is a function that the model may call.
type Tool struct {
	Name        string
	Description string
	// Parameters is the JSON Schema of the arguments; the zero value when the tool declares none.
	Parameters jsonschema.Schema
	// Strict requires the arguments to match the schema (OpenAI's "strict").
	Strict bool
	// Raw is the whole tool as received, which templates render with its own fields in their order.
	Raw json.RawMessage
}
