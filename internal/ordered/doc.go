// Package ordered reads JSON and keeps what encoding/json loses: the order of members, the digits of numbers, the text of
// every value, and the place that error messages have to name.
//
// Parse reads a whole text into a tree of Values. A tree never changes and may be shared between goroutines:
//
//	v, err := ordered.Parse([]byte(`{"messages": [{"role": 7, "n": 1.0}]}`))
//	m := v.Get("messages").Items()[0]
//	for name, member := range m.Members() { … } // role, n: in the order of the text
//	m.Get("n").Raw()                            // 1.0
//	m.Get("absent").Kind()                      // Absent; every method works on a nil *Value
//	m.Get("role").Expected("a string")          // messages[0].role: expected a string, found a number
//
// ParseWith has Options for JSON that comes from others than clients: it accepts duplicate members, of which the last one
// counts, and replaces invalid UTF-8.
//
// Packages with values of their own build them while the text is read, without a tree in between: Build calls their
// Builder for each value, the innermost first. Depth, duplicates and syntax are checked before the Builder sees them.
//
// Every error is a *fault.Error, whose Place is spelled as in all messages of this repository: messages[0].content.
//
// Words that must not be confused: a *member* belongs to an object and has a name, an *item* belongs to an array.
package ordered
