package chat

import (
	"fmt"
	"slices"

	"github.com/dragoman-project/dragoman/sdk/fault"
)

// Policies decide how output that is not as it should be is handled ("parsing"). The zero value has the default of each.
//
//	"parsing": {"unknown_tool": "content", "truncated_call": "drop"}
//
// A policy that may remove a call from the message delays the call until that is decided; with all others it is streamed.
type Policies struct {
	UnknownTool     UnknownToolPolicy     // "unknown_tool"
	CallInReasoning CallInReasoningPolicy // "call_in_reasoning"
	TruncatedCall   TruncatedCallPolicy   // "truncated_call"
	Malformed       MalformedPolicy       // "malformed"

	UnclosedReasoning UnclosedReasoningPolicy // "unclosed_reasoning"
}

// UnknownToolPolicy decides how a call of a tool that the request does not declare is handled. The report lists the tool in
// any case.
type UnknownToolPolicy uint8

// The policies for calls of unknown tools.
const (
	UnknownForward UnknownToolPolicy = iota // "forward": it is delivered as a call
	UnknownContent                          // "content": it is delivered as content, see Stream
	UnknownError                            // "error": it is not delivered, and the output is an error
)

// CallInReasoningPolicy decides how a call within reasoning is handled. Handlers implement it, as far as their formats permit.
type CallInReasoningPolicy uint8

// The policies for calls within reasoning.
const (
	// PromoteCalls ("promote"): a well-formed call of a known tool ends the reasoning. One whose first marker begins a line or
	// is a special token is delivered as it comes. Within a line it may be quoted: it counts once it is whole, unless the
	// reasoning goes on after it up to its end marker.
	PromoteCalls CallInReasoningPolicy = iota
	// KeepCalls ("keep"): only the end marker ends the reasoning.
	KeepCalls
)

// TruncatedCallPolicy decides how a call with incomplete arguments is handled: the output ended, or broke the format, within
// it.
type TruncatedCallPolicy uint8

// The policies for truncated calls.
const (
	TruncatedPartial TruncatedCallPolicy = iota // "partial": it is delivered as a call, with the arguments so far
	TruncatedDrop                               // "drop": it is dropped, with a note in the report
	TruncatedContent                            // "content": it is delivered as content, see Stream
)

// MalformedPolicy decides how output that breaks the format is handled.
type MalformedPolicy uint8

// The policies for malformed output.
const (
	MalformedDeliver MalformedPolicy = iota // "deliver": what cannot be read is content, with a fault in the report
	MalformedError                          // "error": the output is an error
)

// UnclosedReasoningPolicy decides what a complete answer is that consists of reasoning whose end marker never came: models may
// answer without ending the reasoning that their prompt has begun.
type UnclosedReasoningPolicy uint8

// The policies for reasoning that is not closed.
const (
	UnclosedKeep    UnclosedReasoningPolicy = iota // "keep": it is reasoning
	UnclosedContent                                // "content": at the end its text is delivered as content, too
)

var (
	unknownToolPolicies = []spelling[UnknownToolPolicy]{
		{"forward", UnknownForward}, {"content", UnknownContent}, {"error", UnknownError},
	}
	callInReasoningPolicies = []spelling[CallInReasoningPolicy]{{"promote", PromoteCalls}, {"keep", KeepCalls}}
	truncatedCallPolicies   = []spelling[TruncatedCallPolicy]{
		{"partial", TruncatedPartial}, {"drop", TruncatedDrop}, {"content", TruncatedContent},
	}
	unclosedReasoningPolicies = []spelling[UnclosedReasoningPolicy]{{"keep", UnclosedKeep}, {"content", UnclosedContent}}

	malformedPolicies = []spelling[MalformedPolicy]{{"deliver", MalformedDeliver}, {"error", MalformedError}}
)

func (p UnknownToolPolicy) String() string { return spelled(unknownToolPolicies, p) }

func (p CallInReasoningPolicy) String() string { return spelled(callInReasoningPolicies, p) }

func (p TruncatedCallPolicy) String() string { return spelled(truncatedCallPolicies, p) }

func (p UnclosedReasoningPolicy) String() string { return spelled(unclosedReasoningPolicies, p) }

func (p MalformedPolicy) String() string { return spelled(malformedPolicies, p) }

// UnmarshalJSON reads policies as requests spell them. It leaves those that are absent unchanged. Its errors are of type
// *fault.Error.
func (p *Policies) UnmarshalJSON(data []byte) error { return unmarshal(p, data, p.read) }

// read returns p with the policies in v. Unknown names are errors: a misspelt policy would silently have its default.
func (p Policies) read(v value) (Policies, error) {
	var rest []Field
	err := v.fields(map[string]func(value) error{
		"unknown_tool":      into(&p.UnknownTool, oneOf(unknownToolPolicies)),
		"call_in_reasoning": into(&p.CallInReasoning, oneOf(callInReasoningPolicies)),
		"truncated_call":    into(&p.TruncatedCall, oneOf(truncatedCallPolicies)),
		"malformed":         into(&p.Malformed, oneOf(malformedPolicies)),

		"unclosed_reasoning": into(&p.UnclosedReasoning, oneOf(unclosedReasoningPolicies)),
	}, &rest)
	if err == nil && len(rest) > 0 {
		err = fault.Invalid(memberPath(v.Path(), rest[0].Name), `unknown policy; expected "unknown_tool", "call_in_reasoning", "truncated_call", "malformed" or "unclosed_reasoning"`)
	}
	return p, err
}

func (p Policies) write(w *writer) {
	w.open('{')
	w.member("unknown_tool").text(p.UnknownTool.String())
	w.member("call_in_reasoning").text(p.CallInReasoning.String())
	w.member("truncated_call").text(p.TruncatedCall.String())
	w.member("malformed").text(p.Malformed.String())
	if p.UnclosedReasoning != UnclosedKeep { // plugins built before it existed refuse it
		w.member("unclosed_reasoning").text(p.UnclosedReasoning.String())
	}
	w.close('}')
}

// refused returns the error for an output that violates a policy of the request.
func refused(policy, message string) *fault.Error {
	return &fault.Error{Code: fault.OutputRefused, Place: policy, Message: message,
		Remedy: "sample again, or send another policy to get the output as it is"}
}

// verdict returns an error if the policies refuse an output, given the unknown tools that it called and its report.
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
