package chat

import (
	"fmt"
	"slices"
	"strings"
)

// StreamOptions are the choices of a Stream.
type StreamOptions struct {
	// Tools are those of the request. The report names calls of others; Policies say what becomes of them.
	Tools []Tool
	// Policies are those of the request.
	Policies Policies
	// IDSeed makes the ids of calls to which the model gave none; it must differ between answers. Empty means a random one.
	IDSeed string
	// NoIDs leaves empty the ids that the model did not write, instead of making some.
	NoIDs bool
}

// Stream turns the events of one answer into deltas, and adds them up to the final message. The zero value is ready for
// use; it is not for concurrent use.
//
//	s.Add(event) …          once for every event; then s.Deltas() is what is new
//	s.Finish(FinishStop)    the last deltas; then Message, FinishReason and Annotate
//
// Deltas only append, and how the events' texts were cut leaves no trace in the joined deltas. Bytes that are not UTF-8
// become U+FFFD.
//
// Templates put white space between the parts of a message, and it is not the model's: content and reasoning lose the
// blank lines before their first text, whose indentation stays, and the blanks after their last, which therefore wait
// until text follows. An answer that the engine cut off keeps those, for somebody may continue it there. Content or
// reasoning that is blank is none.
//
// A call is announced with index, id and name at its first argument, for some formats write the id behind the name; a call
// without arguments at its end. Where a policy may take it out of the message, it waits for its end as a whole. Then a call
// that is to be content becomes a line of JSON, {"name": …, "arguments": …}, broken off where its arguments are: what the
// model wrote, without the markers of the format.
type Stream struct {
	StreamOptions

	deltas    []Delta
	pending   pending
	started   bool
	content   prose
	reasoning prose
	calls     []Call // those announced
	open      *draft // the call whose end has not come
	seed      string
	unknown   []string
	notes     []string
	reason    FinishReason
	last      EventKind // what the answer was at when the last event came: ContentText, ReasoningText or CallBegin
}

// pending is the delta that grows: texts of the same place come out as one.
type pending struct {
	kind EventKind // ContentText, ReasoningText or CallArguments; 0 if there is none
	call CallDelta // for CallArguments, but for the text
	text []byte
}

// Add takes the next event. It is a Sink.
func (s *Stream) Add(e Event) {
	s.start()
	s.last = region(e.Kind)
	switch e.Kind {
	case ContentText:
		s.say(ContentText, 0, s.content.add(e.Text))
	case ReasoningText:
		s.say(ReasoningText, 0, s.reasoning.add(e.Text))
	case CallBegin:
		s.endCall()
		s.open = new(draft)
	case CallID:
		s.nameID(strings.TrimSpace(whole(e.Text)))
	case CallName:
		s.nameCall(strings.TrimSpace(whole(e.Text)))
	case CallArguments:
		s.sayArguments(s.call().repair.add(e.Text))
	case CallEnd:
		s.endCall()
	}
}

// region is the part of the message that an event belongs to.
func region(k EventKind) EventKind {
	if k == ContentText || k == ReasoningText {
		return k
	}
	return CallBegin
}

// Deltas returns what is new since it was last called.
func (s *Stream) Deltas() []Delta {
	s.flush()
	deltas := s.deltas
	s.deltas = nil
	return deltas
}

// Finish ends the answer and returns the last deltas. The reason is the engine's: FinishLength if it cut the answer off,
// else FinishStop.
func (s *Stream) Finish(reason FinishReason) []Delta {
	s.start()
	s.endCall()
	s.reason = reason
	cutOff := func(k EventKind) bool { return reason == FinishLength && s.last == k }
	s.say(ReasoningText, 0, s.reasoning.end(cutOff(ReasoningText)))
	s.say(ContentText, 0, s.content.end(cutOff(ContentText)))
	return s.Deltas()
}

// FinishReason is why the answer ended. It agrees with the calls, whatever the engine said.
func (s *Stream) FinishReason() FinishReason {
	switch {
	case len(s.calls) > 0:
		return FinishToolCalls
	case s.reason == FinishLength:
		return FinishLength
	}
	return FinishStop
}

// Message is the answer so far, and the whole of it after Finish. Its texts are those of the deltas joined. Content is
// null if the answer has calls and no text.
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

// Annotate adds to a report what the stream noticed.
func (s *Stream) Annotate(r *Report) {
	r.UnknownTools = append(r.UnknownTools, s.unknown...)
	r.Notes = append(r.Notes, s.notes...)
}

// Verdict returns an error of code OutputRefused if a policy of the request makes one of the output that r reports on.
func (s *Stream) Verdict(r *Report) error { return s.Policies.verdict(s.unknown, r) }

// start says whose message this is.
func (s *Stream) start() {
	if !s.started {
		s.started = true
		s.deltas = append(s.deltas, Delta{Role: RoleAssistant})
	}
}

// say adds text to the growing delta if that is of the same place, else to a new one.
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

// flush completes the growing delta.
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
