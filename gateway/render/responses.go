package render

import (
	"cmp"
	"net/http"
	"strings"

	gojson "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/dragoman-project/dragoman/internal/ordered"
	"github.com/dragoman-project/dragoman/sdk/fault"
)

// responseRequest holds the members of a request of OpenAI's responses that a chat request says otherwise.
type responseRequest struct {
	Input        jsontext.Value `json:"input"`
	Instructions string         `json:"instructions"`
	Previous     string         `json:"previous_response_id"`
	MaxOutput    *int           `json:"max_output_tokens"`
	Tools        []responseTool `json:"tools"`
	ToolChoice   jsontext.Value `json:"tool_choice"`
	Reasoning    jsontext.Value `json:"reasoning"`
	Text         struct {
		Format jsontext.Value `json:"format"`
	} `json:"text"`
}

type responseTool struct {
	Type        string         `json:"type"`
	Name        string         `json:"name"`
	Description string         `json:"description,omitempty"`
	Parameters  jsontext.Value `json:"parameters,omitempty"`
	Strict      *bool          `json:"strict,omitzero"`
}

// item is an item of a request's input.
type item struct {
	Type      string         `json:"type"`
	Role      string         `json:"role"`
	Content   jsontext.Value `json:"content"`
	CallID    string         `json:"call_id"`
	Name      string         `json:"name"`
	Arguments string         `json:"arguments"`
	Output    jsontext.Value `json:"output"`
	Summary   jsontext.Value `json:"summary"`
}

// message is a message of a chat request.
type message struct {
	Role      string    `json:"role"`
	Content   any       `json:"content"`
	Reasoning string    `json:"reasoning_content,omitempty"`
	Calls     []msgCall `json:"tool_calls,omitempty"`
	CallID    string    `json:"tool_call_id,omitempty"`
}

type msgCall struct {
	ID       string `json:"id"`
	Type     string `json:"type"`
	Function struct {
		Name      string `json:"name"`
		Arguments string `json:"arguments"`
	} `json:"function"`
}

// renderResponse answers a request of OpenAI's responses with the generate request for its prompt.
func (s *Service) renderResponse(w http.ResponseWriter, r *http.Request) error {
	data, err := body(r)
	if err != nil {
		return err
	}
	if data, err = asChat(data); err != nil {
		return err
	}
	out, err := s.renderedChat(r, data, "resp_")
	if err != nil {
		return err
	}
	return answer(w, out)
}

// asChat returns the chat request that says the same.
func asChat(data []byte) ([]byte, error) {
	var in responseRequest
	if err := read("", data, &in); err != nil {
		return nil, err
	}
	if in.Previous != "" {
		return nil, fault.Invalid("previous_response_id", "no responses are stored here; send the whole conversation as input")
	}
	messages, err := in.messages()
	if err != nil {
		return nil, err
	}
	out := map[string]any{}
	if err := read("", data, &out); err != nil { // what both APIs have in common: model, temperature, stream, …
		return nil, err
	}
	for _, own := range []string{"input", "instructions", "max_output_tokens", "tools", "tool_choice", "text", "previous_response_id"} {
		delete(out, own)
	}
	out["messages"] = messages
	if in.MaxOutput != nil {
		out["max_tokens"] = *in.MaxOutput
	}
	if tools := in.functions(); len(tools) > 0 {
		out["tools"] = tools
		if choice := set(in.ToolChoice); len(choice) > 0 {
			out["tool_choice"] = chosen(choice)
		}
	}
	if format := in.format(); format != nil {
		out["response_format"] = format
	}
	return gojson.Marshal(out)
}

// functions returns the tools that the model calls; others are the API's own, and nothing here has them.
func (in *responseRequest) functions() (tools []any) {
	for _, t := range in.Tools {
		if t.Type == "function" {
			t.Type = ""
			tools = append(tools, map[string]any{"type": "function", "function": map[string]any{
				"name": t.Name, "description": t.Description, "parameters": null(t.Parameters), "strict": t.Strict != nil && *t.Strict,
			}})
		}
	}
	return tools
}

// chosen returns a choice of tools as chats say it.
func chosen(choice jsontext.Value) any {
	var named struct {
		Type string `json:"type"`
		Name string `json:"name"`
	}
	if choice.Kind() == '{' && gojson.Unmarshal(choice, &named) == nil && named.Type == "function" {
		return map[string]any{"type": "function", "function": map[string]string{"name": named.Name}}
	}
	return choice
}

// format returns the format of the answer as chats say it; nil for text.
func (in *responseRequest) format() any {
	var f map[string]jsontext.Value
	if gojson.Unmarshal(in.Text.Format, &f) != nil || string(f["type"]) == `"text"` || len(f) == 0 {
		return nil
	}
	if string(f["type"]) != `"json_schema"` {
		return in.Text.Format
	}
	schema := map[string]jsontext.Value{}
	for name, v := range f {
		if name != "type" {
			schema[name] = v
		}
	}
	return map[string]any{"type": "json_schema", "json_schema": schema}
}

// messages returns the conversation.
func (in *responseRequest) messages() (all []*message, err error) {
	if in.Instructions != "" {
		all = append(all, &message{Role: "system", Content: in.Instructions})
	}
	if in.Input.Kind() == '"' {
		var text string
		err := read("input", in.Input, &text)
		return append(all, &message{Role: "user", Content: text}), err
	}
	var items []item
	if in.Input.Kind() != '[' {
		return nil, fault.Invalid("input", "expected a string or an array of items")
	}
	if err := read("input", in.Input, &items); err != nil {
		return nil, err
	}
	var turn *message // of the assistant, whose items become one message
	assistant := func() *message {
		if turn == nil {
			turn = &message{Role: "assistant"}
			all = append(all, turn)
		}
		return turn
	}
	for i, it := range items {
		place := ordered.IndexPath("input", i)
		switch cmp.Or(it.Type, "message") {
		case "message":
			content, err := contentOf(place+".content", it.Content)
			if err != nil {
				return nil, err
			}
			if it.Role == "assistant" {
				m := assistant()
				m.Content = textOf(it.Content)
				continue
			}
			all = append(all, &message{Role: it.Role, Content: content})
			turn = nil
		case "reasoning":
			assistant().Reasoning += cmp.Or(textOf(it.Content), textOf(it.Summary))
		case "function_call":
			var c msgCall
			c.ID, c.Type, c.Function.Name, c.Function.Arguments = it.CallID, "function", it.Name, it.Arguments
			m := assistant()
			m.Calls = append(m.Calls, c)
		case "function_call_output":
			content, err := contentOf(place+".output", it.Output)
			if err != nil {
				return nil, err
			}
			all = append(all, &message{Role: "tool", CallID: it.CallID, Content: content})
			turn = nil
		default:
			return nil, fault.Invalid(place+".type", "expected message, reasoning, function_call or function_call_output, found "+it.Type)
		}
	}
	return all, nil
}

// contentOf returns a content as chats say it: text, or parts.
func contentOf(place string, raw jsontext.Value) (any, error) {
	if raw.Kind() != '[' {
		var text string
		return raw, read(place, null(raw), &text)
	}
	var parts []map[string]jsontext.Value
	if err := read(place, raw, &parts); err != nil {
		return nil, err
	}
	for _, part := range parts {
		switch string(part["type"]) {
		case `"input_text"`, `"output_text"`, `"refusal"`:
			part["type"] = jsontext.Value(`"text"`)
			if part["text"] == nil {
				part["text"] = part["refusal"]
			}
			delete(part, "annotations")
		}
	}
	return parts, nil
}

// textOf returns the texts of a content's parts.
func textOf(raw jsontext.Value) string {
	var text string
	if gojson.Unmarshal(raw, &text) == nil {
		return text
	}
	var parts []struct {
		Text    string `json:"text"`
		Refusal string `json:"refusal"`
	}
	_ = gojson.Unmarshal(raw, &parts) // the plan refuses what is no content
	var all strings.Builder
	for _, p := range parts {
		all.WriteString(p.Text + p.Refusal)
	}
	return all.String()
}
