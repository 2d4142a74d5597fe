package autoparser

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"

	"github.com/dragoman-project/dragoman/autoparser/assemble"
	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/dragoman-project/dragoman/sdk/handler"
	"github.com/dragoman-project/dragoman/sdk/session"
)

// readBack parses a rendition like an output of the model.
func (c *checker) readBack(wrote rendition) (chat.Message, chat.Status) {
	plan := c.readers[wrote.prompt]
	if plan == nil {
		req := chat.Request{Tools: c.tools, ParallelToolCalls: true}
		program := assemble.Assemble(assemble.Input{Dialect: c.Dialect, Request: &req,
			GenerationPrompt: wrote.prompt, TemplatePrompt: wrote.prompt}).Program
		draft := session.Draft{Plan: handler.Plan{Program: program}, GenerationPrompt: wrote.prompt}
		var err error
		if plan, err = session.New(c.ctx, &draft, &req, session.PlanOptions{ParseOnly: true}); err != nil {
			return chat.Message{}, chat.Status("not read: " + err.Error())
		}
		c.readers[wrote.prompt] = plan
	}
	result, err := plan.Parse(c.ctx, []byte(wrote.output), false, session.Options{NoIDs: true})
	if err != nil {
		return chat.Message{}, chat.Status("refused: " + err.Error())
	}
	return result.Message, result.Report.Status
}

// difference describes how the parsed answer differs from the given one; "" if it does not. Outer white space of content and
// reasoning comes from the template, and ids that the template does not write cannot be parsed back.
func (r rendition) difference(want, got chat.Message) string {
	if w, g := strings.TrimSpace(want.ReasoningContent), strings.TrimSpace(got.ReasoningContent); w != g {
		return fmt.Sprintf("reasoning: expected %q, found %q", w, g)
	}
	if w, g := strings.TrimSpace(contentText(want.Content)), strings.TrimSpace(contentText(got.Content)); w != g {
		return fmt.Sprintf("content: expected %q, found %q", w, g)
	}
	return callsDiffer(want, got, r.output)
}

// callsDiffer describes how calls differ; "" if they do not. Only ids in the text are compared.
func callsDiffer(want, got chat.Message, text string) string {
	if len(want.ToolCalls) != len(got.ToolCalls) {
		return fmt.Sprintf("expected %d calls, found %d", len(want.ToolCalls), len(got.ToolCalls))
	}
	for i, w := range want.ToolCalls {
		g := got.ToolCalls[i]
		switch {
		case w.Name != g.Name:
			return fmt.Sprintf("call %d: expected the name %q, found %q", i+1, w.Name, g.Name)
		case g.ID != w.ID && strings.Contains(text, w.ID):
			return fmt.Sprintf("call %d: expected the id %q, found %q", i+1, w.ID, g.ID)
		case !sameJSON(w.Arguments, g.Arguments):
			return fmt.Sprintf("call %d: expected the arguments %s, found %s", i+1, w.Arguments, g.Arguments)
		}
	}
	return ""
}

// unescaped reports whether a text stands between quotes as it is, although it contains what is escaped between quotes: it could
// be another text.
func unescaped(output string, answer chat.Message) bool {
	for _, call := range answer.ToolCalls {
		var arguments map[string]any
		if json.Unmarshal([]byte(call.Arguments), &arguments) != nil {
			continue
		}
		for _, value := range arguments {
			text, _ := value.(string)
			for _, quote := range []string{`"`, `'`} {
				if strings.ContainsAny(text, quote+"\\\n\t") && strings.Contains(output, quote+text+quote) {
					return true
				}
			}
		}
	}
	return false
}

// sameJSON compares values: the order of members and the spelling of numbers do not matter.
func sameJSON(a, b string) bool {
	var left, right any
	if json.Unmarshal([]byte(a), &left) != nil || json.Unmarshal([]byte(b), &right) != nil {
		return false
	}
	return reflect.DeepEqual(left, right)
}
