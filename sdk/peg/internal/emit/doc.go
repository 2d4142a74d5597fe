// Package emit turns what the machine of package match has decided into events.
//
// The machine decides that text of some role was read, and that regions begin and end (Emitter). Content and reasoning are
// passed on as they are. A call is announced together with its name: what precedes the name waits, and a call that never
// gets one is not delivered. The arguments of a call are written as one JSON object, whether the model wrote JSON, Python or
// markup (arguments); values are rewritten and repaired as they stream (spelling).
package emit
