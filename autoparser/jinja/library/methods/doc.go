// Package methods holds the methods of values that templates can call, by the class of the value. All lists them.
//
// Methods that change their object are for lists and objects that the running template made.
package methods
