package chat

import "fmt"

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
	// PromptLength is the length of the generation prompt, which the ranges of events count and those of pieces do not.
	PromptLength int
	// NoMessage keeps nothing of what is delivered: Message returns an empty one. The memory of the stream then does not depend on
	// the length of the answer, except for the ids of its calls.
	NoMessage bool
}

// Stream turns the events of one answer into deltas, and collects them into the final message. The zero value is ready to
// use. A Stream is not safe for concurrent use.
//
//	s.Add(event) …    once for every event; s.Append or s.Deltas then return what is new
//	s.End(FinishStop) once; s.Append or s.Deltas return the last of it; then call Message, FinishReason and Annotate
//
// Append returns pieces, without allocations, and Deltas makes deltas of them. Deltas only append, and the joined deltas do not depend on how the texts of the events were cut. Invalid UTF-8 becomes
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

	pieces    []Piece // from index fresh on, what is new; the last one is being extended
	fresh     int
	begun     int // where the text of the last piece begins in the texts of its kind
	started   bool
	content   prose
	reasoning prose
	arguments []byte     // what was delivered of those of all calls, one after the other
	announced []keptCall // their calls, for the message
	open      draft      // the call that has not ended
	calls     int        // how many were announced
	ids       names      // of those
	written   names      // those of ids that the model wrote
	broken    bool       // a call is incomplete
	seed      string
	tools     names // those of the request
	unknown   names // names of calls that are not among them
	notes     []string
	unclosed  bool // the reasoning is content if there is nothing else
	reason    FinishReason
	last      EventKind // the part of the message of the last event: ContentText, ReasoningText or CallBegin
	to        int       // where the last event ended in the output
}

// Add adds the next event. It is a Sink.
func (s *Stream) Add(e Event) {
	s.start()
	e.From, e.To = max(e.From-s.PromptLength, 0), max(e.To-s.PromptLength, 0)
	s.to = e.To
	switch e.Kind {
	case ContentText:
		s.last = ContentText
		s.addProse(ContentText, &s.content, &e)
	case ReasoningText:
		s.last = ReasoningText
		s.addProse(ReasoningText, &s.reasoning, &e)
	default:
		s.last = CallBegin
		s.addCall(&e)
	}
}

// Append appends the pieces since its last call to dst, and returns the extended slice. Their texts are valid until the next call
// of Add.
func (s *Stream) Append(dst []Piece) []Piece {
	s.Into(dst)
	return s.Taken()
}

// Into appends the pieces since the last call to dst, to which Add then appends more, until Taken returns the extended slice: Append
// for callers that add events in between.
func (s *Stream) Into(dst []Piece) {
	s.fresh = len(dst)
	if len(s.pieces) > 0 {
		dst = append(dst, s.pieces...)
	}
	s.pieces = dst
}

// Taken returns the slice that was given to Into, extended.
func (s *Stream) Taken() []Piece {
	dst := s.pieces
	s.pieces, s.fresh = nil, 0
	if s.NoMessage {
		s.drop()
	}
	return dst
}

// drop drops the texts that were delivered, unless reasoning may still become content.
func (s *Stream) drop() {
	s.content.text, s.arguments = s.content.text[:0], s.arguments[:0]
	if s.Policies.UnclosedReasoning != UnclosedContent || s.content.begun || s.calls > 0 {
		s.reasoning.text = s.reasoning.text[:0]
	}
}

// Deltas returns what Append would append, as deltas.
func (s *Stream) Deltas() []Delta { return Deltas(s.Append(nil)) }

// End ends the answer. The reason is FinishLength if the engine cut the answer off, and FinishStop otherwise.
func (s *Stream) End(reason FinishReason) {
	s.start()
	s.endCall(true)
	s.reason = reason
	if s.broken && s.last == CallBegin {
		s.reason = FinishLength
	}
	cutOff := func(k EventKind) bool { return reason == FinishLength && s.last == k }
	s.endProse(ReasoningText, &s.reasoning, cutOff(ReasoningText))
	if s.unclosed && s.reason == FinishStop && s.last == ReasoningText && s.calls == 0 && !s.content.begun {
		s.note("reasoning that was not closed became content, too")
		s.addProse(ContentText, &s.content, &Event{Text: s.reasoning.text, From: s.to, To: s.to})
	}
	s.endProse(ContentText, &s.content, cutOff(ContentText))
}

// Finish is End, and returns the last deltas.
func (s *Stream) Finish(reason FinishReason) []Delta {
	s.End(reason)
	return s.Deltas()
}

// Unclosed states, before End, that the end marker of the reasoning is missing; see UnclosedReasoningPolicy.
func (s *Stream) Unclosed() { s.unclosed = s.Policies.UnclosedReasoning == UnclosedContent }

// FinishReason returns why the answer ended. It is FinishLength if the engine cut the answer off, or if it ended within a call,
// and FinishToolCalls if there are calls otherwise.
func (s *Stream) FinishReason() FinishReason {
	switch {
	case s.reason == FinishLength:
		return FinishLength
	case s.calls > 0:
		return FinishToolCalls
	}
	return FinishStop
}

// Message returns the answer so far, and after End the whole answer. Its texts are the joined texts of the deltas. Content is null if
// the answer has calls and no text.
func (s *Stream) Message() Message {
	m := Message{Role: RoleAssistant}
	if !s.NoMessage {
		s.fill(&m)
	}
	return m
}

// Annotate adds unknown tools and notes of the stream to a report.
func (s *Stream) Annotate(r *Report) {
	r.UnknownTools = append(r.UnknownTools, s.unknown.list...)
	r.Notes = append(r.Notes, s.notes...)
}

// Verdict returns an error of code OutputRefused if a policy of the request refuses the output that r describes.
func (s *Stream) Verdict(r *Report) error { return s.Policies.verdict(s.unknown.list, r) }

// start sends the role, in the first piece.
func (s *Stream) start() {
	if !s.started {
		s.started = true
		s.pieces = append(s.pieces, Piece{})
	}
}

// addProse adds an event's text to content or reasoning.
func (s *Stream) addProse(kind EventKind, p *prose, e *Event) {
	at, held := len(p.text), p.held()
	if held == 0 || p.from+held != e.From { // what is held does not stand right before
		p.from = e.From
	}
	p.add(e.Text)
	if len(p.text) > at {
		from := p.from
		p.from = max(from, e.To-p.held())
		s.say(kind, 0, p.text, at, from, p.from)
	}
}

// endProse ends content or reasoning.
func (s *Stream) endProse(kind EventKind, p *prose, cutOff bool) {
	at, held := len(p.text), p.held()
	p.end(cutOff)
	s.say(kind, 0, p.text, at, p.from, p.from+held)
}

// say adds what text has from index at on, read from a range of the output, to the last piece if that has the same kind and call, or
// else to a new one. The text of that piece is the end of text.
func (s *Stream) say(kind EventKind, call int, text []byte, at, from, to int) {
	if at == len(text) {
		return
	}
	if n := len(s.pieces) - 1; n >= s.fresh && s.pieces[n].Kind == kind && s.pieces[n].Call == call {
		s.pieces[n].To, s.pieces[n].Text = to, text[s.begun:]
		return
	}
	s.begun = at
	p := s.piece()
	p.Kind, p.Call, p.ID, p.Name, p.Text, p.From, p.To = kind, call, "", "", text[at:], from, to
}

// piece adds a piece, for the caller to fill in.
func (s *Stream) piece() *Piece {
	n := len(s.pieces)
	if n < cap(s.pieces) {
		s.pieces = s.pieces[:n+1]
	} else {
		s.pieces = append(s.pieces, Piece{})
	}
	return &s.pieces[n]
}

// sayArgument adds a text to the arguments of an announced call.
func (s *Stream) sayArgument(call, from int, text []byte) {
	at := len(s.arguments)
	s.arguments = append(s.arguments, text...)
	s.say(CallArguments, call, s.arguments, at, from, s.to)
}

// begin begins a new piece of a call, without a text.
func (s *Stream) begin(p Piece) {
	p.Kind, p.To = CallArguments, s.to
	s.pieces = append(s.pieces, p)
	s.begun = len(s.arguments)
}

func (s *Stream) note(format string, args ...any) {
	s.notes = append(s.notes, fmt.Sprintf(format, args...))
}
