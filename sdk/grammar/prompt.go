package grammar

import (
	"fmt"
	"strings"

	"github.com/dragoman-project/dragoman/sdk/peg"
)

// A program reads the generation prompt and then the output; a strict grammar covers the output alone. So the program's
// grammar is read up to the end of the prompt, and what is left of it is the grammar of the output.
//
// There may be several ways to read the prompt. A program prefers the first of its alternatives, so the ways are kept in
// order, and those behind one that can go on with any character at all are dropped: the program would never take them.

// rest is what is left to match: a stack of expressions, of which top comes next. Equal rests are one pointer.
type rest struct {
	top   *expr
	below *rest
	depth int
}

// maxOpen bounds how many expressions may be open at once while a prompt is read.
const maxOpen = 2000

type promptReader struct {
	space  *rule
	rests  map[rest]*rest
	loops  map[loopKey]*expr
	capped bool
}

type loopKey struct {
	of     *expr
	lo, hi int
}

// after is what may follow prompt in a text that e matches.
func after(e *expr, space *rule, prompt string) (*expr, error) {
	if prompt == "" {
		return e, nil
	}
	r := &promptReader{space: space, rests: map[rest]*rest{}, loops: map[loopKey]*expr{}}
	ways := []*rest{r.push(e, nil)}
	for at, c := range prompt {
		if ways = r.step(ways, c); len(ways) == 0 {
			return nil, fmt.Errorf("program: it cannot begin with the generation prompt: byte %d of %q", at, clip(prompt))
		}
	}
	if r.capped {
		return nil, fmt.Errorf("program: reading the generation prompt opens more than %d rules inside each other", maxOpen)
	}
	var kids []*expr
	for _, w := range ways {
		kids = append(kids, w.expr())
		if r.takesAnything(w) {
			break
		}
	}
	return alt(kids...), nil
}

func clip(s string) string {
	if len(s) > 200 {
		return "…" + strings.ToValidUTF8(s[len(s)-200:], "")
	}
	return s
}

// expr is the sequence of what is left.
func (w *rest) expr() *expr {
	var kids []*expr
	for ; w != nil; w = w.below {
		kids = append(kids, w.top)
	}
	return seq(kids...)
}

func (r *promptReader) push(e *expr, below *rest) *rest {
	if e == empty {
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

func (r *promptReader) pushAll(kids []*expr, below *rest) *rest {
	for i := len(kids) - 1; i >= 0; i-- {
		below = r.push(kids[i], below)
	}
	return below
}

// step reads c in each of ways.
func (r *promptReader) step(ways []*rest, c rune) []*rest {
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

// read reads c by the top of w, which is a leaf.
func (r *promptReader) read(w *rest, c rune) (*rest, bool) {
	switch e := w.top; e.op {
	case literal:
		s, found := strings.CutPrefix(e.text, string(c))
		return r.push(text(s), w.below), found
	case class:
		return w.below, e.set.has(c)
	case call: // of space, which in a prompt is any white space
		return w, strings.ContainsRune(" \t\r\n", c)
	}
	return nil, false
}

// leaves opens the tops of ways, in order of preference, until they are literals, classes or white space, and hands each
// to yield, until yield has seen enough. The end of everything is a nil way and no leaf.
func (r *promptReader) leaves(ways []*rest, yield func(*rest) bool) {
	seen := map[*rest]bool{}
	var open func(w *rest) bool
	open = func(w *rest) bool {
		if w == nil || seen[w] || r.capped {
			return true
		}
		seen[w] = true
		e := w.top
		switch e.op {
		case literal, class:
			return yield(w)
		case call:
			if e.rule == r.space {
				return yield(w) && open(w.below)
			}
			return open(r.push(e.rule.body, w.below))
		case sequence:
			return open(r.pushAll(e.kids, w.below))
		case choice:
			for _, k := range e.kids {
				if !open(r.push(k, w.below)) {
					return false
				}
			}
		case repeat:
			if !open(r.push(e.kids[0], r.push(r.once(e), w.below))) {
				return false
			}
			return e.min > 0 || open(w.below)
		}
		return true
	}
	for _, w := range ways {
		if !open(w) {
			return
		}
	}
}

// once is what is left of a repetition after one more time.
func (r *promptReader) once(e *expr) *expr {
	lo, hi := max(e.min-1, 0), e.max
	if hi > 0 {
		hi--
	}
	if lo == e.min && hi == e.max {
		return e
	}
	key := loopKey{e.kids[0], lo, hi}
	if l := r.loops[key]; l != nil {
		return l
	}
	l := times(lo, hi, e.kids[0])
	r.loops[key] = l
	return l
}

// takesAnything says whether w can go on with every character.
func (r *promptReader) takesAnything(w *rest) bool {
	var all charset
	r.leaves([]*rest{w}, func(w *rest) bool {
		switch e := w.top; e.op {
		case literal:
			for _, c := range e.text {
				all = all.union(charset{peg.Range{Lo: c, Hi: c}})
				break
			}
		case class:
			all = all.union(e.set)
		case call:
			all = all.union(charsOf(" \t\r\n"))
		}
		return !all.every()
	})
	return all.every()
}
