// Package rpc contains both ends of the plugin contract: Server answers calls with handlers, and Handler is a handler that
// calls a server. They run in different processes and do not trust each other: a handler's panic becomes an error of its call,
// and answers are checked before they are used.
//
// The package does not set up connections: the SDK and the host use go-plugin, and tests use a pipe.
//
// Words that must not be confused: an *answer* is a handler's plan, its decline, or its verdict that the request is invalid; a
// *failure* is a call without an answer, whose error has a gRPC status.
package rpc
