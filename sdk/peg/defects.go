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
	Text string // the beginning of the printed node; empty: not shown
	// Limit is set if the program is larger than allowed, rather than wrong.
	Limit bool
}

func (d Defect) Error() string {
	node := fmt.Sprintf("node %d", d.Node)
	if d.Text != "" {
		node += ", " + d.Text
	}
	return node + ": " + d.What + ": " + d.Fix
}

// Defects lists all defects of a program, in the order of its nodes. It is the error of Validate.
type Defects []Defect

func (ds Defects) Error() string {
	lines := make([]string, len(ds))
	for i, d := range ds {
		lines[i] = d.Error()
	}
	return strings.Join(lines, "\n")
}

const (
	maxQuoted = 60 // characters shown of a node
	maxQuotes = 20 // defects that show their nodes: each prints a part of the program
)

// quote adds the text of their nodes to the first defects.
func (v *validator) quote() {
	w := newPrinter(v.Program)
	for i := range v.found[:min(len(v.found), maxQuotes)] {
		if d := &v.found[i]; w.exists(d.Node) {
			d.Text = shortened(w.block(d.Node, " "))
		}
	}
}

// shortened returns a text on one short line.
func shortened(text string) string {
	runes := []rune(strings.Join(strings.Fields(text), " "))
	if len(runes) <= maxQuoted {
		return string(runes)
	}
	return string(runes[:maxQuoted-1]) + "…"
}
