package responses

import (
	"encoding/json"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
)

// encoder writes the events of a stream. A nil encoder writes nothing.
type encoder struct {
	text []byte // what was not taken yet
	next int    // the number of the next event
	err  error
}

// begin begins an event.
func (e *encoder) begin(kind string) {
	e.text = append(append(append(e.text, "event: "...), kind...), "\ndata: {\"type\":\""...)
	e.text = append(append(e.text, kind...), `","sequence_number":`...)
	e.text = strconv.AppendInt(e.text, int64(e.next), 10)
	e.next++
}

// add writes an event with the members of v.
func (e *encoder) add(kind string, v any) {
	if e == nil {
		return
	}
	members, err := json.Marshal(v)
	if err != nil {
		e.err = err
		return
	}
	e.begin(kind)
	e.text = append(append(append(e.text, ','), members[1:]...), "\n\n"...)
}

// delta writes what a text of an item goes on with; where has the members that say which. It allocates only for a longer buffer.
func (e *encoder) delta(kind string, where, text []byte, more string) {
	if e == nil || len(text) == 0 {
		return
	}
	e.begin(kind)
	e.text = append(append(e.text, where...), `,"delta":`...)
	e.text, _ = jsontext.AppendQuote(e.text, text) // valid UTF-8
	e.text = append(append(e.text, more...), "}\n\n"...)
}

// take returns what was written since the last call. It is valid until more is written.
func (e *encoder) take() ([]byte, error) {
	text := e.text
	e.text = e.text[:0]
	return text, e.err
}
