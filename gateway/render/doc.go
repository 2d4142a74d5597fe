// Package render serves, in the words of vLLM's API, what an engine does around its tokens: it renders requests to token ids, and
// turns the ids that an engine generates into answers. What calls vLLM's own services for this can call these.
//
//	request ─/v1/…/render→ generate request ─/inference/v1/generate→ ids ─/v1/…/derender→ answer
//
// Prompts come from the daemon's templates, ids from the models' own tokenizers, and answers from the parser of the request's plan, as
// everywhere in this project. A stream is parsed once, as it comes: the state that a client echoes names a session in this process,
// so that a chunk costs what is in it, however long the answer is.
//
// Words that must not be confused: a *generate request* is what an engine gets, ids and sampling parameters; a *generate response* or
// *chunk* is what comes back; to *derender* is to turn that into the answer of a chat or a completion.
package render
