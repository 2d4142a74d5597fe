package peg

import (
	"fmt"
	"strings"
)

// Defect is one thing that keeps a program from running.
type Defect struct {
	Node ID     // the node at fault
	What string // what is wrong with it
	Fix  string // what to do about it
}

func (d Defect) Error() string { return fmt.Sprintf("node %d: %s: %s", d.Node, d.What, d.Fix) }

// Defects are all defects of a program, in the order of its nodes. It is the error of Validate.
type Defects []Defect

func (ds Defects) Error() string {
	lines := make([]string, len(ds))
	for i, d := range ds {
		lines[i] = d.Error()
	}
	return strings.Join(lines, "\n")
}
