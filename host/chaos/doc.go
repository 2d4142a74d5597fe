// Package chaos proves that nothing which becomes of plugins, rules and templates hurts an output being read.
//
// It holds one test. A host serves hundreds of sessions at once while something spoils the world around them every few
// moments: processes of plugins are killed and stopped, executables and manifests replaced, cut off, garbled, removed and put back,
// rules and templates rewritten, well and badly, in every style in which people and machines write files. What each session
// delivers is compared, byte by byte, with what its output gave in one piece when all was quiet:
//
//	generic     what the autoparser learned: no plugin is needed
//	program     a plugin planned it, the host reads it: its process may die at any time
//	stream      a plugin reads it: when its process dies, the output is sent again to another one
//
// A request may be refused while its plugin is away, with a code that says to try again. A session that has begun must end
// well, whatever its plugin goes through.
//
// The test takes seconds unless -chaos.time says otherwise: `make chaos CHAOS_TIME=10m`. Its last line counts what happened.
//
// Words that must not be confused: a *trouble* is one thing that the test does to the world; an output is *wrong* when its
// session delivered other than it should, and *lost* when its session failed.
package chaos
