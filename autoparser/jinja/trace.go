package jinja

import (
	"slices"
	"strings"

	"github.com/dragoman-project/dragoman/autoparser/jinja/failure"
	"github.com/dragoman-project/dragoman/autoparser/jinja/library/standard"
	"github.com/dragoman-project/dragoman/autoparser/jinja/syntax"
)

// Origin is where a piece of an output comes from: text of the template, or the value of an expression.
type Origin struct {
	Text         string
	Literal      bool // text of the template; otherwise the value of an expression
	Line, Column int  // of the text, or of the expression, in the template, from 1
}

// Trace holds the origins of the last output of a traced template.
//
// Text that is captured, such as by a macro, is written again when the template prints the result. If it is printed unchanged, its
// pieces keep their origins; otherwise the expression that prints it is the origin.
type Trace struct {
	source   string
	out      string
	pieces   []piece            // of render.out, in order
	captured map[string][]piece // of texts that were taken from the output, by the text; ends are relative to its start
	full     bool               // there were mostPieces: what follows has no origin
}

// mostPieces limits the pieces of an output.
const mostPieces = 20_000

// piece is a part of the output, which begins where the one before it ends.
type piece struct {
	end, at int // in the output, in the source
	literal bool
}

// Traced returns the template for finding the origins of its outputs, at some cost: each rendering replaces those in into. Only
// one goroutine may use it at a time.
func (t *Template) Traced(into *Trace) *Template {
	traced := *t
	into.source = t.source
	c := newCompiler(t.source, standard.Library)
	c.traced = true
	traced.program, traced.trace = c.program(t.body), into
	return &traced
}

// Origins returns the origins of the output, in order and without gaps. The rest of a very long one has none.
func (t *Trace) Origins() []Origin {
	var all []Origin
	places := map[int][2]int{}
	from := 0
	for _, p := range t.pieces {
		place, known := places[p.at]
		if !known {
			place[0], place[1] = failure.Place(t.source, p.at)
			places[p.at] = place
		}
		all = append(all, Origin{Text: t.out[from:p.end], Literal: p.literal, Line: place[0], Column: place[1]})
		from = p.end
	}
	return all
}

// begin forgets the output before.
func (t *Trace) begin() { t.pieces, t.captured, t.full = nil, map[string][]piece{}, false }

// end returns where the last piece ends.
func (t *Trace) end() int {
	if len(t.pieces) == 0 {
		return 0
	}
	return t.pieces[len(t.pieces)-1].end
}

// cut forgets what was written behind mark.
func (t *Trace) cut(mark int) {
	for t.end() > mark {
		t.pieces = t.pieces[:len(t.pieces)-1]
	}
}

// take moves the pieces behind mark to the text that is taken from there.
func (t *Trace) take(text string, mark int) {
	all := t.pieces
	t.cut(mark)
	inside := slices.Clone(all[len(t.pieces):])
	for i := range inside {
		inside[i].end -= mark
	}
	t.captured[text] = inside
}

// note adds what was written behind mark, unless its pieces are known.
func (t *Trace) note(out []byte, mark int, origin piece) {
	t.cut(len(out))
	t.full = t.full || len(t.pieces) >= mostPieces
	if t.full || t.end() == len(out) {
		return
	}
	for _, p := range t.captured[string(out[mark:])] {
		p.end += mark
		t.pieces = append(t.pieces, p)
	}
	if origin.end = len(out); t.end() < origin.end {
		t.pieces = append(t.pieces, origin)
	}
}

// origin returns the origin of what a node writes.
func (c *compiler) origin(n syntax.Node) piece {
	switch n := n.(type) {
	case *syntax.Data: // which may lack white space that it has in the source
		return piece{at: n.Offset() + max(0, strings.Index(c.source[n.Offset():], n.Text)), literal: true}
	case *syntax.Literal:
		return piece{at: n.Offset(), literal: true}
	}
	return piece{at: n.Offset()}
}

// written returns a step that writes what a node stands for, with its trace.
func (c *compiler) written(n syntax.Node, write step) step {
	if !c.traced {
		return write
	}
	origin := c.origin(n)
	return func(f *frame) signal {
		mark := len(f.r.out)
		to := write(f)
		f.r.trace.note(f.r.out, mark, origin)
		return to
	}
}
