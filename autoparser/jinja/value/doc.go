// Package value holds Python's values as templates see them, and the operators on them.
//
//	None, Bool, Int, BigInt, Float, String, Markup   immutable
//	List (lists and tuples), Object (dicts)          may be changed if the running template made them
//	Range, View, Generator, Namespace, Undefined     only templates make these
//
// An Object keeps the order of its keys: it is JSON's object and Python's dict. Undefined is what was not there; most uses of
// it raise. Packages above add values that can be called or that belong to a rendering: see Special.
//
// Operators whose cost depends on their operands are methods of a Heap, which counts it: equality, order, arithmetic, repr,
// slices, joining. Decode and Encode convert JSON.
//
// Values given to a template by its caller are never changed. A value has no method that a template could call: what a
// template may do with it is in tables of package library.
package value
