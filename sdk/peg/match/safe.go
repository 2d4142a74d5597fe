package match

import (
	"bytes"
	"fmt"
)

// safe says that nothing after a commitment at p can fail before the frame of the choice is gone.
func (s *search) safe(p point) bool {
	w := &walk{search: s, seen: map[string]bool{}}
	switch s.insts[p.pc].op {
	case opLiteral, opRelease: // they are complete when they commit
		return w.safe(p.pc+1, p.up, ahead{})
	}
	return w.safe(p.pc, p.up, ahead{})
}

// allSafe says that every commitment that the first alternative can reach, whatever the text, is safe. Then there is no
// need to look for texts.
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

// mayCommit says that the instruction at p commits, for some text at least.
func (s *search) mayCommit(p point) bool {
	in := &s.insts[p.pc]
	return in.speaks() || in.op == opRelease && s.commits(p.pc)
}

// next is where the code can go from p on some text.
func (s *search) next(p point) []point {
	w := closing{checker: s.checker, within: s.choice, seen: map[point]bool{p: true}}
	switch in := &s.insts[p.pc]; in.op {
	case opLiteral, opSpace, opChars, opUntil, opString, opValue, opEnd, opOpen, opClose, opHold, opRelease:
		return []point{p.to(p.pc + 1)}
	default:
		w.move(p, in)
	}
	return w.out
}

// walk follows everything that the code can do.
type walk struct {
	*search
	seen map[string]bool
}

// maxWalk is how many places a walk may come to; beyond that nothing is safe.
const maxWalk = 5000

// ahead is what is known of the text that follows: if known, it begins with one of texts, or ends.
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
	in := &w.insts[pc]
	switch in.op {
	case opUntil:
		return w.safe(pc+1, up, in.until.ahead())
	case opSpace:
		return w.safe(pc+1, up, next.afterSpace())
	case opOpen, opClose, opHold, opRelease:
		return w.safe(pc+1, up, next)
	case opLiteral:
		return next.begin(in.literal.text) && w.safe(pc+1, up, ahead{})
	case opPeek:
		looked := &w.insts[pc+1]
		return in.of == pc+2 && looked.op == opLiteral && next.begin(looked.literal.text) &&
			w.safe(w.insts[in.of].to, up, next)
	case opChoice:
		return w.choice(pc, in, up, next)
	case opChosen, opAgain:
		if in.of == w.search.choice && up == nil {
			return true
		}
		if in.op == opAgain {
			return w.safe(w.insts[in.of].to, up, ahead{})
		}
		return w.safe(in.to, up, next)
	case opCall:
		return w.safe(in.to, w.enter(point{up: up}, in.to, pc+1).up, next)
	case opReturn:
		return up != nil && w.safe(up.pc, up.up, next)
	case opEnd:
		return next.known && len(next.texts) == 0 && w.safe(pc+1, up, next)
	case opHalt:
		return true
	}
	return false
}

// choice follows the alternatives that the text ahead allows. That the first one is taken is certain only for a literal.
func (w *walk) choice(pc int32, in *inst, up *returnTo, next ahead) bool {
	first := &w.insts[pc+1]
	takes, skips := ahead{known: true}, ahead{known: true}
	certain := next.known && first.op == opLiteral
	for _, t := range next.texts {
		switch {
		case in.first != nil && !in.first.has(t[0]), first.op == opLiteral && !overlap(t, first.literal.text):
			skips.texts = append(skips.texts, t)
		case first.op == opLiteral && bytes.HasPrefix(t, first.literal.text):
			takes.texts = append(takes.texts, t)
		default:
			certain = false
		}
	}
	if !certain && (!next.known || len(skips.texts) < len(next.texts)) {
		return w.safe(in.to, up, next) && w.safe(w.after(pc), up, ahead{})
	}
	return (len(takes.texts) == 0 || w.safe(pc+1, up, takes)) && (len(skips.texts) == 0 || w.safe(in.to, up, skips))
}

func overlap(a, b []byte) bool { return bytes.HasPrefix(a, b) || bytes.HasPrefix(b, a) }

// after is where the first alternative of the choice at pc goes when it has matched.
func (c *checker) after(pc int32) int32 {
	end := &c.insts[c.insts[pc].of]
	if end.op == opAgain {
		return c.insts[pc].to
	}
	return end.to
}

// ahead is what follows until.
func (u *until) ahead() ahead {
	a := ahead{known: true}
	for _, d := range u.delims {
		a.texts = append(a.texts, d.text)
	}
	return a
}

// begin says that all of what may follow begins with text.
func (a ahead) begin(text []byte) bool {
	for _, t := range a.texts {
		if !bytes.HasPrefix(t, text) {
			return false
		}
	}
	return a.known
}

// afterSpace is what follows white space: unknown, if what follows can begin with it.
func (a ahead) afterSpace() ahead {
	for _, t := range a.texts {
		if isBlank(t[0]) {
			return ahead{}
		}
	}
	return a
}
