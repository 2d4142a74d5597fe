// Package sdk is what plugins are written against.
//
// A plugin teaches the host a format that cannot be learned from a chat template. It is an executable with a manifest beside
// it, and it contains one or more handlers:
//
//	format.yaml   name, version, and which templates it claims: the host matches without starting anything
//	format        func main() { sdk.Serve(myHandler{}) }
//
// The host starts the executable when a request needs it and asks Plan, once per request. The answer is a Plan: messages
// normalised for the template, the kind of constraint, preserved tokens and stops, and above all a program (package peg), which
// describes how to parse the model's output. The host runs the program over the output as it streams: there is no call per
// token, and a plugin that dies does not affect outputs being parsed. A format that no program can describe needs a
// StreamHandler instead, which receives the output itself.
//
//	request ──Plan──→ plugin ──→ program ──→ host: prompt, constraint, and messages out of raw output
//
// Handlers are values with methods: package conformance tests them in process, and again as a binary. Golden cases
// (package cases) are part of a handler, and the host replays them before a new version goes live.
//
// A plugin inherits neither the host's environment nor its standard input, and has a directory of its own; options are set in
// the manifest and read with Options. What a plugin writes to standard error appears in the host's log. The process ends when
// the host does.
//
// Words that must not be confused: a *plugin* is an executable, a *handler* serves one format, and a plugin may contain several;
// a *manifest* tells the host what it needs to know before it starts a plugin, a *description* is the same information from the
// handler, and the two must agree.
package sdk
