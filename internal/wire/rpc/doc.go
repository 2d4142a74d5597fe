// Package rpc is both ends of the plugin contract: Server answers its calls with handlers, and Handler is a handler that
// calls a server. Between them lies a process border, so neither trusts the other: a handler's panic becomes an error of
// its call, and what comes back is checked before it is believed.
//
// How the connection comes about is not known here: the SDK and the host use go-plugin, tests a pipe.
//
// Words that must not be confused: an *answer* is what a handler said, also when it declined or found fault with a request;
// a *failure* is a call without an answer, whose error has a gRPC status.
package rpc
