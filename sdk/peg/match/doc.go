// Package match runs parser programs over text that arrives in chunks.
//
// # The model
//
// A peg.Program is compiled to code for a small machine in the manner of LPeg: one instruction pointer, one position in
// the input, one explicit stack. A choice pushes a frame that says where to continue if its first alternative fails; a rule
// pushes a return address. None of the state lives on Go's stack, so the machine can stop between any two bytes and
// continue when more arrive. Parsing a whole output is feeding the same machine once.
//
//	Program ── Compile ──> Code ── New ──> Machine ── Feed, Finish ──> events, Report
//	           once per program, shared     one per output
//
// A PEG may fall back arbitrarily far, and then what it had understood until there no longer counts. A stream cannot take
// anything back. So the question of this package is: when is something certain? A choice frame is *live* while the machine
// could still fall back to it. Under a live frame everything is provisional: it waits in a queue, and falling back cuts the
// queue. Without a live frame it is certain and is delivered at once.
//
// # The law of commitment
//
// Waiting for every live frame to be popped would be correct, and useless: the text of an answer lies within a repetition
// whose frame lives to the end. So some things *commit*: they kill all live frames, and what waited is delivered.
//
//  1. Speech commits. When a byte of a speaking role (content, reasoning, arguments, values) that is not white space is
//     consumed, it is delivered, and there is no way back. Text is why people stream; it must not wait.
//  2. Complete names commit. The name of a call or of an argument is delivered whole, when the outermost atomic region
//     around it closes, and so is speech within an atomic region: a header that is complete is what it seems to be.
//  3. Markers do not commit, nor do ids, white space and text without a role. Alternatives often share the beginning of
//     their markup, and it does no harm if it waits a little.
//  4. A repetition is reborn. At the end of an iteration its own frame starts anew from there, live even if it was dead:
//     whether another iteration follows is a new question. Older frames stay dead.
//  5. Lookaheads are mute. What they read is neither delivered nor does it commit.
//  6. The end cuts off, it does not refute. At the end of the input the beginning of a delimiter is text. An instruction
//     that lacks bytes falls back only to a frame with nothing consumed since; otherwise the output was truncated, and
//     what the current alternative has read counts as far as it goes. An atomic region that is not complete is not
//     delivered; a region that only the end has closed stays open. So does a call, with what is open in it, where the end is
//     reached by omitting a marker, or where the engine stopped for length before the call was complete: there nothing falls
//     back, and the beginning of a delimiter is not text. The brackets of objects and arrays wait for what follows them.
//  7. Output that breaks the format is content. When the machine fails and no frame is live, a recovery delivers what is
//     undecided as content, up to where a trigger rule or a call of the program matches; there the program continues. One
//     bad call must not swallow the next good one. The generation prompt is never delivered.
//  8. Limits count only what chunks cannot change (limits.go). White space beyond 256 bytes, and anything that waits
//     longer than 64 KiB, speaks for itself, so that what is held is bounded. A program that searches too much has lost:
//     the rest is content.
//
// What commits depends on the program and the input alone. The borders between chunks play no part: an instruction that
// could go either way with the bytes at hand waits for the next.
//
// Commitments make a PEG a little less than a PEG: an alternative is dropped that might have matched in the end. Package
// sound proves of a program that this cannot happen, or shows a text on which it does. On programs without findings the
// machine understands what a parser that sees the whole text would understand.
//
// # What is held
//
// At the end of a chunk the machine keeps the bytes that it may need again: what an open atomic region or lookahead has
// read, markers and white space since the oldest live frame, and what could still become a delimiter. Everything else
// runs on the caller's bytes without being copied. Time per chunk does not depend on what came before.
//
// Spans are packed once they are decided (spans.go), two or three bytes each, or dropped (Machine.DropSpans). For people who
// look into an output the machine says where it is (Machine.Place) and, if asked before the first byte, which node has read what
// (Machine.KeepClaims).
//
// # What is saved
//
// Most alternatives begin with a text and fail there. Where the bytes at hand show that, or that an alternative is no more than a
// text, the machine does at once what running the code would do, and pushes no frame (ahead.go). It counts the same instructions,
// so that neither limits nor reports depend on which way was taken.
//
// # Special tokens
//
// An engine can report which bytes came from special tokens (Machine.FeedSpecial). A literal or delimiter that contains the
// text of a special token (Options.Specials) then matches only there, so that a model may write about its own markup.
//
// # Where things are
//
// The packages below sdk/peg/internal hold what the machine is built from, each usable without the next: scan recognises
// literals, delimiters, classes and values in chunks; code compiles programs to instructions; emit turns what is decided
// into events, and writes the arguments of calls as JSON. This package runs the instructions.
//
// Words that must not be confused: a *frame* is where to fall back to, live or dead; *held* are bytes, *waiting* are events
// to deliver; an atomic *region* belongs to the program, a region of a span to the report; to *fail* is to go back to a
// frame, a *fault* is what is left when there is none; a program *ends*, an output is *truncated*.
package match
