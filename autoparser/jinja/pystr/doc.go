// Package pystr holds Python's rules for characters: their classes, their cases, and how repr quotes them.
//
// Python maps cases by the full rules of Unicode: 'ß'.upper() is 'SS'. This package is independent of templates and values.
package pystr
