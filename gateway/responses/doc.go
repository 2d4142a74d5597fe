// Package responses serves OpenAI's responses in front of a gateway.
//
//	POST /v1/responses ─request.Read→ chat request ─Gateway.Plan→ Answer ─Begin→ Output ─Next→ pieces ─items→ events, or one response
//	GET, DELETE /v1/responses/ID, GET /v1/responses/ID/input_items: what a store keeps, if there is one
//
// A response has items in the order in which the model wrote them: reasoning, messages, calls. One function makes them from pieces,
// streamed or not, so that the items of the events are those of the response.
//
// Reasoning is delivered as text, and sealed if the client asks for it; either form goes back to where the template wants it. What is
// wrong with a request is answered before the first byte; a failure after that ends the stream with response.failed.
//
// Words that must not be confused: a *response* is the object of this API, an *answer* what the gateway plans; an *item* is a part of a
// response or of its input, an *output* what an engine writes.
package responses
