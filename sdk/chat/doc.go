// Package chat is the vocabulary that everything else shares: what a client asks (Request, Message, Tool, Call), what a
// model's output says (Event), what the client is told (Delta, Message), and what happened on the way (Report).
//
// A request comes in as the JSON of the OpenAI chat API, with the fields that engines add to it:
//
//	ParseRequest ──→ Request{Messages, Tools, …}        unknown fields stay, in order, in Extra
//	                 *fault.Error{Path, Message}        "messages[2].content: expected …, found …"
//
// Reading is strict about what would otherwise be misunderstood later, in a template or in a grammar, and tolerant about
// spelling: content may be a text, null or parts; arguments a JSON text or an object; a tool bare or wrapped. A null
// member counts as absent. Text that is not UTF-8 and objects that name a member twice are refused.
//
// An answer goes out as deltas. The matcher decides events; a Stream turns them into deltas that only ever append, and
// into the final message, whose texts are those of the deltas joined:
//
//	Event ──Stream.Add──→ Delta, Delta, … ──Stream.Finish──→ last deltas; then Message, FinishReason
//
// Words that must not be confused: an *event* is a fact about bytes, it may end within a character and knows nothing of
// OpenAI; a *delta* is text for a client, whole characters, blanks at the edges gone, calls numbered and named. A *call* is
// what a model wrote, a *tool* what a client declared. *Arguments* are JSON text, never a decoded value: order, spacing
// and spelling of numbers are kept.
package chat
