package cases

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"reflect"
	"strings"
	"time"
)

// LineError is the error for a line that is not a valid case.
type LineError struct {
	Line int // from 1
	Err  error
}

func (e *LineError) Error() string { return fmt.Sprintf("line %d: %v", e.Line, e.Err) }

// Unwrap returns the reason.
func (e *LineError) Unwrap() error { return e.Err }

// byteOrderMark is what some editors write at the beginning of files.
var byteOrderMark = []byte("\uFEFF")

// Read iterates over the cases of a file while reading it. It yields a *LineError for a line that is not a valid case, and
// continues with the next one; any other error comes from r and ends the iteration. Blank lines are skipped.
func Read(r io.Reader) iter.Seq2[*Case, error] {
	return func(yield func(*Case, error) bool) {
		in := bufio.NewReaderSize(r, 64<<10)
		for number := 1; ; number++ {
			line, err := in.ReadBytes('\n')
			if number == 1 {
				line = bytes.TrimPrefix(line, byteOrderMark)
			}
			if len(bytes.TrimSpace(line)) > 0 && !yield(decode(line, number)) {
				return
			}
			if err != nil {
				if !errors.Is(err, io.EOF) {
					yield(nil, err)
				}
				return
			}
		}
	}
}

func decode(line []byte, number int) (*Case, error) {
	c := &Case{Line: number}
	var fields members
	err := json.Unmarshal(line, &fields)
	if err == nil {
		err = json.Unmarshal(line, c)
	}
	if err == nil {
		err = c.check(fields)
	}
	if err != nil {
		return nil, &LineError{Line: number, Err: inWords(err)}
	}
	return c, nil
}

// inWords returns an error of package encoding/json in terms of JSON instead of Go types.
func inWords(err error) error {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	var now *time.ParseError // a case has one time
	switch {
	case errors.As(err, &now):
		return fmt.Errorf(`"now": expected a time such as %q, found %q`, pinned.Format(time.RFC3339), strings.Trim(now.Value, `"`))
	case errors.As(err, &syntax):
		return fmt.Errorf("byte %d: %w", syntax.Offset, err)
	case errors.As(err, &kind) && kind.Field == "":
		return fmt.Errorf("expected an object, found %s", article(kind.Value))
	case errors.As(err, &kind):
		return fmt.Errorf("%q: expected %s, found %s", kind.Field, inJSON(kind.Type.Kind()), article(kind.Value))
	}
	return err
}

// inJSON returns what messages call the JSON values of a kind.
func inJSON(kind reflect.Kind) string {
	switch kind {
	case reflect.String:
		return "a string"
	case reflect.Bool:
		return "true or false"
	case reflect.Slice:
		return "an array"
	}
	return "an object"
}

// article returns a JSON type with its article.
func article(value string) string {
	if value == "array" || value == "object" {
		return "an " + value
	}
	return "a " + value
}
