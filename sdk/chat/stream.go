package chat

import (
	"fmt"
	"slices"
	"strings"
)

// StreamOptions configures a Stream.
type StreamOptions struct {
	// Tools are the tools of the request. The report lists calls of others, which are handled as Policies say.
	Tools []Tool
	// Policies are the policies of the request.
	Policies Policies
	// IDSeed is the seed of generated call ids, for calls to which the model gave none. It must differ between answers; empty
	// means a random one.
	IDSeed string
	// NoIDs leaves ids that the model did not write empty instead of generating them.
	NoIDs bool
}

// Stream turns the events of one answer into deltas, and collects them into the final message. The zero value is ready to
// use. A Stream is not safe for concurrent use.
//
//	s.Add(event) …          once for every event; s.Deltas() then returns what is new
//	s.Finish(FinishStop)    returns the last deltas; then call Message, FinishReason and Annotate
//
// Deltas only append, and the joined deltas do not depend on how the texts of the events were cut. Invalid UTF-8 becomes
// U+FFFD.
//
// Templates put white space between the parts of a message that is not part of the model's text: content and reasoning lose
// the blank lines before their first text, but keep its indentation, and lose white space after their last text, which is
// therefore held back until more text follows. An answer that the engine cut off keeps trailing white space, because it may
// be continued there. Blank content or reasoning is dropped.
//
// A call is announced with index, id and name when its first argument arrives, because some formats write the id after the
// name; a call without arguments is announced at its end. If a policy may remove it from the message, all of it is held back
// until its end. A call that a policy turns into content becomes a line of JSON, {"name": …, "arguments": …}, incomplete where
// its arguments are: what the model wrote, without the markers of the format.
type Stream struct {
	StreamOptions

	deltas    []Delta
	pending   pending
	started   bool
	content   prose
	reasoning prose
	calls     []Call          // that were announced
	ids       map[string]bool // of the first indexed calls
	indexed   int
	open      *draft // the call that has not ended
	broken    bool   // a call is incomplete
	seed      string
	unknown   []string
	notes     []string
	unclosed  bool // the reasoning is content if there is nothing else
	reason    FinishReason
	last      EventKind // the part of the message of the last event: ContentText, ReasoningText or CallBegin
}

// pending is the delta under construction. Consecutive texts of one part become one delta.
type pending struct {
	kind EventKind // ContentText, ReasoningText or CallArguments; 0 for none
	call CallDelta // of CallArguments, without the arguments
	text []byte
}

// Add adds the next event. It is a Sink.
func (s *Stream) Add(e Event) {
	s.start()
	s.last = region(e.Kind)
	switch e.Kind {
	case ContentText:
		s.say(ContentText, 0, s.content.add(e.Text))
	case ReasoningText:
		s.say(ReasoningText, 0, s.reasoning.add(e.Text))
	case CallBegin:
		s.endCall(false)
		s.open = new(draft)
	case CallID:
		s.nameID(strings.TrimSpace(whole(e.Text)))
	case CallName:
		s.nameCall(strings.TrimSpace(whole(e.Text)))
	case CallArguments:
		s.sayArguments(s.call().repair.add(e.Text))
	case CallEnd:
		s.endCall(e.Open)
	}
}

// region returns the part of the message that an event belongs to.
func region(k EventKind) EventKind {
	if k == ContentText || k == ReasoningText {
		return k
	}
	return CallBegin
}

// Deltas returns the deltas since its last call.
func (s *Stream) Deltas() []Delta {
	s.flush()
	deltas := s.deltas
	s.deltas = nil
	return deltas
}

// Finish ends the answer and returns the last deltas. The reason is FinishLength if the engine cut the answer off, and
// FinishStop otherwise.
func (s *Stream) Finish(reason FinishReason) []Delta {
	s.start()
	s.endCall(true)
	s.reason = reason
	if s.broken && s.last == CallBegin {
		s.reason = FinishLength
	}
	cutOff := func(k EventKind) bool { return reason == FinishLength && s.last == k }
	s.say(ReasoningText, 0, s.reasoning.end(cutOff(ReasoningText)))
	if s.unclosed && s.reason == FinishStop && s.last == ReasoningText && len(s.calls) == 0 && s.content.said.Len() == 0 {
		s.note("reasoning that was not closed became content, too")
		s.say(ContentText, 0, s.content.add([]byte(s.reasoning.said.String())))
	}
	s.say(ContentText, 0, s.content.end(cutOff(ContentText)))
	return s.Deltas()
}

// Unclosed states, before Finish, that the end marker of the reasoning is missing; see UnclosedReasoningPolicy.
func (s *Stream) Unclosed() { s.unclosed = s.Policies.UnclosedReasoning == UnclosedContent }

// FinishReason returns why the answer ended. It is FinishLength if the engine cut the answer off, or if it ended within a call,
// and FinishToolCalls if there are calls otherwise.
func (s *Stream) FinishReason() FinishReason {
	switch {
	case s.reason == FinishLength:
		return FinishLength
	case len(s.calls) > 0:
		return FinishToolCalls
	}
	return FinishStop
}

// Message returns the answer so far, and after Finish the whole answer. Its texts are the joined texts of the deltas. Content
// is null if the answer has calls and no text.
func (s *Stream) Message() Message {
	m := Message{Role: RoleAssistant, ReasoningContent: s.reasoning.said.String(), ToolCalls: slices.Clone(s.calls)}
	if content := s.content.said.String(); content != "" || len(s.calls) == 0 {
		m.Content = TextContent(content)
	}
	if s.open != nil && s.open.announced {
		m.ToolCalls[s.open.index].Arguments = s.open.arguments.String()
	}
	return m
}

// Annotate adds unknown tools and notes of the stream to a report.
func (s *Stream) Annotate(r *Report) {
	r.UnknownTools = append(r.UnknownTools, s.unknown...)
	r.Notes = append(r.Notes, s.notes...)
}

// Verdict returns an error of code OutputRefused if a policy of the request refuses the output that r describes.
func (s *Stream) Verdict(r *Report) error { return s.Policies.verdict(s.unknown, r) }

// start sends the role, in the first delta.
func (s *Stream) start() {
	if !s.started {
		s.started = true
		s.deltas = append(s.deltas, Delta{Role: RoleAssistant})
	}
}

// say appends text to the delta under construction if that has the same kind and call, or else to a new one.
func (s *Stream) say(kind EventKind, call int, text string) {
	if text == "" {
		return
	}
	if s.pending.kind != kind || s.pending.call.Index != call {
		s.begin(kind, CallDelta{Index: call})
	}
	s.pending.text = append(s.pending.text, text...)
}

// begin starts a new delta.
func (s *Stream) begin(kind EventKind, call CallDelta) {
	s.flush()
	s.pending.kind, s.pending.call = kind, call
}

// flush completes the delta under construction.
func (s *Stream) flush() {
	text := string(s.pending.text)
	switch s.pending.kind {
	case ContentText:
		s.deltas = append(s.deltas, Delta{Content: text})
	case ReasoningText:
		s.deltas = append(s.deltas, Delta{ReasoningContent: text})
	case CallArguments:
		s.pending.call.Arguments = text
		s.deltas = append(s.deltas, Delta{ToolCalls: []CallDelta{s.pending.call}})
	}
	s.pending = pending{text: s.pending.text[:0]}
}

func (s *Stream) note(format string, args ...any) {
	s.notes = append(s.notes, fmt.Sprintf(format, args...))
}
