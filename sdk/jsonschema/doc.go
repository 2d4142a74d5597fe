// Package jsonschema reads JSON Schemas: the one place that knows their keywords and follows their references.
//
// A schema is read once, when the request or the program that holds it arrives, and passed on as an immutable value. What is
// derived from it is another such value, never text to be read again:
//
//	text ──Parse──→ Schema ──Check──→ *Error{Path, Message}   "#/properties/a/type": expected …, found …
//	                Schema ──Properties, Items, Only, …──→ Schema
//	                Schema ──Value──→ *Value, from which package grammar makes a grammar
//	                Schema ──Raw──→ text as it was written: for prompts, digests and the wire
//
// Where a format does not write arguments as JSON, a program needs to know the shape of a schema: which properties there are,
// which are required, what kinds of values a property has, and what remains of its schema for values of one kind.
//
//	{"type":"object","properties":{"a":{"type":["string","null"],"maxLength":9}},"required":["a"]}
//	  Properties()   → a
//	  a.Kinds()      → string|null
//	  a.Only(String) → {"type":"string","maxLength":9}
//
// Shape questions never fail: a schema that makes no sense allows everything. Check finds keywords whose values are of the
// wrong kind; whether a grammar can hold to a schema is found out when the grammar is made.
//
// A reference leads into the document that the schema is a part of. References by anchor or identifier become JSON pointers
// when the document is read. Only turns a part into a separate document, with the targets of its references as definitions.
//
// Words that must not be confused: a *kind* is one of the six kinds of JSON values, a *type* the keyword of that name; a
// *branch* is a schema within anyOf, oneOf or allOf; a *Value* is any JSON within a schema, a *Schema* is one at a place where
// a schema may stand.
package jsonschema
