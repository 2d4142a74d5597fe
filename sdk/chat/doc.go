// Package chat defines the values that all other packages exchange: what a client sends (Request, Message, Tool, Call), what
// a parser finds in a model's output (Event), what the client receives (Delta, Message), and how the parse went (Report).
//
// A request arrives as the JSON of the OpenAI chat API, with the fields that engines add to it:
//
//	ParseRequest ──→ Request{Messages, Tools, …}        unknown fields are kept, in order, in Extra
//	                 *fault.Error{Path, Message}        "messages[2].content: expected …, found …"
//
// ParseRequest is strict about anything that a template or a grammar would misunderstand later, and tolerant about spelling:
// content may be a string, null or parts; arguments may be JSON text or an object; a tool may be bare or wrapped. A null
// member counts as absent. Invalid UTF-8 and duplicate members are errors.
//
// An answer is sent as deltas. The matcher decides events; a Stream turns them into deltas, which only append, and into the
// final message, whose texts are the joined texts of the deltas:
//
//	Event ──Stream.Add──→ Delta, Delta, … ──Stream.Finish──→ last deltas; then Message, FinishReason
//
// Words that must not be confused: an *event* is a fact about bytes; it may end within a character, and does not depend on
// OpenAI's API. A *delta* is text for a client: whole characters, trimmed, with calls numbered and named. A *call* is what a
// model wrote, a *tool* what a client declared. *Arguments* are JSON text, never a decoded value: the order of members,
// spacing, and the spelling of numbers are preserved.
package chat
