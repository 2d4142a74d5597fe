package grammar

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/dragoman-project/dragoman/sdk/peg"
)

// Text up to a delimiter is every text that contains no delimiter: the automaton of Aho and Corasick, without the states
// in which a delimiter is complete, and with states merged that cannot be told apart. Where it is known which delimiter
// follows, the automaton takes that in as well: then it is exact also for delimiters that overlap with themselves ("x````"
// is no text and "```"), and an engine need not guess whether a character begins the delimiter.

// scanner is that automaton. State 0 is the start.
type scanner struct {
	next [][]arc // by state
	ends []bool  // the states in which text may end; nil: in any, or, if closed, in none
	// closed says that it ends with a delimiter.
	closed bool
}

// arc leads by one character to a state, to dead or to done. Every character without an arc leads to state 0. The arcs of
// a state are in the order of their characters.
type arc struct {
	char rune
	to   int
}

const (
	dead = -1
	done = -2 // the closing delimiter is complete
)

// newScanner makes the automaton for text that contains none of delims, followed by the one of them that is last, if any.
func newScanner(delims []string, last string) *scanner {
	t := newTrie(delims)
	s := &scanner{next: make([][]arc, len(t.nodes)), closed: last != ""}
	for _, q := range t.order {
		s.next[q] = t.arcs(q, last, s.next)
	}
	return s.minimal()
}

// newGuarded makes the automaton for text that contains none of delims even where one of them follows: it does not end in
// the beginning of one that would then be complete too early.
func newGuarded(delims []string) *scanner {
	t := newTrie(delims)
	s := &scanner{next: make([][]arc, len(t.nodes)), ends: make([]bool, len(t.nodes))}
	for _, q := range t.order {
		s.next[q] = t.arcs(q, "", s.next)
	}
	for q, text := range t.prefixes() {
		s.ends[q] = !slices.ContainsFunc(delims, func(d string) bool { return early(text, d, delims) })
	}
	return s.minimal()
}

// early says whether a delimiter begins within text if d follows it.
func early(text, d string, delims []string) bool {
	return slices.ContainsFunc(delims, func(other string) bool {
		at := strings.Index(text+d, other)
		return at >= 0 && at < len(text)
	})
}

// overlap says whether the end of some text and a delimiter behind it may contain a delimiter that begins earlier.
func overlap(delims []string) bool {
	return slices.ContainsFunc(newTrie(delims).prefixes(), func(text string) bool {
		complete := slices.ContainsFunc(delims, func(d string) bool { return strings.Contains(text, d) })
		return !complete && slices.ContainsFunc(delims, func(d string) bool { return early(text, d, delims) })
	})
}

// trie holds texts, character by character, with the failure links of the automaton.
type trie struct {
	nodes []trieNode
	order []int // nodes, each behind those of shorter texts; set by link
}

type trieNode struct {
	kids map[rune]int
	fail int
	text string // the text that ends here, if one does
	end  bool   // a text ends here, or a suffix of what leads here is one
}

func newTrie(texts []string) *trie {
	t := &trie{nodes: []trieNode{{kids: map[rune]int{}}}}
	for _, text := range texts {
		t.add(text)
	}
	t.link()
	return t
}

func (t *trie) add(text string) {
	at := 0
	for _, r := range text {
		kid, ok := t.nodes[at].kids[r]
		if !ok {
			kid = len(t.nodes)
			t.nodes = append(t.nodes, trieNode{kids: map[rune]int{}})
			t.nodes[at].kids[r] = kid
		}
		at = kid
	}
	t.nodes[at].text, t.nodes[at].end = text, true
}

// prefixes are the texts that lead to the nodes.
func (t *trie) prefixes() []string {
	out := make([]string, len(t.nodes))
	for _, at := range t.order {
		for r, kid := range t.nodes[at].kids {
			out[kid] = out[at] + string(r)
		}
	}
	return out
}

// letters are the characters that lead on from a node, in order.
func (n *trieNode) letters() []rune { return slices.Sorted(maps.Keys(n.kids)) }

// link sets the failure links, breadth first: a node's is the longest proper suffix of its text that is in the trie.
func (t *trie) link() {
	t.order = []int{0}
	for i := 0; i < len(t.order); i++ {
		at := t.order[i]
		for _, r := range t.nodes[at].letters() {
			kid := t.nodes[at].kids[r]
			t.order = append(t.order, kid)
			if at == 0 {
				continue
			}
			fail := t.goTo(t.nodes[at].fail, r)
			t.nodes[kid].fail = fail
			t.nodes[kid].end = t.nodes[kid].end || t.nodes[fail].end
		}
	}
}

func (t *trie) goTo(at int, r rune) int {
	for {
		if kid, ok := t.nodes[at].kids[r]; ok {
			return kid
		}
		if at == 0 {
			return 0
		}
		at = t.nodes[at].fail
	}
}

// arcs are those to the kids of at, and for other characters those of the node that it fails to, which are in next.
func (t *trie) arcs(at int, last string, next [][]arc) []arc {
	n := &t.nodes[at]
	var out []arc
	for _, r := range n.letters() {
		out = append(out, arc{r, t.target(n.kids[r], last)})
	}
	if at == 0 {
		return out
	}
	for _, a := range next[n.fail] {
		if _, own := n.kids[a.char]; !own {
			out = append(out, a)
		}
	}
	slices.SortFunc(out, func(a, b arc) int { return cmp.Compare(a.char, b.char) })
	return out
}

// target is a node as the end of an arc. It is done where last is complete and no longer text is.
func (t *trie) target(node int, last string) int {
	switch n := &t.nodes[node]; {
	case !n.end:
		return node
	case last != "" && n.text == last:
		return done
	}
	return dead
}

// minimal merges the states that cannot be told apart, and drops those that cannot be reached.
func (s *scanner) minimal() *scanner {
	classes, count := make([]int, len(s.next)), 1
	for {
		ids := map[string]int{}
		refined := make([]int, len(s.next))
		var key []byte
		for q := range s.next {
			key = s.signature(key[:0], q, classes)
			id, ok := ids[string(key)]
			if !ok {
				id = len(ids)
				ids[string(key)] = id
			}
			refined[q] = id
		}
		classes = refined
		if len(ids) == count {
			return s.merged(classes)
		}
		count = len(ids)
	}
}

// signature appends what tells q from states of other classes.
func (s *scanner) signature(key []byte, q int, classes []int) []byte {
	key = binary.AppendVarint(key, int64(classes[q]))
	if s.ends != nil && s.ends[q] {
		key = append(key, 1)
	}
	for _, a := range s.next[q] {
		to := a.to
		if to >= 0 {
			if to = classes[to]; to == classes[0] {
				continue
			}
		}
		key = binary.AppendVarint(binary.AppendVarint(key, int64(a.char)), int64(to))
	}
	return key
}

func (s *scanner) merged(classes []int) *scanner {
	m := &scanner{closed: s.closed}
	number := map[int]int{classes[0]: 0}
	for queue := []int{0}; len(queue) > 0; queue = queue[1:] {
		var row []arc
		for _, a := range s.next[queue[0]] {
			if a.to >= 0 {
				n, ok := number[classes[a.to]]
				if !ok {
					n = len(number)
					number[classes[a.to]] = n
					queue = append(queue, a.to)
				}
				a.to = n
			}
			row = append(row, a)
		}
		m.next = append(m.next, row)
		if s.ends != nil {
			m.ends = append(m.ends, s.ends[queue[0]])
		}
	}
	return m
}

// rules makes one rule for each state, named name, name-1, name-2 and so on by named, and returns the call of the first.
func (s *scanner) rules(name string, named func(string) *rule) *expr {
	states := []*rule{named(name)}
	for q := range s.next[1:] {
		states = append(states, named(fmt.Sprintf("%s-%d", states[0].name, q+1)))
	}
	for q, row := range s.next {
		states[q].body = s.body(row, states, s.ends == nil && !s.closed || s.ends != nil && s.ends[q])
	}
	return states[0].call()
}

// body is what a state reads; ends says that the text may end there.
func (s *scanner) body(row []arc, states []*rule, ends bool) *expr {
	var away []peg.Range // the characters that do not lead to state 0
	var targets []int
	to := map[int][]peg.Range{}
	for _, a := range row {
		if a.to == 0 {
			continue
		}
		r := peg.Range{Lo: a.char, Hi: a.char}
		away = append(away, r)
		if a.to == dead {
			continue
		}
		if to[a.to] == nil {
			targets = append(targets, a.to)
		}
		to[a.to] = append(to[a.to], r)
	}
	kids := []*expr{seq(oneOf(newCharset(away...).complement()), states[0].call())}
	if ends {
		kids = append([]*expr{empty}, kids...)
	}
	for _, t := range targets {
		if t == done {
			kids = append(kids, chars(to[t]...))
			continue
		}
		kids = append(kids, seq(chars(to[t]...), states[t].call()))
	}
	return alt(kids...)
}

// untils are the rules for text up to delimiters, each made once.
type untils struct {
	rules map[string]*expr
	scans map[*rule]scan
}

// scan is text up to the nearest of delims; if last is not empty, the text and that delimiter.
type scan struct {
	delims []string
	last   string
}

func newUntils() untils { return untils{map[string]*expr{}, map[*rule]scan{}} }

// named lists the scans by the names of their rules. Rules that are written the same have the same name, and say the same.
func (u untils) named() map[string]scan {
	out := make(map[string]scan, len(u.scans))
	for r, s := range u.scans {
		out[r.name] = s
	}
	return out
}

// until is the rule for text up to the nearest of delims.
func (b *builder) until(delims []string) *expr {
	delims = slices.Compact(slices.Sorted(slices.Values(delims)))
	switch {
	case len(delims) == 0:
		return star(oneOf(everyChar))
	case delims[0] == "":
		return empty
	}
	return b.scan("until", delims, "")
}

// through is text up to the nearest of delims, and that delimiter, which must be last.
func (b *builder) through(delims []string, last string) *expr { return b.scan("through", delims, last) }

func (b *builder) scan(name string, delims []string, last string) *expr {
	key := strings.Join(delims, "\x00") + "\x00\x00" + last
	if e, ok := b.untils.rules[key]; ok {
		return e
	}
	e := newScanner(delims, last).rules(name, b.named)
	b.untils.rules[key] = e
	b.untils.scans[e.rule] = scan{delims, last}
	return e
}

// guarded is text up to the nearest of delims where one of them may follow; nil unless e is text up to delimiters that can
// overlap.
func (b *builder) guarded(e *expr) *expr {
	if e.op != call {
		return nil
	}
	delims := b.untils.open(e.rule)
	key := strings.Join(delims, "\x00") + "\x00\x00\x00"
	if known, ok := b.untils.rules[key]; ok || len(delims) == 0 {
		return known
	}
	b.untils.rules[key] = nil
	if overlap(delims) {
		b.untils.rules[key] = newGuarded(delims).rules("until", b.named)
	}
	return b.untils.rules[key]
}

// guard keeps text from ending in what would be the beginning of a delimiter with what follows it.
func (b *builder) guard(kids []*expr) []*expr {
	for i := range max(len(kids)-1, 0) {
		text := b.guarded(kids[i])
		if text == nil {
			continue
		}
		rest := seq(b.guard(kids[i+1:])...)
		way := seq(text, rest)
		if nullable(rest, map[*rule]bool{b.space: true}) {
			way = alt(way, kids[i])
		}
		return append(slices.Clone(kids[:i]), way)
	}
	return kids
}

// turns repeats e any number of times, from lo on, where it ends in text that the next time must not be mistaken to begin in.
func (b *builder) turns(lo int, e *expr) *expr {
	kids := e.kids
	if e.op != sequence || lo > 1 {
		return nil
	}
	text := b.guarded(kids[len(kids)-1])
	if text == nil {
		return nil
	}
	before := seq(kids[:len(kids)-1]...)
	all := seq(before, star(seq(text, before)), kids[len(kids)-1])
	if lo == 0 {
		return optional(all)
	}
	return all
}

// open are the delimiters of a rule for text alone.
func (u untils) open(r *rule) []string {
	if s := u.scans[r]; s.last == "" {
		return s.delims
	}
	return nil
}

// closed joins text with the delimiter behind it, where kids have one after the other.
func (b *builder) closed(kids []*expr) []*expr {
	var out []*expr
	for _, k := range kids {
		if n := len(out); n > 0 && k.op == literal && out[n-1].op == call {
			delims := b.untils.open(out[n-1].rule)
			if i := slices.IndexFunc(delims, func(d string) bool { return strings.HasPrefix(k.text, d) }); i >= 0 {
				out[n-1] = b.through(delims, delims[i])
				k = text(k.text[len(delims[i]):])
			}
		}
		out = append(out, k)
	}
	return out
}
