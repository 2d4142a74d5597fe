// Package recorder is the flight recorder: it keeps what requests said, what models wrote and how it was read, so that it can be
// seen, explained and replayed later.
//
//	session ─Tape→ queue ─┐                       ┌→ list, show, export
//	session ─Tape→ queue ─┴→ writer ─→ segments ──┴→ replay, explain, suggest
//
// A session appends its pieces to a tape, in memory. At its end the tape goes to a queue, unless nothing chose it; one goroutine
// redacts, encodes and writes. Nothing that a session does waits for the disk: where the memory of tapes, the queue or the disk is
// full, recordings are lost, and counted. The price of a chunk is two copies and a look at the clock.
//
// On disk, a recorder's folder holds segments, files that are only appended to:
//
//	┌────────────────────────────┬───────┬───────┬───────┬─ ─ ─
//	│ dragoman recordings 1 KEY⏎ │ frame │ frame │ frame │ ...
//	└────────────────────────────┴───────┴───────┴───────┴─ ─ ─
//	frame = length (4) · CRC-32C (4) · kind (1) · body, compressed, and sealed if there is a key
//
// A frame is a recording, or what recordings of the segment share: a template, or a program. A recording refers to these by their
// offsets, which are smaller than its own, so that a segment can be read, and deleted, by itself. The id of a recording names its
// segment and its offset. A writer never continues a segment that another began: what a killed daemon left half written is the end
// of a file, and is skipped with a note.
//
// Words that must not be confused: a *tape* is an output while it is being recorded; a *recording* is what was kept of it; a *mark*
// is what is unusual about it; a *segment* is a file with many recordings.
package recorder
