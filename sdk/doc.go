// Package sdk is what the author of a plugin writes against.
//
// A plugin teaches the host a format that cannot be learned from a chat template. It is an executable with a manifest beside
// it, and it holds one or more handlers:
//
//	format.yaml   name, version, and which templates it claims: the host matches without starting anything
//	format        func main() { sdk.Serve(myHandler{}) }
//
// The host starts the executable when a request needs it and asks Plan, once per request. The answer is a Plan: messages
// normalised for the template, which constraint is wanted, which tokens and stops matter, and above all a program
// (package peg), which says how the model's output is to be read. The host runs the program over the output as it streams;
// no process is asked per token, and a plugin that dies hurts no output being read. A format that no program can describe
// needs a StreamHandler instead, which gets the output itself.
//
//	request ──Plan──→ plugin ──→ program ──→ host: prompt, constraint, and messages out of raw output
//
// Handlers are values with methods: package conformance tests them in process, and again as a binary. Golden cases
// (package cases) travel with a handler, and the host replays them before a new version goes live.
//
// A plugin has no environment of the host, no standard input, and a directory of its own; options stand in the manifest and
// are read with Options. Write to standard error what people should find in the host's log. When the host is gone, the
// process ends.
//
// Words that must not be confused: a *plugin* is an executable, a *handler* is what answers for a format, and one plugin may
// hold several; a *manifest* says what the host needs to know before it starts a plugin, a *description* is the same said by
// the handler, and the two must agree.
package sdk
