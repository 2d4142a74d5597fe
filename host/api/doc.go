// Package api is the daemon's surface: the services of dragoman.v1 over HTTP.
//
// Each method is written once, as a function from a protobuf message to another, over package host. What a client speaks is
// settled below it:
//
//	gRPC, gRPC-Web, Connect ─┐
//	plain JSON, curl ────────┤→ observe → guard → connect → service → host
//	lines of JSON ───────────┘                  └ lines ──┘
//
// There are two middlewares. observe tells what became of each request: a line in the log, a count (package metrics), a span
// (package tracing); what they tell is gathered in the request's record. guard asks for a bearer token, turns away what is too
// much, at once or for one token, ends requests that take too long, counts the bytes of a request, and gives each read and
// write of a stream a deadline, so that no client can hold more than its share for ever. The limits are those in force when a
// request begins; it keeps them to its end, as it keeps its snapshot. Tokens and the certificate come from files, too
// (Secrets), which the host watches like its own.
//
// Streams are parsed by exchange, which knows receive and send only: one implementation is connect's bidirectional stream,
// the other reads and writes lines of JSON (POST /v1/parse/stream), for those without gRPC. Outputs that share a stream
// (streams.go) have a queue each, and a record of their own. In JSON a Json message stands for itself (jsonCodec), so that an
// OpenAI request is embedded as it is.
//
// Whatever cannot be done is answered with one Error: code, place, message, remedy. The table of codes says how each is spelled
// in gRPC and in HTTP. The output of a model is never a reason for one; the only exception is its size.
//
// Beside the services there are /healthz (the process runs), /readyz (it takes requests), /metrics, gRPC's health checks and
// gRPC reflection; profiles are on a listener of their own (Debug).
//
// Words that must not be confused: a *request* of this API is a protobuf message, and has in it the *chat request*, OpenAI's
// JSON; a *chunk* that comes in is a piece of an output, one that goes out is a chat.completion.chunk.
package api
