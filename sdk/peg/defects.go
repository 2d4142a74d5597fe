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
	Text string // the beginning of the node, as programs are printed; empty: it is not there
}

func (d Defect) Error() string {
	node := fmt.Sprintf("node %d", d.Node)
	if d.Text != "" {
		node += ", " + d.Text
	}
	return node + ": " + d.What + ": " + d.Fix
}

// Defects are all defects of a program, in the order of its nodes. It is the error of Validate.
type Defects []Defect

func (ds Defects) Error() string {
	lines := make([]string, len(ds))
	for i, d := range ds {
		lines[i] = d.Error()
	}
	return strings.Join(lines, "\n")
}

const (
	maxQuoted = 60 // characters of a node that are shown
	maxQuotes = 20 // defects whose nodes are shown: each prints a part of the program
)

// quote shows in the first defects the nodes that they are about.
func (v *validator) quote() {
	w := newPrinter(v.Program)
	for i := range v.found[:min(len(v.found), maxQuotes)] {
		if d := &v.found[i]; w.exists(d.Node) {
			d.Text = shortened(w.block(d.Node, " "))
		}
	}
}

// shortened is a text on one line, and not a long one.
func shortened(text string) string {
	runes := []rune(strings.Join(strings.Fields(text), " "))
	if len(runes) <= maxQuoted {
		return string(runes)
	}
	return string(runes[:maxQuoted-1]) + "…"
}
