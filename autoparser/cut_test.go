package autoparser_test

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/dragoman-project/dragoman/autoparser"
	"github.com/dragoman-project/dragoman/autoparser/assemble"
	"github.com/dragoman-project/dragoman/internal/shared"
	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/dragoman-project/dragoman/sdk/conformance"
	"github.com/dragoman-project/dragoman/sdk/handler"
	"github.com/dragoman-project/dragoman/sdk/session"
)

// TestACallOfAStyleThatIsCutOffIsNeverComplete tests the templates of testdata.
func TestACallOfAStyleThatIsCutOffIsNeverComplete(t *testing.T) {
	shared.Slow(t)
	rules := shippedRules(t)
	for name, source := range styles(t) {
		t.Run(name, func(t *testing.T) { cutOff(t, learnSource(t, name, source, "<s>", "</s>", rules)) })
	}
}

func TestACallOfATemplateThatIsCutOffIsNeverComplete(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(shared.Dir(t, "templates"), "*.jinja"))
	if err != nil {
		t.Fatal(err)
	}
	special, school := handled(t), newSchool(t)
	for _, file := range files {
		if name := filepath.Base(file); !special[name] {
			t.Run(name, func(t *testing.T) { cutOff(t, school.learn(t, name, "", "")) })
		}
	}
}

// cutOff has a template write calls, and cuts them off at every byte.
func cutOff(t *testing.T, l *autoparser.Learned) {
	t.Helper()
	call := func(id, name, arguments string) chat.Call { return chat.Call{ID: id, Name: name, Arguments: arguments} }
	title := call("call00001", "find_book", `{"title": "Emma", "pages": 412, "lent": true}`)
	for _, calls := range [][]chat.Call{
		{title},
		{call("call00001", "find_book", `{"pages": 30, "price": -9.25, "title": "Dune\nII"}`)},
		{call("call00001", "find_book_again", `{"title": "a", "authors": ["b", "c"], "size": {"x": 12, "y": 3}}`)},
		{call("call00001", "lend", `{}`)},
		{title, call("call00002", "find_book", `{"title": "Dune"}`)},
	} {
		req := chat.Request{Tools: lawTools(), ParallelToolCalls: true, Now: lawTime}
		answer := chat.Message{Role: chat.RoleAssistant, Content: chat.TextContent(""), ToolCalls: calls}
		w, err := l.Write(req, answer)
		if err != nil || l.Difference(req, w, answer) != "" {
			continue // the template does not write it, or the self-check reports it
		}
		a := assemble.Assemble(assemble.Input{Dialect: l.Dialect, Request: &req, GenerationPrompt: w.Prompt, TemplatePrompt: w.Prompt})
		draft := session.Draft{Plan: handler.Plan{Program: a.Program, Grammar: a.Grammar}, GenerationPrompt: w.Prompt}
		plan, err := session.New(context.Background(), &draft, &req, session.PlanOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if err := conformance.CutOff(t.Context(), plan, w.Output); err != nil {
			t.Error(err)
		}
	}
}
