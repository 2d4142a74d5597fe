// Package failure defines how templates fail: the Error that a caller gets, and the Failure that the
// packages which compile and render raise.
//
// A Failure is raised by panicking, as Python raises exceptions: Throw for what Python would raise,
// Exceed for limits, Reject for invalid sources. The functions that compile or render a template
// recover it (Recovered) and convert it to an *Error with a line and a column (Locate).
package failure
