package autoparser

import (
	"context"
	"errors"
	"strings"

	"github.com/dragoman-project/dragoman/autoparser/dialect"
	"github.com/dragoman-project/dragoman/autoparser/jinja"
	"github.com/dragoman-project/dragoman/autoparser/probe"
)

// Ability is a question about what a template can do, and its answer.
type Ability struct {
	ID       string // the name of the capability
	Question string
	Yes      bool
}

// question is a row of the table of questions. ask renders conversations and looks for their needles; it may rely on what
// earlier rows found.
type question struct {
	id, question string
	of           func(*dialect.Capabilities) *bool
	ask          func(*Template) bool
}

// questions is the table of what is asked about a template, in order.
func questions() []question {
	type caps = dialect.Capabilities
	return []question{
		{"string_content", "Does it render content that is one text?",
			func(c *caps) *bool { return &c.StringContent },
			func(t *Template) bool { return t.shows(probe.Question(), probe.User) }},
		{"typed_content", "Does it render content that is a list of typed parts?",
			func(c *caps) *bool { return &c.TypedContent },
			func(t *Template) bool { return t.showsParts() }},
		{"system_role", "Does it render system messages?",
			func(c *caps) *bool { return &c.SystemRole },
			func(t *Template) bool { return strings.Contains(t.probing(probe.WithSystem(), form{}), probe.System) }},
		{"tools", "Does it render the tools of a request?",
			func(c *caps) *bool { return &c.Tools },
			func(t *Template) bool { return t.shows(probe.OffersTools(), probe.Function) }},
		{"object_arguments", "Does it want the arguments of calls as objects?",
			func(c *caps) *bool { return &c.ObjectArguments }, (*Template).wantsObjects},
		{"tool_calls", "Does it render tool calls?",
			func(c *caps) *bool { return &c.ToolCalls },
			func(t *Template) bool { return t.shows(probe.Called(), probe.Value) }},
		{"parallel_tool_calls", "Does it render more than one call of a message?",
			func(c *caps) *bool { return &c.ParallelToolCalls },
			func(t *Template) bool {
				return t.shows(probe.CalledTwice(), probe.Value) && t.shows(probe.CalledTwice(), probe.OtherValue)
			}},
		{"tool_responses", "Does it render the answers of tools?",
			func(c *caps) *bool { return &c.ToolResponses },
			func(t *Template) bool { return t.shows(probe.Responded(), probe.Result) }},
		{"nonnull_content", "Does it fail on null content beside a call, or print it?",
			func(c *caps) *bool { return &c.NonNullContent }, (*Template).mindsNull},
		{"reasoning", "Does it render the reasoning of an answer?",
			func(c *caps) *bool { return &c.Reasoning }, (*Template).findThoughts},
		{"preserve_reasoning", "Does it keep the reasoning of earlier turns when asked to?",
			func(c *caps) *bool { return &c.PreserveReasoning },
			func(t *Template) bool { return t.shows(probe.Preserved(), probe.Reasoning) }},
		{"enable_thinking", "Does it act on enable_thinking?",
			func(c *caps) *bool { return &c.EnableThinking },
			func(t *Template) bool { return t.render(probe.Prompt()) != t.render(probe.PromptWithoutThinking()) }},
		{"reasoning_effort", "Does it read reasoning_effort?",
			func(c *caps) *bool { return &c.ReasoningEffort },
			func(t *Template) bool { return t.reads("reasoning_effort") || t.reads("reasoning_strength") }},
	}
}

// explore asks all questions.
func (t *Template) explore() {
	for _, q := range questions() {
		yes := q.ask(t)
		*q.of(&t.Capabilities) = yes
		t.Abilities = append(t.Abilities, Ability{q.id, q.question, yes})
	}
}

// probing renders a probe in a form, without any normalisation; "" when that fails.
func (t *Template) probing(p probe.Probe, in form) string {
	c := newConversation(&p.Request)
	c.form = in
	text, _ := t.attempt(c)
	return text
}

// probe renders a probe as a request is rendered.
func (t *Template) probe(p probe.Probe) (string, error) {
	c := newConversation(&p.Request)
	t.manner(nil).normalise(&c)
	return t.attempt(c)
}

// render is probe; "" when that fails.
func (t *Template) render(p probe.Probe) string {
	text, _ := t.probe(p)
	return text
}

// attempt renders the conversation of a probe. Who exceeded a limit once is not asked again: a template that means harm
// costs one rendering, not forty.
func (t *Template) attempt(c conversation) (string, error) {
	if t.exhausted != nil {
		return "", t.exhausted
	}
	text, err := t.text(context.Background(), c, c.request.AddGenerationPrompt)
	var e *jinja.Error
	if errors.As(err, &e) && (e.Kind == jinja.Limit || e.Kind == jinja.Deadline) {
		t.exhausted = err
	}
	return text, err
}

func (t *Template) shows(p probe.Probe, needle string) bool {
	return strings.Contains(t.render(p), needle)
}

// showsParts: a template that prints the list itself does not count.
func (t *Template) showsParts() bool {
	text := t.probing(probe.InParts(), form{})
	return strings.Contains(text, probe.User) && !prints(text, "type")
}

// prints says that a text spells a field, as a template does that prints a list or an object as it is.
func prints(text, field string) bool {
	return strings.Contains(text, "'"+field+"'") || strings.Contains(text, `"`+field+`"`)
}

// wantsObjects: where a template renders both, an object is what it is made for, unless it prints it as Python does.
func (t *Template) wantsObjects() bool {
	object := t.probing(probe.Called(), form{objectArguments: true})
	text := t.probing(probe.Called(), form{})
	switch {
	case !strings.Contains(object, probe.Value):
		return false
	case !strings.Contains(text, probe.Value):
		return true
	}
	return !strings.Contains(object, "'"+probe.Argument+"'") || !strings.Contains(text, `{"`+probe.Argument+`"`)
}

// mindsNull: an empty text beside a call is rendered, and null is not, or it is spelled out.
func (t *Template) mindsNull() bool {
	in := form{objectArguments: t.Capabilities.ObjectArguments}
	null, empty := t.probing(probe.CalledWithNull(), in), t.probing(probe.Called(), in)
	return empty != "" && null != empty
}

// findThoughts tries the places where templates look for reasoning.
func (t *Template) findThoughts() bool {
	for _, place := range places() {
		t.thoughts = place
		answered, called := t.render(probe.Reasoned()), t.render(probe.ReasonedAndCalled())
		shown := strings.Contains(answered, probe.Reasoning) || strings.Contains(called, probe.Reasoning)
		if shown && !prints(answered, "thinking") {
			return true
		}
	}
	t.thoughts = ""
	return false
}
