package cfg

import (
	"fmt"
	"strings"

	"github.com/dragoman-project/dragoman/internal/cfg/charset"
	"github.com/dragoman-project/dragoman/internal/work"
)

// A program reads the generation prompt and then the output; a strict grammar covers the output
// alone: the left quotient of the program's grammar by the prompt.
//
// There may be several ways to read the prompt. A program prefers the first of its alternatives, so
// the ways are kept in order, and those after one that accepts any next character are dropped: the
// program would never take them.

// rest is what remains to be matched: a stack of expressions with the next one on top. Equal rests
// share one pointer.
type rest struct {
	top   *Expr
	below *rest
	depth int
}

// maxOpen bounds the depth of the stack while a prefix is read.
const maxOpen = 2000

type quotient struct {
	work   *work.Meter
	space  *Rule
	rests  map[rest]*rest
	loops  map[loopKey]*Expr
	capped bool
}

type loopKey struct {
	of     *Expr
	lo, hi int
}

// PrefixError reports that no text of a language begins with a prefix. Offset is the first byte
// that cannot follow.
type PrefixError struct{ Offset int }

func (e *PrefixError) Error() string { return fmt.Sprintf("byte %d cannot follow", e.Offset) }

// Quotient returns the left quotient of e by prefix: what may follow prefix in a text that e
// matches. A call of space, which may be nil, matches any amount of white space within prefix. The
// work is counted by m.
func Quotient(m *work.Meter, e *Expr, space *Rule, prefix string) (*Expr, error) {
	if prefix == "" {
		return e, nil
	}
	r := &quotient{work: m, space: space, rests: map[rest]*rest{}, loops: map[loopKey]*Expr{}}
	ways := []*rest{r.push(e, nil)}
	for at, c := range prefix {
		if ways = r.step(ways, c); len(ways) == 0 {
			return nil, &PrefixError{at}
		}
	}
	if r.capped {
		return nil, fmt.Errorf("more than %d nested rules", maxOpen)
	}
	var kids []*Expr
	for _, w := range ways {
		kids = append(kids, w.expr())
		if r.acceptsAny(w) {
			break
		}
	}
	return Alt(kids...), nil
}

// expr returns the rest as a sequence.
func (w *rest) expr() *Expr {
	var kids []*Expr
	for ; w != nil; w = w.below {
		kids = append(kids, w.top)
	}
	return Seq(kids...)
}

func (r *quotient) push(e *Expr, below *rest) *rest {
	if e == Empty {
		return below
	}
	key := rest{top: e, below: below, depth: 1}
	if below != nil {
		key.depth += below.depth
	}
	if key.depth > maxOpen {
		r.capped = true
		return below
	}
	if w := r.rests[key]; w != nil {
		return w
	}
	r.rests[key] = &key
	return &key
}

func (r *quotient) pushAll(kids []*Expr, below *rest) *rest {
	for i := len(kids) - 1; i >= 0; i-- {
		below = r.push(kids[i], below)
	}
	return below
}

// step returns the ways that remain after reading c.
func (r *quotient) step(ways []*rest, c rune) []*rest {
	var next []*rest
	reached := map[*rest]bool{}
	r.leaves(ways, func(w *rest) bool {
		if to, ok := r.read(w, c); ok && !reached[to] {
			reached[to] = true
			next = append(next, to)
		}
		return true
	})
	return next
}

// read reads c with the top of w, which is a leaf.
func (r *quotient) read(w *rest, c rune) (*rest, bool) {
	switch e := w.top; e.Op {
	case OpLiteral:
		s, found := strings.CutPrefix(e.Text, string(c))
		return r.push(Text(s), w.below), found
	case OpClass:
		return w.below, e.Set.Has(c)
	case OpCall: // white space
		return w, strings.ContainsRune(" \t\r\n", c)
	}
	return nil, false
}

// leaves expands the tops of ways, in order of preference, down to literals, classes and white
// space, and calls yield for each until it returns false. The end of the input is a nil way, which
// is not a leaf.
func (r *quotient) leaves(ways []*rest, yield func(*rest) bool) {
	seen := map[*rest]bool{}
	var open func(w *rest) bool
	open = func(w *rest) bool {
		if w == nil || seen[w] || r.capped {
			return true
		}
		seen[w] = true
		r.work.Spend(1 + 4*len(w.top.Kids))
		e := w.top
		switch e.Op {
		case OpLiteral, OpClass:
			return yield(w)
		case OpCall:
			if e.Rule == r.space {
				return yield(w) && open(w.below)
			}
			return open(r.push(e.Rule.Body, w.below))
		case OpSequence:
			return open(r.pushAll(e.Kids, w.below))
		case OpChoice:
			for _, k := range e.Kids {
				if !open(r.push(k, w.below)) {
					return false
				}
			}
		case OpRepeat:
			if !open(r.push(e.Kids[0], r.push(r.afterOne(e), w.below))) {
				return false
			}
			return e.Min > 0 || open(w.below)
		}
		return true
	}
	for _, w := range ways {
		if !open(w) {
			return
		}
	}
}

// afterOne returns the repetition e after one more iteration.
func (r *quotient) afterOne(e *Expr) *Expr {
	lo, hi := max(e.Min-1, 0), e.Max
	if hi > 0 {
		hi--
	}
	if lo == e.Min && hi == e.Max {
		return e
	}
	key := loopKey{e.Kids[0], lo, hi}
	if l := r.loops[key]; l != nil {
		return l
	}
	l := Times(lo, hi, e.Kids[0])
	r.loops[key] = l
	return l
}

// acceptsAny reports whether w accepts any next character.
func (r *quotient) acceptsAny(w *rest) bool {
	var all charset.Set
	r.leaves([]*rest{w}, func(w *rest) bool {
		switch e := w.top; e.Op {
		case OpLiteral:
			for _, c := range e.Text {
				r.work.Spend(len(all))
				all = all.Union(charset.Set{charset.Range{Lo: c, Hi: c}})
				break
			}
		case OpClass:
			r.work.Spend(len(all) + len(e.Set))
			all = all.Union(e.Set)
		case OpCall:
			all = all.Union(charset.Of(" \t\r\n"))
		}
		return !all.IsAll()
	})
	return all.IsAll()
}
