// Package methods holds the methods of values, by class. All lists them.
//
// Methods that change their object work on lists and objects that the running template made itself.
package methods
