// Package host is the daemon's core. It chooses the handler for a template, plans requests and parses outputs, under the snapshot
// that is in force. The surfaces (host/api, cmd/host) are thin over it, and it is thin over four packages:
//
//	host/state    what is in force, and how it changes when files do
//	host/plugins  the processes of plugins
//	host/trial    what a change would make better or worse, before it goes live
//	sdk/session   the way from a handler's answer to a message
//
// # From a request to messages
//
//	Plan:    template → handlers that claim it, by priority → draft with its prompt → plan
//	Session: output chunk → events → deltas, within limits and observed
//
// A request loads the snapshot in force once and works on that one to its end; its plan and its sessions keep what they began
// with. Plugins are called in Plan only, except for stream plans. Their programs run here, so that the death of a process does not
// affect sessions.
//
// Words that must not be confused: a session.Plan is the answer to a request, a *Planned* is that plan within the limits of the
// daemon; a *detached* template is served like others, but belongs to no snapshot.
package host
