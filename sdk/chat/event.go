package chat

// EventKind says what an Event tells.
type EventKind uint8

// The kinds of events, in the order in which they can occur within a call.
const (
	// ContentText adds Text to the content of the message.
	ContentText EventKind = iota + 1
	// ReasoningText adds Text to its reasoning.
	ReasoningText
	// CallBegin starts the next tool call.
	CallBegin
	// CallID gives the whole id that the model wrote for the open call.
	CallID
	// CallName gives the whole name of the function of the open call.
	CallName
	// CallArguments adds Text, JSON, to the arguments of the open call.
	CallArguments
	// CallEnd ends the open call: its arguments are complete, or the output ended within it.
	CallEnd
)

// Event is a decided fact about a model's output; it is never revised. Events of one call lie between its CallBegin and
// its CallEnd, and calls do not nest. Text is valid only during the call that delivers the event, and may end inside a
// UTF-8 sequence.
type Event struct {
	Kind EventKind
	Text []byte
	// Recovered marks content that the program did not describe: the output broke the format there.
	Recovered bool
}

// Sink receives events in order.
type Sink func(Event)
