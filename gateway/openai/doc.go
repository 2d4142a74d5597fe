// Package openai serves OpenAI's API in front of a gateway: chat completions, completions (passed on to engines) and models.
//
//	POST /v1/chat/completions ─Gateway.Plan→ Answer ─Begin→ Output, for each choice ─Next→ pieces ─→ chunks, or one completion
//
// The bytes of chunks are those of package chat. What is wrong with a request is answered in OpenAI's words, with the member's path in
// "param", before the first byte of a stream; a failure after that is an event with an "error", which the clients of OpenAI raise, and
// the stream ends without [DONE].
//
// Two headers are the gateway's own: Dragoman-Overhead-Ms, what it took besides waiting for engines until the first byte, and
// Dragoman-Warnings, what of the request had no effect or is not enforced.
package openai
