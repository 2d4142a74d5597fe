// Package clients tests the gateway with the clients that people use, unmodified, against a daemon of its own that plays recordings:
// `make clients` installs them from npm and runs the tests. `make agents` does so with agents, which run a command that the model asks
// for.
package clients
