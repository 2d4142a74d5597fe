// Package failure holds the failures of templates: what a caller gets (Error), and what the packages that compile and render
// raise (Failure).
//
// Failures are raised by panicking, as Python raises exceptions: Throw for what Python would raise, Exceed for limits, Reject
// for sources that are not valid. The functions that compile and render a template recover them, with Recovered, and turn them
// into an *Error with its place in the source.
package failure
