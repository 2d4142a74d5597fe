package cases

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
)

// LineError says that a line holds no case.
type LineError struct {
	Line int // from 1
	Err  error
}

func (e *LineError) Error() string { return fmt.Sprintf("line %d: %v", e.Line, e.Err) }

// Unwrap returns the reason.
func (e *LineError) Unwrap() error { return e.Err }

// Read yields the cases of a file as it reads it. A line that holds no case yields a *LineError, and reading goes on with
// the next one; any other error, from r, is the last. Blank lines are skipped.
func Read(r io.Reader) iter.Seq2[*Case, error] {
	return func(yield func(*Case, error) bool) {
		in := bufio.NewReaderSize(r, 64<<10)
		for number := 1; ; number++ {
			line, err := in.ReadBytes('\n')
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
	err := json.Unmarshal(line, c)
	if err == nil {
		err = c.check()
	}
	if err != nil {
		return nil, &LineError{Line: number, Err: err}
	}
	return c, nil
}
