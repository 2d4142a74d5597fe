package emit

import (
	"fmt"
	"slices"

	"github.com/dragoman-project/dragoman/sdk/peg"
	"github.com/dragoman-project/dragoman/sdk/peg/internal/scan"
)

// arguments writes the arguments of a call as JSON: as the model wrote them (peg.Arguments), or from keys, values, objects
// and arrays. Each method returns what it appends, valid until the next call.
//
// What it has returned for a complete call is one JSON object, however a program nests its tags: a value without a place is
// dropped, a key without a value gets null. Only text under Arguments or Scalar that no Value node has read, or that stands
// in a string, can spoil that.
type arguments struct {
	open    []container
	reading reading
	misfits int // how many open regions are a value without a place, or within one
	begun   bool
	spell   spelling
	quoted  quotedObject
	out     []byte
	repairs int // how many characters were not valid JSON, in all calls
	dropped int // how many calls had arguments that were neither an object nor null
	foreign int // how many values had no place among the arguments
	invalid int // how many calls had arguments in a string that is not JSON
}

// container is an object or array that is open.
type container struct {
	bracket byte // { or [
	some    bool // it has a member
	keyed   bool // its newest key has no value yet
}

// reading is how text is read at the moment.
type reading uint8

const (
	readNothing  reading = iota
	readStart            // before the first byte of arguments as the model wrote them
	readSpelling         // JSON, or the inside of one of its strings
	readEmpty            // the same, before its first byte
	readText             // the raw text of a string
	readQuoted           // an object written as a string
)

// quotedObject is an object whose text the model wrote as a string: "{\"a\": 1}".
type quotedObject struct {
	text   unquote
	object bool // its text begins like an object
	value  scan.Value
	over   bool   // the object is complete
	broken bool   // it is none
	plain  []byte // a piece of its text
}

// reset begins the arguments of the next call.
func (a *arguments) reset() {
	*a = arguments{open: a.open[:0], out: a.out[:0], repairs: a.repairs, dropped: a.dropped, foreign: a.foreign, invalid: a.invalid, spell: a.spell}
	a.spell.begin(false)
}

// begin opens a region.
func (a *arguments) begin(role peg.Role) []byte {
	a.out = a.out[:0]
	if a.misfits > 0 || !a.place(role) {
		if a.misfits++; a.misfits == 1 {
			a.foreign++
		}
		return nil
	}
	switch role {
	case peg.Arguments:
		a.reading = readStart
		a.spell.begin(false)
	case peg.Object:
		a.push('{')
	case peg.Array:
		a.push('[')
	case peg.String:
		a.reading = readText
		a.out = append(a.out, '"')
	case peg.QuotedString:
		a.reading = readSpelling
		a.spell.begin(true)
		a.out = append(a.out, '"')
	case peg.Scalar:
		a.reading = readEmpty
		a.spell.begin(false)
	}
	return a.out
}

// place prepares for a value, and reports whether one can stand here.
func (a *arguments) place(role peg.Role) bool {
	if len(a.open) == 0 {
		return !a.begun && (role == peg.Object || role == peg.Arguments)
	}
	top := &a.open[len(a.open)-1]
	if top.bracket == '{' {
		fits := top.keyed
		top.keyed = false
		return fits
	}
	a.comma(top)
	return true
}

func (a *arguments) push(bracket byte) {
	a.begun = true
	a.open = append(a.open, container{bracket: bracket})
	a.out = append(a.out, bracket)
}

func (a *arguments) pop() {
	top := a.open[len(a.open)-1]
	a.fill(&top)
	a.open = a.open[:len(a.open)-1]
	a.out = append(a.out, scan.Closer(top.bracket))
}

// fill completes a key without a value by null.
func (a *arguments) fill(c *container) {
	if c.keyed {
		a.out = append(a.out, "null"...)
		c.keyed = false
	}
}

func (a *arguments) comma(c *container) {
	if c.some {
		a.out = append(a.out, ',')
	}
	c.some = true
}

// key writes a key. The first one opens the object of arguments if no region has.
func (a *arguments) key(name []byte) []byte {
	a.out = a.out[:0]
	if len(a.open) == 0 && !a.begun {
		a.push('{')
	}
	if a.misfits > 0 || len(a.open) == 0 || a.open[len(a.open)-1].bracket == '[' {
		return nil
	}
	top := &a.open[len(a.open)-1]
	a.fill(top)
	a.comma(top)
	top.keyed = true
	a.out = append(a.out, '"')
	a.out = appendText(a.out, name)
	a.out = append(a.out, '"', ':')
	return a.out
}

// text writes a piece of the text of the region that is open.
func (a *arguments) text(t []byte) []byte {
	if a.misfits > 0 {
		return nil
	}
	if a.reading == readStart {
		if t = t[scan.BlankPrefix(t):]; len(t) > 0 {
			a.start(t[0])
			if a.reading == readQuoted {
				t = t[1:]
			}
		}
	}
	if a.reading == readEmpty && len(t) > 0 {
		a.reading = readSpelling
	}
	switch a.reading {
	case readSpelling:
		n := a.spell.keep(t)
		if n == len(t) {
			return t
		}
		a.out = a.spell.rewrite(append(a.room(len(t)), t[:n]...), t[n:])
		return a.out
	case readText:
		n := plainPrefix(t)
		if n == len(t) {
			return t
		}
		a.out = appendText(append(a.room(len(t)), t[:n]...), t[n:])
		return a.out
	case readQuoted:
		a.out = a.unquoted(a.out[:0], t)
		return a.out
	}
	return nil
}

// room returns an empty slice of a.out with room for a text of n bytes, of which some need an escape.
func (a *arguments) room(n int) []byte { return slices.Grow(a.out[:0], n+n/8) }

// start decides at the first byte whether the arguments are an object, or a string that may hold the text of one. Otherwise
// they are dropped.
func (a *arguments) start(first byte) {
	switch {
	case first == '{':
		a.reading, a.begun = readSpelling, true
	case quotes.Has(first):
		a.reading, a.quoted = readQuoted, quotedObject{text: unquote{quote: first}, plain: a.quoted.plain}
	default:
		a.reading = readNothing
		if first != 'n' && first != 'N' {
			a.dropped++
		}
	}
}

// unquoted appends what a piece of a string contributes to the object in it.
func (a *arguments) unquoted(dst, t []byte) []byte {
	q := &a.quoted
	q.plain = q.text.read(q.plain[:0], t)
	if !q.object {
		q.plain = q.plain[scan.BlankPrefix(q.plain):]
		if len(q.plain) == 0 {
			return dst
		}
		if q.plain[0] != '{' {
			a.reading = readNothing
			a.dropped++
			return dst
		}
		q.object, a.begun = true, true
		q.value.Begin()
	}
	q.check(q.plain)
	return a.spell.rewrite(dst, q.plain)
}

// anyObject accepts objects in every notation.
var anyObject = scan.NewAccept(peg.ObjectValue | peg.PythonLiterals | peg.PythonQuotes)

// check reads a piece of the text to find out whether it is an object.
func (q *quotedObject) check(text []byte) {
	if !q.over && !q.broken {
		n, o := q.value.Read(text, anyObject)
		q.over, q.broken, text = o == scan.Matched, o == scan.Failed, text[n:]
	}
	q.broken = q.broken || q.over && scan.BlankPrefix(text) < len(text)
}

// end closes a region.
func (a *arguments) end(role peg.Role) []byte {
	a.out = a.out[:0]
	if a.misfits > 0 {
		a.misfits--
		return nil
	}
	switch role {
	case peg.Object, peg.Array:
		a.pop()
	case peg.String:
		a.out = append(a.out, '"')
	case peg.QuotedString:
		a.out = append(a.spell.end(a.out), '"')
	case peg.Arguments:
		if a.reading == readQuoted && a.quoted.object && (!a.quoted.over || a.quoted.broken) {
			a.invalid++
		}
		a.out = a.spell.end(a.out)
	case peg.Scalar:
		if a.reading == readEmpty {
			a.out = append(a.out, "null"...)
		}
		a.out = a.spell.end(a.out)
	}
	a.reading = readNothing
	a.repairs += a.spell.repairs
	a.spell.repairs = 0
	return a.out
}

// abandoned returns what is held of arguments that break off.
func (a *arguments) abandoned() []byte {
	a.out = a.spell.endComma(a.out[:0])
	return a.out
}

// notes describes what was done to the arguments of all calls.
func (a *arguments) notes() (notes []string) {
	if a.repairs > 0 {
		notes = append(notes, fmt.Sprintf("repaired characters in arguments: %d", a.repairs))
	}
	if a.dropped > 0 {
		notes = append(notes, fmt.Sprintf("calls whose arguments were not an object and were dropped: %d", a.dropped))
	}
	if a.foreign > 0 {
		notes = append(notes, fmt.Sprintf("values in calls that belong to no argument and were dropped: %d", a.foreign))
	}
	if a.invalid > 0 {
		notes = append(notes, fmt.Sprintf("calls whose arguments are a string that is not JSON: %d", a.invalid))
	}
	return notes
}

// closed reports whether the arguments are complete as the model wrote them.
func (a *arguments) closed() bool { return a.begun && len(a.open) == 0 && a.reading == readNothing }

// complete ends the arguments of a complete call.
func (a *arguments) complete() []byte {
	a.out = a.out[:0]
	if !a.begun {
		a.push('{')
	}
	for len(a.open) > 0 {
		a.pop()
	}
	return a.out
}
