package grammar

import "github.com/dragoman-project/dragoman/sdk/peg"

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
	name string
	body *expr
}

var (
	nothing = &expr{op: never}
	empty   = &expr{op: literal}
)

func text(s string) *expr {
	if s == "" {
		return empty
	}
	return &expr{op: literal, text: s}
}

func chars(ranges ...peg.Range) *expr { return oneOf(newCharset(ranges...)) }

func oneOf(s charset) *expr {
	if len(s) == 0 {
		return nothing
	}
	return &expr{op: class, set: s}
}

func (r *rule) call() *expr { return &expr{op: call, rule: r} }

// seq joins kids: nested sequences are flattened, neighbouring literals merged, and nothing in it leaves nothing.
func seq(kids ...*expr) *expr {
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

// alt offers kids: nested choices are flattened, equal literals and calls said once, and nothing left out.
func alt(kids ...*expr) *expr {
	flat := make([]*expr, 0, len(kids))
	add := func(k *expr) {
		for _, f := range flat {
			if same(f, k) {
				return
			}
		}
		flat = append(flat, k)
	}
	for _, k := range kids {
		switch k.op {
		case never:
		case choice:
			for _, inner := range k.kids {
				add(inner)
			}
		default:
			add(k)
		}
	}
	switch len(flat) {
	case 0:
		return nothing
	case 1:
		return flat[0]
	}
	return &expr{op: choice, kids: flat}
}

// same recognises equal expressions where that is cheap.
func same(a, b *expr) bool {
	if a == b {
		return true
	}
	if a.op != b.op {
		return false
	}
	switch a.op {
	case literal:
		return a.text == b.text
	case call:
		return a.rule == b.rule
	}
	return false
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
	return &expr{op: repeat, min: lo, max: hi, kids: []*expr{e}}
}

func optional(kids ...*expr) *expr { return times(0, 1, seq(kids...)) }
func star(e *expr) *expr           { return times(0, -1, e) }

// reachable lists root and every rule called from it, in the order of first mention.
func reachable(root *rule) []*rule {
	var order []*rule
	seen := map[*rule]bool{}
	var walk func(e *expr)
	visit := func(r *rule) {
		if !seen[r] {
			seen[r] = true
			order = append(order, r)
		}
	}
	walk = func(e *expr) {
		if e.op == call {
			visit(e.rule)
		}
		for _, k := range e.kids {
			walk(k)
		}
	}
	visit(root)
	for i := 0; i < len(order); i++ {
		walk(order[i].body)
	}
	return order
}

// prune rewrites the rules reachable from root so that what can never match is left out, and reports whether root can
// match at all.
func prune(root *rule) bool {
	rules := reachable(root)
	live := map[*rule]bool{}
	for changed := true; changed; {
		changed = false
		for _, r := range rules {
			if !live[r] && productive(r.body, live) {
				live[r], changed = true, true
			}
		}
	}
	if len(live) < len(rules) || hasNever(rules) {
		for _, r := range rules {
			r.body = without(r.body, live)
		}
	}
	return live[root]
}

func hasNever(rules []*rule) bool {
	for _, r := range rules {
		if r.body.op == never {
			return true
		}
	}
	return false
}

func productive(e *expr, live map[*rule]bool) bool {
	switch e.op {
	case never:
		return false
	case call:
		return live[e.rule]
	case repeat:
		return e.min == 0 || productive(e.kids[0], live)
	case sequence:
		for _, k := range e.kids {
			if !productive(k, live) {
				return false
			}
		}
	case choice:
		for _, k := range e.kids {
			if productive(k, live) {
				return true
			}
		}
		return false
	}
	return true
}

// without is e with every part left out that can never match.
func without(e *expr, live map[*rule]bool) *expr {
	switch e.op {
	case call:
		if !live[e.rule] {
			return nothing
		}
		return e
	case sequence, choice, repeat:
		kids := make([]*expr, len(e.kids))
		for i, k := range e.kids {
			kids[i] = without(k, live)
		}
		switch e.op {
		case sequence:
			return seq(kids...)
		case choice:
			return alt(kids...)
		}
		return times(e.min, e.max, kids[0])
	}
	return e
}

// nullables tells which of rules match the empty text.
func nullables(rules []*rule) map[*rule]bool {
	known := map[*rule]bool{}
	for changed := true; changed; {
		changed = false
		for _, r := range rules {
			if !known[r] && nullable(r.body, known) {
				known[r], changed = true, true
			}
		}
	}
	return known
}

func nullable(e *expr, known map[*rule]bool) bool {
	switch e.op {
	case literal:
		return e.text == ""
	case call:
		return known[e.rule]
	case repeat:
		return e.min == 0 || nullable(e.kids[0], known)
	case sequence:
		for _, k := range e.kids {
			if !nullable(k, known) {
				return false
			}
		}
		return true
	case choice:
		for _, k := range e.kids {
			if nullable(k, known) {
				return true
			}
		}
	}
	return false
}
