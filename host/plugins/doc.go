// Package plugins discovers plugin executables and keeps their processes.
//
// A Manager is told a directory. Each manifest in it (YAML, beside the executable) says which templates the plugin's
// handlers claim, so that matching starts nothing; the process is started when the first plan is asked for:
//
//	Load:   *.yaml ──→ manifest, verified private copy of the executable ──→ one slot for each plugin
//	Match:  facts of a template ──→ handlers that claim it, the highest priority first
//	Plan:   handler ──→ slot ──→ generation (a running process, started if there is none) ──→ answer
//
// A plugin is somebody else's program, so nothing that it does may hurt the host:
//
//   - It gets no environment, no standard input, no socket but one in a private directory, and its own process group. Its
//     memory and its open files are limited; the manifest may give it another user, and take the network from it.
//   - It runs from a private copy, made when nobody has the file open for writing and checked against the manifest's
//     checksum. Replacing the file does not touch the process; a new version must start, describe itself and pass its own
//     golden cases before it takes over, and until then the old one stays.
//   - Every call has a deadline. A process that is stopped, hangs or dies is unpublished first and killed second, with its
//     group; the call is tried once more on a new process. What it prints is logged, line by line, and bounded.
//   - Starts that lead to no answer are retried later and later; after some in a row the plugin stays down until its file
//     changes. One request that kills every process does not bring that about.
//   - When the host ends, however it ends, a pipe closes and the system sends SIGTERM; the plugin ends, too, with what it has
//     started.
//
// Programs run in the host. A process that dies hurts no output being read from one; only a stream handler's output has to
// be sent again, to a new process, and goes on where it was.
//
// Words that must not be confused: a *plugin* is an executable with its manifest, a *handler* is what it serves, and one
// plugin may have several; a *slot* is what the manager knows of one version of a plugin, a *generation* is one process of
// it. A slot that was replaced lets nobody in and goes on, starting processes if need be, until all who are in have left. A
// generation is *serving*, then *draining* (it finishes its calls, and gets no new ones), then *dead*.
package plugins
