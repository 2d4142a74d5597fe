package gemma4

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/dragoman-project/dragoman/sdk/handler"
)

// normalise returns the request in the form that the template expects, and the text to append to
// the prompt:
//
//   - A message to be continued is removed and appended to the prompt, in its channels.
//   - Older templates have no tool messages: tools' answers belong to the turn that called them.
//   - Newer templates begin no turn after tools' answers, because the model continues its own. If that
//     turn has ended, because it had content besides its calls, a new one begins here.
func normalise(in handler.Input) (_ *chat.Request, prefill string, notes []string, err error) {
	last, part, err := in.Request.Continued()
	if err != nil {
		return nil, "", nil, err
	}
	out := in.Request.StartingNew()
	if part != chat.ContinueNone {
		prefill = continuation(in.Request, last, part)
	}
	switch {
	case !readsToolMessages(in.Template.Source):
		out.Messages, notes = foldAnswers(out.Messages)
	case out.AddGenerationPrompt && turnEnded(out.Messages):
		prefill = channels.modelTurn() + prefill
	}
	return out, prefill, notes, nil
}

// continuation returns a message to be continued in the format. If thinking is off, the template
// has written an empty thought.
func continuation(r *chat.Request, m chat.Message, part chat.Continuation) string {
	thought := channels.thinking() + "\n" + m.ReasoningContent
	if part == chat.ContinueReasoning {
		return thought
	}
	text := m.Content.Join("")
	if m.ReasoningContent == "" && r.EnableThinking != nil && !*r.EnableThinking {
		return text
	}
	return thought + channels.channelEnd + text
}

// readsToolMessages reports whether a template looks up which call a tool message answers.
func readsToolMessages(source string) bool { return strings.Contains(source, "tool_call_id") }

// turnEnded reports whether the conversation ends in answers to calls that came with content.
func turnEnded(messages []chat.Message) bool {
	n := len(messages)
	for n > 0 && messages[n-1].Role == chat.RoleTool {
		n--
	}
	if n == 0 || n == len(messages) {
		return false
	}
	m := messages[n-1]
	return len(m.ToolCalls) > 0 && m.Content.Join("") != ""
}

// foldAnswers moves tools' answers, and the content after them, into the messages that called the
// tools: to the model all of that is one turn.
func foldAnswers(messages []chat.Message) (out []chat.Message, notes []string) {
	for i := 0; i < len(messages); {
		m := messages[i]
		i++
		var answers []chat.Message
		for len(m.ToolCalls) > 0 && i < len(messages) && messages[i].Role == chat.RoleTool {
			answers = append(answers, messages[i])
			i++
		}
		if len(answers) == 0 {
			out = append(out, m)
			continue
		}
		if m.Content.Join("") != "" {
			notes = append(notes, fmt.Sprintf("messages[%d]: the template omits content between calls and their answers", i-1-len(answers)))
		}
		m.Content = chat.TextContent("")
		if i < len(messages) && messages[i].Role == chat.RoleAssistant && len(messages[i].ToolCalls) == 0 {
			m.Content = messages[i].Content
			i++
		}
		m.Extra = append(slices.Clone(m.Extra), chat.Field{Name: "tool_responses", Value: responses(m, answers)})
		out = append(out, m)
	}
	return out, notes
}

// responses returns tools' answers in the form that the template expects.
func responses(m chat.Message, answers []chat.Message) json.RawMessage {
	type response struct {
		Name     string          `json:"name"`
		Response json.RawMessage `json:"response"`
	}
	var all []response
	for _, a := range answers {
		all = append(all, response{calledBy(m, a), answer(a.Content.Join("\n"))})
	}
	out, err := json.Marshal(all)
	if err != nil {
		return json.RawMessage("[]")
	}
	return out
}

// calledBy returns the name of the function that a tool message answers for.
func calledBy(m, answer chat.Message) string {
	for _, call := range m.ToolCalls {
		if call.ID != "" && call.ID == answer.ToolCallID {
			return call.Name
		}
	}
	if answer.Name == "" {
		return "unknown"
	}
	return answer.Name
}

// answer returns a tool's answer: objects and arrays as they are, anything else as text.
func answer(text string) json.RawMessage {
	if t := strings.TrimSpace(text); t != "" && strings.ContainsAny(t[:1], "{[") && json.Valid([]byte(t)) {
		return json.RawMessage(t)
	}
	out, err := json.Marshal(text)
	if err != nil {
		return json.RawMessage(`""`)
	}
	return out
}
