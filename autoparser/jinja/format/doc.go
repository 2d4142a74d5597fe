// Package format implements Python's string formatting: the operator % (Printf), the function format
// with its specifications (Value), and datetime.strftime (Strftime).
package format
