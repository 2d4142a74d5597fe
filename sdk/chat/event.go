package chat

import "strconv"

// EventKind is the kind of an Event.
type EventKind uint8

// The kinds of events, in the order in which they can occur within a call.
const (
	// ContentText adds Text to the content of the message.
	ContentText EventKind = iota + 1
	// ReasoningText adds Text to its reasoning.
	ReasoningText
	// CallBegin starts the next tool call.
	CallBegin
	// CallID is the whole id that the model wrote for the open call.
	CallID
	// CallName is the whole name of the function of the open call.
	CallName
	// CallArguments adds Text to the arguments of the open call, which are JSON.
	CallArguments
	// CallEnd ends the open call: its arguments are complete, unless the event is Open.
	CallEnd
)

// eventNames are the names of the kinds of events, by their numbers.
var eventNames = [...]string{
	ContentText: "content", ReasoningText: "reasoning", CallBegin: "call begin", CallID: "call id", CallName: "call name",
	CallArguments: "call arguments", CallEnd: "call end",
}

// String returns the name of the kind, such as "call name".
func (k EventKind) String() string {
	if int(k) < len(eventNames) && eventNames[k] != "" {
		return eventNames[k]
	}
	return "event kind " + strconv.Itoa(int(k))
}

// Event is a decided fact about a model's output; it is never revised. Events of one call are delivered between its CallBegin
// and its CallEnd, and calls do not nest. Text is valid only during the function call that delivers the event, and may end
// inside a UTF-8 sequence.
type Event struct {
	Kind EventKind
	Text []byte
	// Recovered marks content that does not match the program: the output broke the format there.
	Recovered bool
	// Open marks the end of a call that is not complete: the output ended, or broke the format, within it.
	Open bool
	// From and To delimit the bytes that the event was read from, as offsets into generation prompt + output, To exclusive.
	From, To int
}

// Sink is a function that receives events in order.
type Sink func(Event)
