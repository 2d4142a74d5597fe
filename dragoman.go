// Package dragoman learns from a model's chat template how the model writes reasoning, content and tool calls, renders
// prompts, constrains sampling, and turns the model's raw text, as it streams, into messages. It is the face of the library
// for Go programs that run models, such as inference servers, gateways and agents; it needs no daemon, starts no
// goroutines, and reads no files but the model's own.
//
//	Open ──→ Model ─Plan(request)─→ Plan ─Session─→ Session ─Feed(chunk)─→ deltas … ─Finish─→ Result
//	learned once     prompt, constraint,                                            message, finish reason, report
//	                 stops for the engine
//
// A Model is opened once and serves any number of concurrent requests. For each request, Plan returns what the engine
// needs: the prompt, the constraint on sampling, stop strings, tokens to preserve. A Session parses one output of the
// engine: Feed takes the next chunk, cut anywhere, and returns the deltas that it decides, which are never revised; Finish
// returns the message. Plan.Parse parses a whole output at once.
//
// The ids of an engine that returns token ids are fed to a TokenSession, with the Model's Tokenizer: special tokens are then known from
// texts that spell them, the pieces of Append name the ids that they came from, and the report counts tokens. Plan.Retokenized tells
// whether the ids come back when the conversation is rendered with the answer, for those who train on it.
//
// What comparing renderings cannot learn is supplied in Options: workarounds are rules in YAML for single templates, and
// the embedded Workarounds are in force by default; handlers are Go values that know a format, such as those of the shipped
// plugins (gptoss.Handlers), which run in process here. They claim templates by their predicates and priorities, as
// plugins do in the daemon.
//
// The daemon is package host, with the same plans and the same deltas, and adds reloading, limits, plugins in processes of
// their own, and the network. Plugins are written against package sdk. docs/architecture.md shows how the packages lie
// together.
//
// Words that must not be confused: a *Model* is the template and the tokens of a model, not its weights; a *Plan* answers
// one request; a *Session* parses one output, and belongs to one goroutine.
package dragoman

import (
	"embed"

	"github.com/dragoman-project/dragoman/sdk/session"
)

// The types of the library that a Model returns; see package session.
type (
	// Plan is the answer to a request: what an engine needs, and what parses the engine's output.
	Plan = session.Plan
	// Session parses one output.
	Session = session.Session
	// TokenSession parses one output that comes as token ids.
	TokenSession = session.TokenSession
	// SessionOptions are the choices of one session. The zero value works.
	SessionOptions = session.Options
	// Result is a finished output: the message, the finish reason and the report.
	Result = session.Result
)

// Workarounds is the embedded file of rules, in force unless another is given.
//
//go:embed workarounds.yaml
var Workarounds []byte

// WorkaroundsName is the name of that file.
const WorkaroundsName = "workarounds.yaml"

// Templates holds example chat templates, in the folder templates. A daemon without templates of its own serves them.
//
//go:embed templates/*.jinja
var Templates embed.FS
