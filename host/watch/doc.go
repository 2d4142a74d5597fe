// Package watch delivers the contents of files that other programs write, once they have finished writing.
//
// A Watcher watches paths and directories. It calls Options.Handle with the content of each file when it is first seen,
// and again whenever a finished content differs from the one before. Every way of writing works: an editor's rename
// over the old file, cp's truncating and writing, writing in pieces with pauses, and the swap of a symbolic link by
// which Kubernetes publishes a ConfigMap. Files may appear later, disappear, and come back with their directory.
//
// It watches directories, never files: a watch on a file follows the inode and misses everything after a rename. The directories
// are those that contain the end of a path and every symbolic link on the way. An event only means "look again"; the truth is
// read from the file:
//
//	events ─debounce→ pass: follow the directories, look at every file ─changes→ Handle
//	                         ↑ again while something is unsettled; every Poll in any case
//
// A look opens a file once, and accepts what it read if
//
//   - no process has the file open for writing, which a read lease proves (and writers wait while it is held), or, if the
//     system grants no lease, the file has been quiet for a while, or it replaced another one atomically, and
//   - its size, its time and its name were the same before and after.
//
// Bad news (the file is gone, empty, or cannot be read) is delivered only after it has lasted for a while, because many writers
// pass through such a state. An empty file is never a content: a rule set that was lost by mistake must not go live. Nor do
// files vanish with their directory: a mount may be late, or be coming back.
//
// Handle runs on the watcher's own goroutine, one call at a time, so changes arrive in order and Trigger can wait for them.
//
// Words that must not be confused: a file is *settled* when its writer has finished, *quiet* when it has not changed for
// a while, and *clean* when it was read while quiet, so that an unchanged stamp proves an unchanged content.
package watch
