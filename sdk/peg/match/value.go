package match

import (
	"strings"

	"github.com/dragoman-project/dragoman/sdk/peg"
)

// values says which values an instruction accepts.
type values struct {
	first    byteSet // what the value itself may begin with
	quotes   string  // what strings within it may begin with
	literals map[byte]string
	python   bool // a comma may stand behind the last item, as in Python
}

func newValues(kinds peg.Values) *values {
	v := &values{quotes: `"`, literals: map[byte]string{'t': "rue", 'f': "alse", 'n': "ull"}}
	v.python = kinds&(peg.PythonQuotes|peg.PythonLiterals) != 0
	if kinds&peg.PythonQuotes != 0 {
		v.quotes = `"'`
	}
	if kinds&peg.PythonLiterals != 0 {
		v.literals['T'], v.literals['F'], v.literals['N'] = "rue", "alse", "one"
	}
	starts := map[peg.Values]string{peg.ObjectValue: "{", peg.ArrayValue: "[", peg.StringValue: v.quotes,
		peg.NumberValue: "-0123456789", peg.BoolValue: "tfTF", peg.NullValue: "nN"}
	var first string
	for kind, bytes := range starts {
		if kinds&kind != 0 {
			first += bytes
		}
	}
	if kinds&peg.PythonLiterals == 0 {
		first = strings.NewReplacer("T", "", "F", "", "N", "").Replace(first)
	}
	v.first = setOf(first)
	return v
}

// value recognises one JSON or Python value. It makes no choices and can stop between any two bytes.
type value struct {
	state  valueState
	open   []byte // the open containers: '{' or '['
	text   quoted // the string being read
	number number // the number being read
	word   string // the rest of the literal being read
}

// valueState is what comes next in a value.
type valueState uint8

const (
	atStart     valueState = iota // the value itself
	atValue                       // a value in a container
	atFirstItem                   // a value, or the end of an empty array
	atItem                        // a value behind a comma
	atFirstKey                    // a key, or the end of an empty object
	atKey                         // a key behind a comma
	atColon                       // the colon after a key
	atSeparator                   // a comma, or the end of the container
	inKey                         // the inside of a key
	inText                        // the inside of a string
	inNumber                      // more of a number, or what ends it
	inWord                        // the rest of a literal
)

// begin makes v ready for a new value.
func (v *value) begin() { *v = value{open: v.open[:0]} }

// read consumes what belongs to the value; matched says that it is complete.
func (v *value) read(b []byte, accept *values) (int, outcome) {
	for i := 0; i < len(b); {
		n, o := v.part(b[i:], accept)
		i += n
		if o == failed {
			return i, failed
		}
		if o == matched && len(v.open) == 0 {
			return i, matched
		}
	}
	return len(b), hungry
}

// part reads as much of b, not empty, as its first byte decides; matched says that the newest value is complete.
func (v *value) part(b []byte, accept *values) (int, outcome) {
	switch v.state {
	case inKey, inText:
		return v.string(b)
	case inNumber:
		return v.digits(b)
	case inWord:
		return v.letter(b[0])
	}
	if v.state != atStart && isJSONSpace(b[0]) {
		return 1, hungry
	}
	return v.mark(b[0], accept)
}

func (v *value) string(b []byte) (int, outcome) {
	n, o := v.text.read(b)
	if o != matched {
		return n, o
	}
	if v.state == inKey {
		v.state = atColon
		return n + 1, hungry
	}
	return n + 1, v.end()
}

func (v *value) digits(b []byte) (int, outcome) {
	for i, c := range b {
		if next := v.number.next(c); next != numNone {
			v.number = next
		} else if !v.number.complete() || isNumeric(c) {
			return i, failed
		} else {
			return i, v.end()
		}
	}
	return len(b), hungry
}

func (v *value) letter(c byte) (int, outcome) {
	if c != v.word[0] {
		return 0, failed
	}
	if v.word = v.word[1:]; v.word == "" {
		return 1, v.end()
	}
	return 1, hungry
}

// mark reads the first byte of a value or key, or one between them.
func (v *value) mark(c byte, accept *values) (int, outcome) {
	switch v.state {
	case atStart:
		if !accept.first.has(c) {
			return 0, failed
		}
		return v.start(c, accept)
	case atFirstItem, atItem:
		if c == ']' && (v.state == atFirstItem || accept.python) {
			return 1, v.close()
		}
		return v.start(c, accept)
	case atFirstKey, atKey:
		if c == '}' && (v.state == atFirstKey || accept.python) {
			return 1, v.close()
		}
		return v.key(c, accept)
	case atColon:
		if c == ':' {
			v.state = atValue
			return 1, hungry
		}
	case atSeparator:
		return v.separator(c)
	default:
		return v.start(c, accept)
	}
	return 0, failed
}

// start reads the first byte of a value.
func (v *value) start(c byte, accept *values) (int, outcome) {
	switch {
	case c == '{' && len(v.open) < maxJSONDepth:
		v.open, v.state = append(v.open, c), atFirstKey
	case c == '[' && len(v.open) < maxJSONDepth:
		v.open, v.state = append(v.open, c), atFirstItem
	case strings.IndexByte(accept.quotes, c) >= 0:
		v.text, v.state = quoted{quote: c}, inText
	case numStart.next(c) != numNone:
		v.number, v.state = numStart.next(c), inNumber
	case accept.literals[c] != "":
		v.word, v.state = accept.literals[c], inWord
	default:
		return 0, failed
	}
	return 1, hungry
}

func (v *value) key(c byte, accept *values) (int, outcome) {
	if strings.IndexByte(accept.quotes, c) < 0 {
		return 0, failed
	}
	v.text, v.state = quoted{quote: c}, inKey
	return 1, hungry
}

func (v *value) separator(c byte) (int, outcome) {
	switch container := v.open[len(v.open)-1]; {
	case c == ',' && container == '{':
		v.state = atKey
	case c == ',':
		v.state = atItem
	case c == closer(container):
		return 1, v.close()
	default:
		return 0, failed
	}
	return 1, hungry
}

// close ends the innermost container.
func (v *value) close() outcome {
	v.open = v.open[:len(v.open)-1]
	return v.end()
}

// end is called behind every value.
func (v *value) end() outcome {
	v.state = atSeparator
	return matched
}

// mayEnd says that the value is complete if no more input comes.
func (v *value) mayEnd() bool {
	return v.state == inNumber && len(v.open) == 0 && v.number.complete()
}

// closer is the bracket that closes the one given.
func closer(open byte) byte { return open + 2 } // { } and [ ] are two apart

func isJSONSpace(c byte) bool { return c == ' ' || c == '\n' || c == '\t' || c == '\r' }
