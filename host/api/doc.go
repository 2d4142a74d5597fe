// Package api serves the daemon's API: the services of dragoman.v1 over HTTP.
//
// Each method is written once, as a function from one protobuf message to another that calls package host. The protocols are
// handled below it:
//
//	gRPC, gRPC-Web, Connect ─┐
//	plain JSON, curl ────────┤→ observe → guard → connect → service → host
//	lines of JSON ───────────┘                  └ lines ──┘
//
// There are two middlewares. observe reports each request as a line in the log, a count (package metrics) and a span (package
// tracing), from what the request's record collects. guard checks the bearer token and its role, limits the number of requests at once and per
// token, the time a request takes, the size of its body, and the time of each read and write of a stream (watchdog), so that no
// client holds more than its share for ever. A request keeps the limits, like the snapshot, that are in force when it begins.
// Tokens and the certificate may come from files (Secrets), which the host watches like its own.
//
// Streams are parsed by exchange, which only receives and sends: one implementation is connect's bidirectional stream, the other
// reads and writes lines of JSON (POST /v1/parse/stream), for clients without gRPC. Outputs that share a stream (streams.go) have
// a queue and a record each. In JSON a Json message is written as the value it contains (jsonCodec), so that an OpenAI request is
// embedded unchanged.
//
// Every failure is answered with an Error (package fault): code, place, message, remedy. The output of a model is never a reason
// for one, unless it is too large or a policy of the request refuses it.
//
// Beside the services there are /healthz (the process runs), /readyz (it accepts requests), /metrics, gRPC's health checks and
// gRPC reflection; profiles are on a separate listener (Debug).
//
// Other packages add paths of plain HTTP in the words of other APIs (Endpoint); they pass the same middlewares.
//
// Words that must not be confused: a *request* of this API is a protobuf message, and contains a *chat request*, OpenAI's
// JSON; a *chunk* that comes in is a piece of an output, one that goes out is a chat.completion.chunk.
package api
