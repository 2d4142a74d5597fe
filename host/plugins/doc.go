// Package plugins discovers plugin executables and keeps their processes.
//
// A Manager loads a directory. Each manifest in it (YAML, beside the executable) states which templates the plugin's handlers
// claim, so that matching starts nothing; the process is started when the first plan is requested:
//
//	Load:   *.yaml ──→ manifest, verified private copy of the executable ──→ one slot for each plugin
//	Match:  facts of a template ──→ handlers that claim it, the highest priority first
//	Plan:   handler ──→ slot ──→ generation (a running process, started if there is none) ──→ answer
//
// A plugin is a foreign program, so nothing that it does may hurt the host:
//
//   - It gets no environment, no standard input, no socket but one in a private directory, and its own process group. Its
//     memory and its open files are limited; the manifest may run it as another user, and without network.
//   - It runs from a private copy, which is made when no process has the file open for writing, and verified against the
//     manifest's checksum. Replacing the file does not touch the process; a new version must start, describe itself and pass
//     its own golden cases before it takes over, and until then the old one stays.
//   - Every call has a deadline. A process that is stopped, hangs or dies is first unpublished and then killed, with its
//     group; the call is tried once more on a new process. What it prints is logged, line by line, and bounded.
//   - Failed starts are retried with growing delays; after several in a row the plugin stays down until its file changes. A
//     single request that kills every process does not take the plugin down.
//   - When the host ends, in whatever way, a pipe closes and the system sends SIGTERM; the plugin ends, too, with everything
//     that it has started.
//
// Programs run in the host, so a process that dies hurts no output being parsed by one. Only the output of a stream handler
// has to be sent again, to a new process, which resumes where the old one was.
//
// The packages below this one do one thing each: manifest reads manifests, rundir keeps copies of executables, process runs
// one process, replay suppresses what was delivered before.
//
// Words that must not be confused: a *plugin* is an executable with its manifest, a *handler* is what it serves, and one
// plugin may have several; a *slot* is one version of a plugin, a *generation* is one process of it. A slot that was replaced
// accepts no new calls, but continues, starting processes if need be, until those under way have ended. A generation is
// *serving*, then *draining* (it finishes its calls, and gets no new ones), then *dead*.
package plugins
