// Package format holds Python's ways to write values into a text: the operator % (Printf), the function format with its
// specifications (Value), and datetime.strftime (Strftime).
package format
