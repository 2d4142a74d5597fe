package sound

import (
	"bytes"
	"fmt"

	"github.com/dragoman-project/dragoman/sdk/peg/internal/code"
	"github.com/dragoman-project/dragoman/sdk/peg/internal/scan"
)

// safe reports whether nothing after a commitment at p can fail before the frame of the choice is gone.
func (s *search) safe(p point) bool {
	w := &walk{search: s, seen: map[string]bool{}}
	switch s.Insts[p.pc].Op {
	case code.OpLiteral, code.OpRelease: // they are complete when they commit
		return w.safe(p.pc+1, p.up, ahead{})
	}
	return w.safe(p.pc, p.up, ahead{})
}

// allSafe reports whether every commitment that the first alternative can reach, whatever the text, is safe. Then no texts
// need to be searched.
func (s *search) allSafe() bool {
	seen := map[point]bool{}
	work := []point{{pc: s.choice + 1}}
	for len(work) > 0 {
		p := work[len(work)-1]
		work = work[:len(work)-1]
		if seen[p] {
			continue
		}
		seen[p] = true
		if len(seen) > maxWalk || depth(p.up) > maxCalls || s.mayCommit(p) && !s.safe(p) {
			return false
		}
		work = append(work, s.next(p)...)
	}
	return true
}

// mayCommit reports whether the instruction at p commits for some text.
func (s *search) mayCommit(p point) bool {
	in := &s.Insts[p.pc]
	return in.Speaks() || in.Op == code.OpRelease && s.commits(p.pc)
}

// next returns where the code can go from p for some text.
func (s *search) next(p point) []point {
	w := closing{checker: s.checker, within: s.choice, seen: map[point]bool{p: true}}
	switch in := &s.Insts[p.pc]; in.Op {
	case code.OpEnd, code.OpOpen, code.OpClose, code.OpHold, code.OpRelease:
		return []point{p.to(p.pc + 1)}
	default:
		if in.Op.Consumes() {
			return []point{p.to(p.pc + 1)}
		}
		w.move(p, in)
	}
	return w.out
}

// walk follows all paths through the code.
type walk struct {
	*search
	seen map[string]bool
}

// maxWalk is how many places a walk may visit; beyond that nothing counts as safe.
const maxWalk = 5000

// ahead is what is known of the text that follows. If known is set, it begins with one of texts, or ends if there are none.
type ahead struct {
	known bool
	texts [][]byte
}

func (w *walk) safe(pc int32, up *returnTo, next ahead) bool {
	key := fmt.Sprintf("%d %p %q %t", pc, up, next.texts, next.known)
	if w.seen[key] {
		return true
	}
	w.seen[key] = true
	if len(w.seen) > maxWalk || depth(up) > maxCalls {
		return false
	}
	in := &w.Insts[pc]
	switch in.Op {
	case code.OpUntil:
		return w.safe(pc+1, up, afterUntil(in.Until))
	case code.OpSpace:
		return w.safe(pc+1, up, next.afterSpace())
	case code.OpOpen, code.OpClose, code.OpHold, code.OpRelease:
		return w.safe(pc+1, up, next)
	case code.OpLiteral:
		return next.begin(in.Literal.Text) && w.safe(pc+1, up, ahead{})
	case code.OpPeek:
		looked := &w.Insts[pc+1]
		return in.Of == pc+2 && looked.Op == code.OpLiteral && next.begin(looked.Literal.Text) &&
			w.safe(w.Insts[in.Of].To, up, next)
	case code.OpChoice:
		return w.choice(pc, in, up, next)
	case code.OpChosen, code.OpAgain:
		if in.Of == w.search.choice && up == nil {
			return true
		}
		if in.Op == code.OpAgain {
			return w.safe(w.Insts[in.Of].To, up, ahead{})
		}
		return w.safe(in.To, up, next)
	case code.OpCall:
		return w.safe(in.To, w.enter(point{up: up}, in.To, pc+1).up, next)
	case code.OpReturn:
		return up != nil && w.safe(up.pc, up.up, next)
	case code.OpEnd:
		return next.known && len(next.texts) == 0 && w.safe(pc+1, up, next)
	case code.OpHalt:
		return true
	}
	return false
}

// choice follows the alternatives that the text ahead allows. Only for a literal it is certain whether the first one is taken.
func (w *walk) choice(pc int32, in *code.Inst, up *returnTo, next ahead) bool {
	first := &w.Insts[pc+1]
	takes, skips := ahead{known: true}, ahead{known: true}
	certain := next.known && first.Op == code.OpLiteral
	for _, t := range next.texts {
		switch {
		case in.First != nil && !in.First.Has(t[0]), first.Op == code.OpLiteral && !overlap(t, first.Literal.Text):
			skips.texts = append(skips.texts, t)
		case first.Op == code.OpLiteral && bytes.HasPrefix(t, first.Literal.Text):
			takes.texts = append(takes.texts, t)
		default:
			certain = false
		}
	}
	if !certain && (!next.known || len(skips.texts) < len(next.texts)) {
		return w.safe(in.To, up, next) && w.safe(w.after(pc), up, ahead{})
	}
	return (len(takes.texts) == 0 || w.safe(pc+1, up, takes)) && (len(skips.texts) == 0 || w.safe(in.To, up, skips))
}

func overlap(a, b []byte) bool { return bytes.HasPrefix(a, b) || bytes.HasPrefix(b, a) }

// after returns where the first alternative of the choice at pc goes when it has matched.
func (c *checker) after(pc int32) int32 {
	end := &c.Insts[c.Insts[pc].Of]
	if end.Op == code.OpAgain {
		return c.Insts[pc].To
	}
	return end.To
}

// afterUntil returns what follows an until.
func afterUntil(u *scan.Until) ahead {
	a := ahead{known: true}
	for _, d := range u.Delims {
		a.texts = append(a.texts, d.Text)
	}
	return a
}

// begin reports whether everything that may follow begins with text.
func (a ahead) begin(text []byte) bool {
	for _, t := range a.texts {
		if !bytes.HasPrefix(t, text) {
			return false
		}
	}
	return a.known
}

// afterSpace returns what follows white space: unknown, if what follows can begin with white space.
func (a ahead) afterSpace() ahead {
	for _, t := range a.texts {
		if scan.IsBlank(t[0]) {
			return ahead{}
		}
	}
	return a
}
