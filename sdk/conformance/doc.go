// Package conformance is the suite that every handler must pass.
//
// A plugin's main test is one call, in process and over its binary:
//
//	func TestConformance(t *testing.T) { conformance.Run(t, myHandler{}, conformance.Options{}) }
//	func TestBinary(t *testing.T)      { conformance.RunBinary(t, "bin/plugins/my", conformance.Options{}) }
//
// Check and CheckBinary are the same for programs that are no tests: they return a Report with one Result for each demand,
// which WriteText and WriteJUnit print. The demands are
// rows of one table; each is shown what the handler answered to many requests: those of its golden cases, and some of the
// suite's own.
//
//	description   the handler says who it is, always the same
//	predicate     what it claims is a predicate that compiles
//	plans         the same request gives the same plan
//	programs      every program is valid, and its constraint can be built
//	cases         its golden cases hold, however the output is cut
//	grammar       its constraint lets the outputs of its golden cases through
//	drawn         what its constraint lets through is read, whole or cut off
//	written       made-up messages are let through and read back, and wrong calls refused (where Options.Write writes them)
//	garbage       broken outputs are read to their end, every byte once, however they are cut
//	held          long prose is told while it comes, not kept back
//	sessions      a thousand requests at once are answered like one alone, and those given up hurt no other
//	cancel        an output that is given up is forgotten (binaries only)
//	resumption    when its process is killed within an output, another one tells the same again (binaries only)
//
// Replay runs golden cases alone; the host does so before it puts a new version of a plugin in force.
//
// A case is run without rendering its template: what the template writes at the end of the prompt stands in the case, as
// reference.generation_prompt.
//
// Words that must not be confused: a *demand* is on the handler, a *case* is an example of its format; a handler *declines*
// requests that are not for it, which no demand forbids unless a golden case shows such a request.
package conformance
