package workaround

import (
	"fmt"
	"strings"
)

// Fault is a mistake in a file of rules.
type Fault struct {
	File         string
	Line, Column int    // from 1
	Message      string // what is wrong, what is expected, what to do
}

func (f Fault) Error() string {
	return fmt.Sprintf("%s:%d:%d: %s", f.File, f.Line, f.Column, f.Message)
}

// Faults are all mistakes in a file, in its order. They are the error of Parse.
type Faults []Fault

func (fs Faults) Error() string {
	lines := make([]string, len(fs))
	for i, f := range fs {
		lines[i] = f.Error()
	}
	return strings.Join(lines, "\n")
}
