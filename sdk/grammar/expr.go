package grammar

import (
	"slices"
	"unicode/utf8"

	"github.com/dragoman-project/dragoman/sdk/peg"
)

// op is the kind of an expr.
type op uint8

const (
	never    op = iota // no text at all
	literal            // text; the empty text is the empty expression
	class              // one character of set
	sequence           // kids, one after the other
	choice             // one of kids; order is the program's preference and means nothing to an engine
	repeat             // kids[0], min to max times; max < 0: without bound
	call               // rule
	token              // the special token text, which is no text; only on the way to Lark
)

// expr is the right side of a rule, or a part of it. An expr never changes once made and may have several parents.
type expr struct {
	op       op
	text     string
	set      charset
	kids     []*expr
	min, max int
	rule     *rule
}

// rule is a named expr. Its body is set once, possibly after calls of the rule were made.
type rule struct {
	name   string
	body   *expr
	called *expr // the call of it, made once
}

var (
	nothing = &expr{op: never}
	empty   = &expr{op: literal}
)

// letters are the literals of one ASCII character, of which grammars have many.
var letters = func() (out [utf8.RuneSelf]*expr) {
	for r := range out {
		out[r] = &expr{op: literal, text: string(rune(r))}
	}
	return out
}()

func text(s string) *expr {
	switch {
	case s == "":
		return empty
	case len(s) == 1 && s[0] < utf8.RuneSelf:
		return letters[s[0]]
	}
	return &expr{op: literal, text: s}
}

func chars(ranges ...peg.Range) *expr { return oneOf(newCharset(ranges...)) }

func oneOf(s charset) *expr {
	switch {
	case len(s) == 0:
		return nothing
	case len(s) == 1 && s[0].Lo == s[0].Hi && utf8.ValidRune(s[0].Lo):
		return text(string(s[0].Lo))
	}
	return &expr{op: class, set: s}
}

func (r *rule) call() *expr {
	if r.called == nil {
		r.called = &expr{op: call, rule: r}
	}
	return r.called
}

// seq joins kids: nested sequences are flattened, neighbouring literals merged, and nothing in it leaves nothing.
func seq(kids ...*expr) *expr {
	if len(kids) == 1 {
		return kids[0]
	}
	flat := make([]*expr, 0, len(kids))
	for _, k := range kids {
		switch {
		case k.op == never:
			return nothing
		case k.op == sequence:
			for _, inner := range k.kids {
				flat = appendKid(flat, inner)
			}
		default:
			flat = appendKid(flat, k)
		}
	}
	switch len(flat) {
	case 0:
		return empty
	case 1:
		return flat[0]
	}
	return &expr{op: sequence, kids: flat}
}

func appendKid(flat []*expr, k *expr) []*expr {
	if k.op != literal {
		return append(flat, k)
	}
	if k.text == "" {
		return flat
	}
	if n := len(flat); n > 0 && flat[n-1].op == literal {
		flat[n-1] = text(flat[n-1].text + k.text)
		return flat
	}
	return append(flat, k)
}

// alt offers kids: nested choices are flattened, equal alternatives said once, and nothing left out.
func alt(kids ...*expr) *expr {
	flat := make([]*expr, 0, len(kids))
	for _, k := range kids {
		switch k.op {
		case never:
		case choice:
			flat = append(flat, k.kids...)
		default:
			flat = append(flat, k)
		}
	}
	flat = distinct(flat)
	switch len(flat) {
	case 0:
		return nothing
	case 1:
		return flat[0]
	}
	return &expr{op: choice, kids: flat}
}

// maxCompared bounds the alternatives that are compared with each other; among more only equal literals are found.
const maxCompared = 64

// distinct leaves out alternatives that were there before. It uses the room of kids.
func distinct(kids []*expr) []*expr {
	var texts map[string]bool
	if len(kids) > maxCompared {
		texts = make(map[string]bool, len(kids))
	}
	out := kids[:0]
	for _, k := range kids {
		switch {
		case texts == nil && slices.ContainsFunc(out, func(o *expr) bool { return same(o, k) }), texts[k.text] && k.op == literal:
			continue
		case texts != nil && k.op == literal:
			texts[k.text] = true
		}
		out = append(out, k)
	}
	return out
}

// same says whether a and b are written the same.
func same(a, b *expr) bool {
	if a == b {
		return true
	}
	if a.op != b.op || a.text != b.text || a.rule != b.rule || a.min != b.min || a.max != b.max {
		return false
	}
	return slices.Equal(a.set, b.set) && slices.EqualFunc(a.kids, b.kids, same)
}

// times repeats e; hi < 0 means without bound.
func times(lo, hi int, e *expr) *expr {
	switch {
	case hi == 0 || e == empty:
		return empty
	case e.op == never && lo == 0:
		return empty
	case e.op == never:
		return nothing
	case lo == 1 && hi == 1:
		return e
	case e.op == repeat && e.min == 0 && e.max < 0 && lo <= 1:
		return e
	}
	if hi < 0 && mayBeEmpty(e) {
		lo, e = 0, solid(e)
	}
	return &expr{op: repeat, min: lo, max: hi, kids: []*expr{e}}
}

// mayBeEmpty says whether e matches the empty text, as far as that shows without looking into rules.
func mayBeEmpty(e *expr) bool { return nullable(e, nil) }

// solid is e without the empty text, which it matches. Repeated without bound, it says the same, and llama.cpp, for which
// a repetition of what may be empty is a rule that begins with itself, takes it.
func solid(e *expr) *expr { return solidly(e, nil, nil) }

// solidly is solid where the rules known may be empty, and rules says what stands in place of their calls.
func solidly(e *expr, known map[*rule]bool, rules func(*rule) *expr) *expr {
	if !nullable(e, known) {
		return e
	}
	var kids []*expr
	switch e.op {
	case call:
		return rules(e.rule)
	case repeat:
		return times(1, e.max, solidly(e.kids[0], known, rules))
	case choice:
		for _, k := range e.kids {
			kids = append(kids, solidly(k, known, rules))
		}
	case sequence:
		for i, k := range e.kids {
			kids = append(kids, seq(append([]*expr{solidly(k, known, rules)}, e.kids[i+1:]...)...))
			if !nullable(k, known) {
				break
			}
		}
	}
	return alt(kids...)
}

func optional(kids ...*expr) *expr { return times(0, 1, seq(kids...)) }
func star(e *expr) *expr           { return times(0, -1, e) }
