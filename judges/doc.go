// Package judges has tests in which foreign engines judge constraints: real llama.cpp and real xgrammar sample random tokens
// under the constraints of real requests, for every template, and each complete sample must be read as what was asked for:
//
//	request ─plan→ constraint ─engine→ sample ─parse→ message ─ajv→ valid against the schemas
//
// A complete sample that is not read to its end, lacks a marker, has no call where one is required, or whose arguments do not
// follow the schema of their tool shows that the grammar and the parser are not one program, unless the plan notes what is not
// enforced.
//
// The gateway is judged as a whole, too: server.mjs speaks llama-server's wire in front of real llama.cpp.
//
// Hugging Face's library for tokenizers, with the vocabularies of six models, judges the ids that package tokenizer gives, and
// llama.cpp judges those that it gives with the same vocabularies in GGUF files.
//
// The engines come from npm, at the versions of package-lock.json; `make judge` installs them and runs everything. Without the
// flag -judges.folder, which names the folder where they are installed, the tests are skipped.
//
// Words that must not be confused: a *judge* is a foreign program; a *job* is what it is given: a constraint, a vocabulary, and
// how often to sample; a *sample* is an output that it allows.
package judges
