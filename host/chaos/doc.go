// Package chaos tests that nothing which happens to plugins, rules and templates damages an output that is being parsed.
//
// It contains one test. A host serves hundreds of concurrent sessions while their environment is disturbed every few moments:
// processes of plugins are killed and stopped, executables and manifests replaced, truncated, garbled, removed and put back, and
// rules and templates rewritten, validly and invalidly, in every way in which people and programs write files. The deltas of each
// session are compared, byte by byte, with those of its output in one piece without disturbance:
//
//	generic     planned by the autoparser: no plugin is involved
//	program     planned by a plugin, parsed by the host: the process may die at any time
//	stream      parsed by a plugin: when its process dies, the output is sent to another one again
//
// A request may be refused while its plugin is away, with a code that suggests to try again. A session that has begun must end
// well, whatever happens to its plugin.
//
// The test takes seconds unless -chaos.time is set: `make chaos CHAOS_TIME=10m`. Its last line counts what happened.
//
// Words that must not be confused: a *trouble* is one disturbance; an output is *wrong* if its session delivered something else,
// and *lost* if its session failed.
package chaos
