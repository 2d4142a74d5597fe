// Package session turns a handler's answer to a request into a plan, and a model's output into a message. It is the only
// run loop: the daemon, the conformance suite, the autoparser's self-check and programs that embed the library all use it.
//
//	handler.Plan ─rendered→ Draft ─New→ Plan ─Session→ Session ─Feed→ deltas … ─Finish→ Result
//	               (autoparser)    constraint           │
//	                               code                 └ program: match.Machine → events → chat.Stream → deltas
//	                                                      stream:  the handler    → events → chat.Stream → deltas
//
// A handler answers with a program and says how sampling is to be constrained. The autoparser renders the prompt that
// belongs to the answer, which gives a Draft. New builds the constraint, compiles the program and returns the Plan: what
// an engine needs, and what any number of sessions are started from, concurrently. A Session parses one output and is used
// by one goroutine at a time. Parsing an output at once and parsing it in chunks are the same thing: Plan.Parse is a session
// fed once.
//
// What a chunk decides comes in two forms. Session.Append appends pieces to the caller's slice and allocates nothing per chunk; it is
// for servers, which write pieces on as chunks of JSON (chat.ChunkEncoder). Session.Feed returns the same as deltas, for callers
// that keep them. A session keeps the message and the spans for its Result, in about the size of the output. With Options.NoMessage
// and Options.NoSpans it keeps neither, and its memory does not depend on how much it has read, except for the ids of calls.
//
// A Plan is also plain data. Its JSON is what `render --json` and `check` print, and the Go client returns one for each
// plan of a daemon; such a plan has no program and starts no sessions.
//
// The package reads no files and starts no goroutines. Limits and observers are the host's.
//
// Words that must not be confused: a *handler.Plan* is what a handler answers; a *Draft* is that answer with its prompt; a
// *Plan* is ready to be used. A request is *refused* where it insists on an answer that its plan cannot enforce; sampling
// is *free* where nothing constrains it.
package session
