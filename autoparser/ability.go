package autoparser

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/dragoman-project/dragoman/autoparser/dialect"
	"github.com/dragoman-project/dragoman/autoparser/jinja"
	"github.com/dragoman-project/dragoman/autoparser/probe"
	"github.com/dragoman-project/dragoman/sdk/chat"
)

// Ability is a question about the capabilities of a template, and its answer.
type Ability struct {
	ID       string `json:"id"` // the name of the capability
	Question string `json:"question"`
	Yes      bool   `json:"yes"`
}

// question is a row of the table of questions. ask renders conversations and looks for their needles; it may use the answers
// to earlier rows.
type question struct {
	id, question string
	of           func(*dialect.Capabilities) *bool
	ask          func(*exploration) bool
}

// questions returns the table of questions about capabilities, in order.
func questions() []question {
	type caps = dialect.Capabilities
	return []question{
		{"string_content", "Does it render content that is one text?",
			func(c *caps) *bool { return &c.StringContent },
			showing(probe.Question(), probe.User)},
		{"typed_content", "Does it render content that is a list of typed parts?",
			func(c *caps) *bool { return &c.TypedContent },
			(*exploration).showsParts},
		{"system_role", "Does it render system messages?",
			func(c *caps) *bool { return &c.SystemRole },
			(*exploration).showsSystem},
		{"tools", "Does it render the tools of a request?",
			func(c *caps) *bool { return &c.Tools },
			showing(probe.OffersTools(), probe.Function)},
		{"object_arguments", "Does it want the arguments of calls as objects?",
			func(c *caps) *bool { return &c.ObjectArguments }, (*exploration).wantsObjects},
		{"tool_calls", "Does it render tool calls?",
			func(c *caps) *bool { return &c.ToolCalls },
			showing(probe.Called(), probe.Value)},
		{"parallel_tool_calls", "Does it render more than one call of a message?",
			func(c *caps) *bool { return &c.ParallelToolCalls },
			showing(probe.CalledTwice(), probe.Value, probe.OtherValue)},
		{"tool_responses", "Does it render the answers of tools?",
			func(c *caps) *bool { return &c.ToolResponses },
			showing(probe.Responded(), probe.Result)},
		{"nonnull_content", "Does it fail on null content beside a call, or print it?",
			func(c *caps) *bool { return &c.NonNullContent }, (*exploration).mindsNull},
		{"reasoning", "Does it render the reasoning of an answer?",
			func(c *caps) *bool { return &c.Reasoning }, (*exploration).findThoughts},
		{"preserve_reasoning", "Does it keep the reasoning of earlier turns when asked to?",
			func(c *caps) *bool { return &c.PreserveReasoning },
			showing(probe.Preserved(), probe.Reasoning)},
		{"enable_thinking", "Can a request turn thinking on or off?",
			func(c *caps) *bool { return &c.EnableThinking },
			func(e *exploration) bool { return e.Dial.of(off) != nil || e.Dial.of(on) != nil }},
		{"reasoning_effort", "Can a request choose the effort of thinking?",
			func(c *caps) *bool { return &c.ReasoningEffort },
			func(e *exploration) bool { return e.Dial.of(effort) != nil }},
	}
}

// exploration is a template that is being probed. After exceeding a limit once, it is not rendered again: a hostile template
// costs one rendering, not forty.
type exploration struct {
	*Template
	ctx       context.Context // with the budget of learning
	rendered  bool            // a probe was rendered
	exhausted error           // the error of the probe that exceeded a limit, or the budget
	tolerated error           // why a probe was rendered tolerantly
	cache     Cache
}

// explore asks all questions about a template's capabilities, and sets those of a copy.
func explore(ctx context.Context, t *Template) *exploration {
	explored := *t
	e := &exploration{Template: &explored, ctx: ctx}
	e.demandsSystem = e.findDemand()
	e.findDial()
	for _, q := range questions() {
		yes := q.ask(e)
		*q.of(&e.Capabilities) = yes
		e.Abilities = append(e.Abilities, Ability{q.id, q.question, yes})
	}
	return e
}

// ask renders a probe like a request.
func (e *exploration) ask(p probe.Probe) (string, error) {
	c := newConversation(&p.Request, &e.cache)
	m := e.manner(nil)
	m.nullCalls = e.nullCalls
	m.normalise(&c)
	return e.attempt(c)
}

// render is ask without the error; it returns "" instead.
func (e *exploration) render(p probe.Probe) string {
	text, _ := e.ask(p)
	return text
}

// probing renders a probe in a form, without normalisations; it returns "" on errors.
func (e *exploration) probing(p probe.Probe, in form) string {
	c := newConversation(&p.Request, &e.cache)
	c.form = in
	text, _ := e.attempt(c)
	return text
}

// probed is the time of all probes, so that renderings of the time do not differ.
var probed = time.Date(2026, time.January, 2, 3, 4, 5, 0, time.UTC)

// attempt renders the conversation of a probe, with thinking unless the probe says otherwise: only then do all templates show
// the reasoning of answers.
func (e *exploration) attempt(c conversation) (string, error) {
	if c.request.EnableThinking == nil {
		thinking := *c.request
		thinking.EnableThinking = new(bool)
		*thinking.EnableThinking = true
		c.request = &thinking
	}
	return e.try(c)
}

// try renders the conversation of a probe.
func (e *exploration) try(c conversation) (string, error) {
	if e.exhausted != nil {
		return "", e.exhausted
	}
	c.now, c.explicit = probed, true
	if e.demandsSystem && (len(c.messages) == 0 || c.messages[0].Role != chat.RoleSystem) {
		c.messages = append(probe.WithSystem().Request.Messages[:1:1], c.messages...)
	}
	text, err := e.text(e.ctx, &c, c.request.AddGenerationPrompt)
	if errors.Is(err, jinja.Limit) || errors.Is(err, jinja.Deadline) {
		e.exhausted = err
	}
	e.rendered = e.rendered || err == nil
	if e.tolerated == nil {
		e.tolerated = c.tolerated
	}
	return text, err
}

// showing returns a question: does the rendering of a probe contain all needles?
func showing(p probe.Probe, needles ...string) func(*exploration) bool {
	return func(e *exploration) bool {
		text := e.render(p)
		return !slices.ContainsFunc(needles, func(n string) bool { return !strings.Contains(text, n) })
	}
}

// showsSystem reports whether system messages are rendered. It does not normalise: whether they must become user messages is
// not known yet.
func (e *exploration) showsSystem() bool {
	return strings.Contains(e.probing(probe.WithSystem(), form{}), probe.System)
}

// showsParts reports whether typed parts are rendered. A template that prints the list itself does not count.
func (e *exploration) showsParts() bool {
	text := e.probing(probe.InParts(), form{})
	return strings.Contains(text, probe.User) && !prints(text, "type")
}

// prints reports whether a text contains the quoted name of a field, as in the rendering of a whole list or object.
func prints(text, field string) bool {
	return strings.Contains(text, "'"+field+"'") || strings.Contains(text, `"`+field+`"`)
}

// findDemand reports whether the template renders a question only after a system message.
func (e *exploration) findDemand() bool {
	return !strings.Contains(e.probing(probe.Question(), form{}), probe.User) &&
		strings.Contains(e.probing(probe.WithSystem(), form{}), probe.User)
}

// findCalls tries the forms in which templates expect calls, beginning with the usual one.
func (e *exploration) findCalls() {
	for _, in := range []form{{}, {flatCalls: true}, {nullBesideCalls: true}, {flatCalls: true, nullBesideCalls: true}} {
		objects := in
		objects.objectArguments = true
		if e.showsCall(in) || e.showsCall(objects) {
			e.flatCalls, e.nullCalls = in.flatCalls, in.nullBesideCalls
			return
		}
	}
}

func (e *exploration) showsCall(in form) bool {
	return strings.Contains(e.probing(probe.Called(), in), probe.Value)
}

// wantsObjects reports whether arguments must be objects. A template that renders both strings and objects expects objects,
// unless it prints them as Python does.
func (e *exploration) wantsObjects() bool {
	e.findCalls()
	in := form{flatCalls: e.flatCalls, nullBesideCalls: e.nullCalls}
	text := e.probing(probe.Called(), in)
	in.objectArguments = true
	object := e.probing(probe.Called(), in)
	switch {
	case !strings.Contains(object, probe.Value):
		return false
	case !strings.Contains(text, probe.Value):
		return true
	}
	return !strings.Contains(object, "'"+probe.Argument+"'") || !strings.Contains(text, `{"`+probe.Argument+`"`)
}

// mindsNull reports whether null content of a message with calls is not rendered like empty content: it fails, or is printed.
func (e *exploration) mindsNull() bool {
	in := form{objectArguments: e.Capabilities.ObjectArguments, flatCalls: e.flatCalls, nullBesideCalls: e.nullCalls}
	null, empty := e.probing(probe.CalledWithNull(), in), e.probing(probe.Called(), in)
	return empty != "" && null != empty
}

// findThoughts tries the places where templates expect reasoning.
func (e *exploration) findThoughts() bool {
	for _, place := range e.places() {
		e.thoughts = place
		answered, called := e.render(probe.Reasoned()), e.render(probe.ReasonedAndCalled())
		shown := strings.Contains(answered, probe.Reasoning) || strings.Contains(called, probe.Reasoning)
		if shown && !prints(answered+called, "thinking") {
			return true
		}
	}
	e.thoughts = ""
	return false
}
