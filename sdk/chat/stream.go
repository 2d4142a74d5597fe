package chat

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base32"
	"fmt"
	"slices"
	"strings"
)

// StreamOptions are the choices of a Stream.
type StreamOptions struct {
	// Tools are those of the request. A call of another one is delivered all the same, and the report names it.
	Tools []Tool
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
// become U+FFFD. Content and reasoning lose the blanks at their edges, so blanks wait until text follows; an answer whose
// reasoning is blank has none. A call is announced with index, id and name when its name is known.
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
}

// draft is the open call.
type draft struct {
	id        string
	index     int // in calls, once announced
	announced bool
	arguments strings.Builder
	repair    repair
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
		s.announce(strings.TrimSpace(whole(e.Text)))
	case CallArguments:
		s.sayArguments(s.call().repair.add(e.Text))
	case CallEnd:
		s.endCall()
	}
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
	s.say(ReasoningText, 0, s.reasoning.end())
	s.say(ContentText, 0, s.content.end())
	s.reason = reason
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

// call is the open call.
func (s *Stream) call() *draft {
	if s.open == nil {
		s.open = new(draft)
	}
	return s.open
}

// nameID takes the id that the model wrote. After the announcement it can only fill a gap.
func (s *Stream) nameID(id string) {
	d := s.call()
	switch {
	case !d.announced:
		d.id = id
	case s.calls[d.index].ID == "":
		s.calls[d.index].ID = id
		s.begin(CallArguments, CallDelta{Index: d.index, ID: id})
	default:
		s.note("call %d keeps the id it was announced with: the model's own, %q, came after its name", d.index, id)
	}
}

// announce tells the client of the open call, and of the arguments that came before its name.
func (s *Stream) announce(name string) {
	d := s.call()
	if d.announced {
		s.note("call %d keeps the name it was announced with: the model named it %q as well", d.index, name)
		return
	}
	d.announced, d.index = true, len(s.calls)
	call := Call{ID: s.idFor(d), Name: name}
	s.calls = append(s.calls, call)
	s.begin(CallArguments, CallDelta{Index: d.index, ID: call.ID, Name: name})
	s.say(CallArguments, d.index, d.arguments.String())
	known := slices.ContainsFunc(s.Tools, func(t Tool) bool { return t.Name == name })
	if !known && !slices.Contains(s.unknown, name) {
		s.unknown = append(s.unknown, name)
	}
}

func (s *Stream) sayArguments(text []byte) {
	d := s.call()
	d.arguments.Write(text)
	if d.announced {
		s.say(CallArguments, d.index, string(text))
	}
}

// endCall closes the open call, if there is one.
func (s *Stream) endCall() {
	d := s.open
	if d == nil {
		return
	}
	s.sayArguments(d.repair.end())
	if d.announced {
		s.calls[d.index].Arguments = d.arguments.String()
	} else {
		s.note("a call without a name was dropped: the output ended, or broke the format, before it")
	}
	s.open = nil
}

// idFor is the model's own id where it is of use, else a new one.
func (s *Stream) idFor(d *draft) string {
	if s.NoIDs {
		return d.id
	}
	id := d.id
	for attempt := 0; id == "" || s.taken(id); attempt++ {
		id = s.newID(d.index, attempt)
	}
	return id
}

func (s *Stream) taken(id string) bool {
	return slices.ContainsFunc(s.calls, func(c Call) bool { return c.ID == id })
}

// newID makes an id of 24 characters after "call_".
func (s *Stream) newID(index, attempt int) string {
	if s.seed == "" {
		s.seed = s.IDSeed
	}
	if s.seed == "" {
		s.seed = rand.Text()
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%s/%d/%d", s.seed, index, attempt))
	return "call_" + strings.ToLower(base32.StdEncoding.EncodeToString(sum[:15]))
}

func (s *Stream) note(format string, args ...any) {
	s.notes = append(s.notes, fmt.Sprintf(format, args...))
}
