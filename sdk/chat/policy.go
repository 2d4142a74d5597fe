package chat

import (
	"fmt"
	"slices"

	"github.com/dragoman-project/dragoman/sdk/fault"
)

// Policies say what becomes of output that is not what it should be ("parsing"). The zero value is the default of each.
//
//	"parsing": {"unknown_tool": "content", "truncated_call": "drop"}
//
// A policy that may take a call out of the message holds the call back until it is decided; all others let it stream.
type Policies struct {
	UnknownTool     UnknownToolPolicy     // "unknown_tool"
	CallInReasoning CallInReasoningPolicy // "call_in_reasoning"
	TruncatedCall   TruncatedCallPolicy   // "truncated_call"
	Malformed       MalformedPolicy       // "malformed"
}

// UnknownToolPolicy is what becomes of a call of a tool that the request does not have. The report names the tool in any
// case.
type UnknownToolPolicy uint8

// What becomes of a call of an unknown tool.
const (
	UnknownForward UnknownToolPolicy = iota // "forward": it is delivered as a call
	UnknownContent                          // "content": it is delivered as content, see Stream
	UnknownError                            // "error": it is not delivered, and the output is an error
)

// CallInReasoningPolicy is what becomes of a call within reasoning. It is the handler's to follow; families of formats
// differ in what they can tell.
type CallInReasoningPolicy uint8

// What becomes of a call within reasoning.
const (
	// PromoteCalls ("promote"): a well-formed call of a known tool ends the reasoning, where its first marker begins a line
	// or looks like a special token; elsewhere it is a thought.
	PromoteCalls CallInReasoningPolicy = iota
	// KeepCalls ("keep"): only the end marker ends the reasoning.
	KeepCalls
)

// TruncatedCallPolicy is what becomes of a call whose arguments are not whole, because the output ended, or broke the
// format, within it.
type TruncatedCallPolicy uint8

// What becomes of a truncated call.
const (
	TruncatedPartial TruncatedCallPolicy = iota // "partial": it is delivered as a call, with the arguments that there are
	TruncatedDrop                               // "drop": it is left out, and the report says so
	TruncatedContent                            // "content": it is delivered as content, see Stream
)

// MalformedPolicy is what becomes of output that breaks the format.
type MalformedPolicy uint8

// What becomes of malformed output.
const (
	MalformedDeliver MalformedPolicy = iota // "deliver": what cannot be read is content, and the report says so
	MalformedError                          // "error": the output is an error
)

var (
	unknownToolPolicies = []spelling[UnknownToolPolicy]{
		{"forward", UnknownForward}, {"content", UnknownContent}, {"error", UnknownError},
	}
	callInReasoningPolicies = []spelling[CallInReasoningPolicy]{{"promote", PromoteCalls}, {"keep", KeepCalls}}
	truncatedCallPolicies   = []spelling[TruncatedCallPolicy]{
		{"partial", TruncatedPartial}, {"drop", TruncatedDrop}, {"content", TruncatedContent},
	}
	malformedPolicies = []spelling[MalformedPolicy]{{"deliver", MalformedDeliver}, {"error", MalformedError}}
)

func (p UnknownToolPolicy) String() string { return spelled(unknownToolPolicies, p) }

func (p CallInReasoningPolicy) String() string { return spelled(callInReasoningPolicies, p) }

func (p TruncatedCallPolicy) String() string { return spelled(truncatedCallPolicies, p) }

func (p MalformedPolicy) String() string { return spelled(malformedPolicies, p) }

// UnmarshalJSON reads policies as requests spell them. Those that are not named stay as they are. Its errors are
// *fault.Error.
func (p *Policies) UnmarshalJSON(data []byte) error { return unmarshal(p, data, p.read) }

// read lays policies over p. It is strict about names: a policy that is misspelt would silently be another.
func (p Policies) read(v value) (Policies, error) {
	var rest []Field
	err := v.fields(map[string]func(value) error{
		"unknown_tool":      into(&p.UnknownTool, oneOf(unknownToolPolicies)),
		"call_in_reasoning": into(&p.CallInReasoning, oneOf(callInReasoningPolicies)),
		"truncated_call":    into(&p.TruncatedCall, oneOf(truncatedCallPolicies)),
		"malformed":         into(&p.Malformed, oneOf(malformedPolicies)),
	}, &rest)
	if err == nil && len(rest) > 0 {
		err = fault.Invalid(memberPath(v.Path(), rest[0].Name), `no such policy; there are "unknown_tool", "call_in_reasoning", "truncated_call" and "malformed"`)
	}
	return p, err
}

func (p Policies) write(w *writer) {
	w.open('{')
	w.member("unknown_tool").text(p.UnknownTool.String())
	w.member("call_in_reasoning").text(p.CallInReasoning.String())
	w.member("truncated_call").text(p.TruncatedCall.String())
	w.member("malformed").text(p.Malformed.String())
	w.close('}')
}

// refused returns the error for an output that a policy of the request refuses. Without such a policy, no output is an error.
func refused(policy, message string) *fault.Error {
	return &fault.Error{Code: fault.OutputRefused, Place: policy, Message: message,
		Remedy: "sample again, or send another policy to get the output as it is"}
}

// verdict is the error that the policies make of an output that called these unknown tools and was reported as r.
func (p Policies) verdict(unknown []string, r *Report) error {
	switch {
	case p.UnknownTool == UnknownError && len(unknown) > 0:
		return refused("parsing.unknown_tool", fmt.Sprintf("the model called %q: no tool of the request has that name", unknown[0]))
	case p.Malformed == MalformedError && slices.Contains([]Status{Malformed, Trailing}, r.Status):
		message := "the output breaks the format"
		if len(r.Faults) > 0 {
			message += ": " + r.Faults[0].Message
		}
		return refused("parsing.malformed", message)
	}
	return nil
}
