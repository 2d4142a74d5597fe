package scan

import (
	"strings"

	"github.com/dragoman-project/dragoman/sdk/peg"
)

// Accept is the set of values that an instruction accepts.
type Accept struct {
	First    ByteSet // what the value itself may begin with
	kinds    peg.Values
	notation peg.Notation
}

// NewAccept returns the set of the values that kinds allows.
func NewAccept(kinds peg.Values) *Accept {
	a := &Accept{kinds: kinds, notation: kinds.Notation()}
	for kind, first := range map[peg.Values]string{
		peg.ObjectValue: "{", peg.ArrayValue: "[", peg.StringValue: a.notation.Quotes, peg.NumberValue: "-0123456789",
	} {
		if kinds&kind != 0 {
			set := SetOf(first)
			a.First.AddAll(&set)
		}
	}
	for _, w := range a.notation.Words {
		if kinds&w.Kind != 0 {
			a.First.Add(w.Text[0])
		}
	}
	return a
}

// word returns a word for one of kinds that begins like begun and continues with c, or "".
func (a *Accept) word(kinds peg.Values, begun string, c byte) string {
	for i := range a.notation.Words {
		w := &a.notation.Words[i]
		if kinds&w.Kind != 0 && len(w.Text) > len(begun) && w.Text[len(begun)] == c && strings.HasPrefix(w.Text, begun) {
			return w.Text
		}
	}
	return ""
}

// Value recognises one value, in JSON or another notation. It makes no choices and can stop between any two bytes.
type Value struct {
	State  ValueState
	open   []byte // the open containers: '{' or '['
	text   Quoted // the string being read
	number number // the number being read
	word   string // the literal being read
	read   int    // how many bytes of it
}

// maxJSONDepth is how deep a value may nest.
const maxJSONDepth = 512

// ValueState is what comes next in a value.
type ValueState uint8

// The states of a value.
const (
	AtStart     ValueState = iota // the value itself
	atValue                       // a value in a container
	atFirstItem                   // a value, or the end of an empty array
	atItem                        // a value after a comma
	atFirstKey                    // a key, or the end of an empty object
	atKey                         // a key after a comma
	atColon                       // the colon after a key
	atSeparator                   // a comma, or the end of the container
	inKey                         // the inside of a key
	inText                        // the inside of a string
	inNumber                      // more of a number, or what ends it
	inWord                        // the rest of a literal
)

// String names what is expected in the state.
func (s ValueState) String() string {
	return [...]string{"a value", "a value", `a value or "]"`, "a value", `a key or "}"`, "a key", `":"`, `"," or a bracket`,
		"a string escape", "a string escape", "a number", "a literal"}[s]
}

// Begin resets v for a new value.
func (v *Value) Begin() { *v = Value{open: v.open[:0]} }

// Read consumes what belongs to the value, until it is complete (Matched).
func (v *Value) Read(b []byte, accept *Accept) (int, Outcome) {
	for i := 0; i < len(b); {
		n, o := v.part(b[i:], accept)
		i += n
		if o == Failed {
			return i, Failed
		}
		if o == Matched && len(v.open) == 0 {
			return i, Matched
		}
	}
	return len(b), Hungry
}

// Continues reports whether b is plain text of the string that v is in, which leaves v as it is.
func (v *Value) Continues(b []byte) bool {
	return (v.State == inKey || v.State == inText) && v.text.Continues(b)
}

// part reads as much of b, which is not empty, as its first byte decides. Matched means that the innermost value is complete.
func (v *Value) part(b []byte, accept *Accept) (int, Outcome) {
	switch v.State {
	case inKey, inText:
		return v.string(b)
	case inNumber:
		if v.number == numMinus && v.begin("-", b[0], accept) {
			return 1, Hungry
		}
		return v.digits(b)
	case inWord:
		return v.letter(b[0], accept)
	}
	if v.State != AtStart && IsJSONSpace(b[0]) {
		return 1, Hungry
	}
	return v.mark(b[0], accept)
}

func (v *Value) string(b []byte) (int, Outcome) {
	n, o := v.text.Read(b)
	if o != Matched {
		return n, o
	}
	if v.State == inKey {
		v.State = atColon
		return n + 1, Hungry
	}
	return n + 1, v.end()
}

func (v *Value) digits(b []byte) (int, Outcome) {
	for i, c := range b {
		if next := v.number.next(c); next != numNone {
			v.number = next
		} else if !v.number.complete() || v.number.foreign(c) {
			return i, Failed
		} else {
			return i, v.end()
		}
	}
	return len(b), Hungry
}

func (v *Value) letter(c byte, accept *Accept) (int, Outcome) {
	switch {
	case !v.begin(v.word[:v.read], c, accept):
		return 0, Failed
	case v.read == len(v.word):
		return 1, v.end()
	}
	return 1, Hungry
}

// begin reports whether c continues what has begun as a literal.
func (v *Value) begin(begun string, c byte, accept *Accept) bool {
	kinds := peg.AnyJSON
	if len(v.open) == 0 {
		kinds = accept.kinds
	}
	word := accept.word(kinds, begun, c)
	if word == "" {
		return false
	}
	v.word, v.read, v.State = word, len(begun)+1, inWord
	return true
}

// mark reads the first byte of a value or key, or punctuation between them.
func (v *Value) mark(c byte, accept *Accept) (int, Outcome) {
	switch v.State {
	case AtStart:
		if !accept.First.Has(c) {
			return 0, Failed
		}
		return v.start(c, accept)
	case atFirstItem, atItem:
		if c == ']' && (v.State == atFirstItem || accept.notation.TrailingComma) {
			return 1, v.close()
		}
		return v.start(c, accept)
	case atFirstKey, atKey:
		if c == '}' && (v.State == atFirstKey || accept.notation.TrailingComma) {
			return 1, v.close()
		}
		return v.key(c, accept)
	case atColon:
		if c == ':' {
			v.State = atValue
			return 1, Hungry
		}
	case atSeparator:
		return v.separator(c)
	default:
		return v.start(c, accept)
	}
	return 0, Failed
}

// start reads the first byte of a value.
func (v *Value) start(c byte, accept *Accept) (int, Outcome) {
	switch {
	case c == '{' && len(v.open) < maxJSONDepth:
		v.open, v.State = append(v.open, c), atFirstKey
	case c == '[' && len(v.open) < maxJSONDepth:
		v.open, v.State = append(v.open, c), atFirstItem
	case strings.IndexByte(accept.notation.Quotes, c) >= 0:
		v.text, v.State = Quoted{Quote: c}, inText
	case numStart.next(c) != numNone:
		v.number, v.State = numStart.next(c), inNumber
	case !v.begin("", c, accept):
		return 0, Failed
	}
	return 1, Hungry
}

func (v *Value) key(c byte, accept *Accept) (int, Outcome) {
	if strings.IndexByte(accept.notation.Quotes, c) < 0 {
		return 0, Failed
	}
	v.text, v.State = Quoted{Quote: c}, inKey
	return 1, Hungry
}

func (v *Value) separator(c byte) (int, Outcome) {
	switch container := v.open[len(v.open)-1]; {
	case c == ',' && container == '{':
		v.State = atKey
	case c == ',':
		v.State = atItem
	case c == Closer(container):
		return 1, v.close()
	default:
		return 0, Failed
	}
	return 1, Hungry
}

// close ends the innermost container.
func (v *Value) close() Outcome {
	v.open = v.open[:len(v.open)-1]
	return v.end()
}

// end is called after each value.
func (v *Value) end() Outcome {
	v.State = atSeparator
	return Matched
}

// MayEnd reports whether the value is complete if no more input comes.
func (v *Value) MayEnd() bool {
	return v.State == inNumber && len(v.open) == 0 && v.number.complete()
}

// Closer returns the bracket that closes the one given.
func Closer(open byte) byte { return open + 2 } // { } and [ ] are two apart

// IsJSONSpace reports whether c is white space of JSON.
func IsJSONSpace(c byte) bool { return c == ' ' || c == '\n' || c == '\t' || c == '\r' }
