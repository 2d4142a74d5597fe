// Package value defines Python's values as templates see them, and the operators on them.
//
//	None, Bool, Int, BigInt, Float, String, Markup   immutable
//	List (lists and tuples), Object (dicts)          may be changed if the running template made them
//	Range, View, Generator, Namespace, Undefined     only templates make these
//
// An Object keeps the order of its keys: it is JSON's object and Python's dict. Undefined stands for a
// missing variable, attribute or element; most uses of it raise. Other packages define values that can
// be called or that belong to a rendering (Special).
//
// Operators whose cost depends on their operands are methods of a Heap, which counts it: equality,
// order, arithmetic, repr, slicing, joining. Decode and Encode convert from and to JSON.
//
// Values that a caller passes to a template are never changed. Templates cannot call Go methods of
// values: what they may do with a value is in the tables of package library.
package value
