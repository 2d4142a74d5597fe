// Package handler is the contract between the host and whatever claims a chat template: the generic autoparser, or a
// plugin.
//
// A handler answers a request with a Plan, and the host runs the plan's program: a handler is not called per token, and
// its death does not affect running sessions. Only a format that no program can describe needs a StreamHandler.
//
// Words that must not be confused: a *handler* answers requests for templates; a *plan* is the answer to one request; a
// *program* is the part of the plan that parses. What becomes of the plan, with its prompt and its constraint, is a
// session.Plan.
package handler

import (
	"context"
	"strings"

	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/dragoman-project/dragoman/sdk/grammar"
	"github.com/dragoman-project/dragoman/sdk/peg"
)

// Handler claims templates and plans requests for them. Its methods may be called concurrently.
type Handler interface {
	// Describe returns the handler's name and the templates that it claims. It must always return the same.
	Describe() Description
	// Plan answers a request. A handler that cannot serve this template or this request returns a *Declined error, and the
	// host asks the next one; a request that is at fault is a *fault.Error.
	Plan(ctx context.Context, in Input) (*Plan, error)
}

// Description describes a handler.
type Description struct {
	Name    string // unique among handlers: [a-z0-9-]+
	Version string // semantic version of the handler
	// Match is an expr predicate over the template, in the language of workarounds: `source contains "<|channel|>"`.
	Match string
	// Priority decides between handlers that claim the same template; the highest wins, a tie is a reported conflict.
	// The generic autoparser has priority 0, plugins have 100 by default.
	Priority int
	// Cases are the handler's golden cases, JSON Lines in the format of package cases; replayed before it goes live.
	Cases []byte
}

// Template is a chat template, as handlers see it.
type Template struct {
	Name     string
	Source   string
	BOSToken string
	EOSToken string
}

// Input is a request to plan.
type Input struct {
	Template Template
	Request  *chat.Request
}

// Plan is the answer to a request. The prompt is rendered from Request, and the program bound to its end; then package session
// builds the constraint and compiles the program.
type Plan struct {
	// Request is the request as it is to be rendered, its messages normalised for the template; nil: as it came.
	Request *chat.Request
	// Prefill follows the rendered prompt and belongs to the generation prompt: the beginning of a message to be continued.
	// A handler that sets it leaves the message out of Request and requests a generation prompt there.
	Prefill string
	// Ending replaces the end of the rendered prompt, where the template closes what the output is to continue.
	Ending Ending
	// Program parses generation prompt + output.
	Program *peg.Program
	// Stream, in place of a program, makes the host send the output to the handler, which must be a StreamHandler.
	Stream *StreamPlan
	// Grammar is the kind of constraint to build from the program.
	Grammar grammar.Mode
	// Triggers replace those derived from the program's Trigger rules.
	Triggers []grammar.Trigger
	// PreservedTokens are special tokens that the engine must not drop from the text.
	PreservedTokens []string
	// Stops are strings at which the engine should stop, besides its end-of-turn tokens.
	Stops []string
	// SupportsThinking means that the template knows reasoning; ThinkingStart opens it and each of ThinkingEnds closes it.
	SupportsThinking bool
	ThinkingStart    string
	ThinkingEnds     []string
	// Delimiters are the texts that start messages of each role in the prompt; nil: those learned from the template.
	Delimiters []Delimiter
	Notes      []string // for people, such as that a constraint had to be relaxed
}

// ReasoningState is where generation starts with respect to reasoning.
type ReasoningState string

// The reasoning states.
const (
	ReasoningIdle   ReasoningState = "idle"   // not begun; the model may begin it
	ReasoningOpen   ReasoningState = "open"   // the prompt opened it
	ReasoningClosed ReasoningState = "closed" // the prompt opened and closed it
)

// Delimiter is the text that starts a message of a role.
type Delimiter struct {
	Role      string
	Delimiter string
}

// Ending replaces the end Old of a prompt by New. The zero value changes nothing.
type Ending struct {
	Old string
	New string
}

// Apply returns the prompt with its end replaced, if it ends in Old.
func (e Ending) Apply(prompt string) string {
	if before, ok := strings.CutSuffix(prompt, e.Old); ok {
		return before + e.New
	}
	return prompt
}

// Continue returns a rendered prompt, or its end, with the prefill behind it. If the prefill begins with reasoning, an empty
// thought at the end of the prompt, which templates write where a request or they themselves turn thinking off, is left out.
func (p *Plan) Continue(prompt string) string {
	prompt = p.Ending.Apply(prompt)
	start := strings.TrimSpace(p.ThinkingStart)
	if start == "" || !strings.HasPrefix(strings.TrimSpace(p.Prefill), start) {
		return prompt + p.Prefill
	}
	for _, end := range p.ThinkingEnds {
		thought, closed := strings.CutSuffix(strings.TrimRight(prompt, " \t\r\n"), strings.TrimSpace(end))
		if before, empty := strings.CutSuffix(strings.TrimRight(thought, " \t\r\n"), start); closed && empty {
			return before + p.Prefill
		} else if closed {
			return thought + p.Prefill
		}
	}
	return prompt + p.Prefill
}

// Declined is the error of a handler that cannot serve a template or a request.
type Declined struct{ Reason string }

func (d *Declined) Error() string { return "declined: " + d.Reason }
