// Package trial compares what is in force with what would be.
//
//	recorded cases, kept outputs ─→ under the snapshot in force ┐
//	                             └→ under the one to come       ┴─compare→ regressions, changes
//
// A trial (Trials.Try, Trials.TryPlugin) decides whether a change goes live: it runs the recorded cases and the kept outputs of
// the templates that the change touches, within the time of canary.time. What becomes worse is a regression; in mode "enforce"
// a regression keeps what is in force. A diff (Trials.DiffRules, Trials.TryRules) only shows what other workarounds would
// change: fields of dialects, lint and cases.
//
// The package plans and parses nothing itself: a Host does that under any snapshot.
//
// Words that must not be confused: an *attempt* is one case or one kept output being tried; a *step* is an attempt under one of
// the two snapshots; a *sample* is a kept output with its request.
package trial
