// Package conformance is the suite that every handler must pass.
//
// A plugin's main test is one call, in process and over its binary:
//
//	func TestConformance(t *testing.T) { conformance.Run(t, myHandler{}, conformance.Options{}) }
//	func TestBinary(t *testing.T)      { conformance.RunBinary(t, "bin/plugins/my", conformance.Options{}) }
//
// Check and CheckBinary are the same outside of tests: they return a Report with one Result for each demand, which WriteText
// and WriteJUnit print. The demands are the rows of one table; each looks at the handler's answers to many requests: those of
// its golden cases, and some of the suite's own. Requests are planned, and outputs parsed, with package session, as hosts do.
//
//	description   the handler describes itself, always in the same way
//	predicate     its predicate compiles
//	plans         the same request gives the same plan
//	programs      every program is valid, and its constraint can be built
//	cases         its golden cases hold, however the output is cut
//	grammar       its constraint accepts the outputs of its golden cases
//	drawn         outputs that its constraint accepts are parsed, whole or cut off
//	written       generated messages are accepted and parsed back, and wrong calls rejected (if Options.Write is set)
//	garbage       broken outputs are parsed to their end, every byte once, however they are cut
//	held          long prose is delivered as it arrives, not held back
//	sessions      a thousand concurrent requests are answered like one alone, and abandoned ones affect no other
//	cancel        an abandoned output is released (binaries only)
//	resumption    when its process is killed within an output, another one delivers the same again (binaries only)
//
// Replay runs golden cases alone; the host does so before it puts a new version of a plugin in force.
//
// A case is run without rendering its template: it contains what the template writes at the end of the prompt, as
// reference.generation_prompt.
//
// Words that must not be confused: a *demand* is a property of the handler, a *case* is an example of its format; a handler
// *declines* requests that are not for it, which no demand forbids unless a golden case contains such a request.
package conformance
