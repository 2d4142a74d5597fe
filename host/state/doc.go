// Package state holds what is in force, and replaces it when files change.
//
// A Snapshot is one immutable set of configuration, rules and templates. A request loads the pointer to it once and works on
// that one to its end. A change is built completely, by the same code at the start and at every reload, and then swapped in
// with one pointer; what is faulty is never swapped in, and the last good state stays.
//
//	files ─watch→ settled content ─parse, validate→ next snapshot ─Options.Try→ ─swap→ in force ─→ history
//	                                    └ faulty: status and log give the reason, nothing changes
//
// Each source is applied by itself, so that a fault in one does not hold up another. The snapshots that were in force last
// are remembered; a rollback puts the contents of one in force again, and holds for each source until that source changes.
// What is in force, and what was refused or rolled back, is saved in a state folder, from which a restart goes on.
// Plugins are files, too, but processes decide whether they can be used: they are loaded through Options.Plugins, and then
// recorded in a snapshot.
//
// Words that must not be confused: a *template* is Jinja source; an *entry* is a template in a snapshot, with what was learned
// of it under that snapshot's rules; a *source* is a file or folder that is watched, or a model that is read at a reload; a
// *layer* holds the templates of one origin.
package state
