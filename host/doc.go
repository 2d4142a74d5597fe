// Package host is the daemon's core: it owns what is in force, picks the handler for a template, plans requests, parses
// outputs, and reloads. The surfaces (host/api, cmd/host) are thin over it.
//
// # What is in force
//
// A Snapshot is one immutable set of configuration, rules and templates. A request loads the pointer to it once and works on
// that one to its end; its plan and its sessions keep what they began with. A change is built complete, from the same code
// at the start and at every reload, and then swapped in with one pointer; what is faulty is never swapped in, and the last
// good state stays.
//
//	files ─watch→ settled content ─parse, validate→ next snapshot ─swap→ in force
//	                                    └ faulty: status and log say why, nothing changes
//
// # From a request to messages
//
//	Plan:    template → handlers that claim it, by priority → plan → prompt, bound program, constraint
//	Session: output chunk → match.Machine → events → chat.Stream → deltas
//
// Plugins are asked in Plan only. Their programs run here, so that a process that dies hurts no session.
//
// Words that must not be confused: a *template* is Jinja source; an *entry* is a template in a snapshot, with what was learned
// of it under that snapshot's rules; a *source* is a file or folder that is watched.
package host
