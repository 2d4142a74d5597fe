package recorder

import (
	"encoding/json"
	"errors"
	"time"
	"unicode/utf8"

	"github.com/dragoman-project/dragoman/sdk/cases"
	"github.com/dragoman-project/dragoman/sdk/chat"
)

// exported is the JSON of a recording as a case of kind parse.
type exported struct {
	ID       string          `json:"id"`
	Kind     cases.Kind      `json:"kind"`
	Template string          `json:"template"`
	BOSToken string          `json:"bos_token"`
	EOSToken string          `json:"eos_token"`
	Now      time.Time       `json:"now"`
	Request  json.RawMessage `json:"request"`
	Output   string          `json:"output"`
	Partial  bool            `json:"partial,omitempty"`
	Expect   cases.Message   `json:"expect"`
}

// Case returns the recording as a recorded case, a line of JSON, that expects the message which the output became.
func (r *Recording) Case(became chat.Message) ([]byte, error) {
	if !utf8.Valid(r.Output) {
		return nil, errors.New("its output is not UTF-8, which cases are")
	}
	now := r.Now
	if now.IsZero() {
		now = r.At
	}
	return plainJSON(exported{
		ID: r.ID, Kind: cases.Parse, Template: r.Source.Name, BOSToken: r.Source.BOSToken, EOSToken: r.Source.EOSToken, Now: now.UTC(),
		Request: r.Request, Output: string(r.Output), Partial: r.Limited, Expect: cases.MessageOf(became),
	})
}
