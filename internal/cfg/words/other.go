package words

import (
	"github.com/dragoman-project/dragoman/internal/cfg"
	"github.com/dragoman-project/dragoman/internal/cfg/charset"
)

// OtherThan is a text that is none of words, nor one of them cut short: it leaves the tree of their characters somewhere, by
// one of plain or by escape, with which none of words goes on, and has any chars from there on.
func OtherThan(words []string, plain charset.Set, escape, chars *cfg.Expr) *cfg.Expr {
	t := newTrie(nil)
	for _, w := range words {
		t.add(w)
	}
	o := other{trie: t, plain: plain, escape: escape, chars: chars}
	if t.nodes[0].end {
		return o.leave(0)
	}
	return cfg.Optional(o.leave(0))
}

// other is what it takes to leave a tree of names.
type other struct {
	trie   *trie
	plain  charset.Set // the characters that stand for themselves
	escape *cfg.Expr
	chars  *cfg.Expr // any number of characters
}

// leave goes on from node at to a text that is in the tree nowhere.
func (o other) leave(at int) *cfg.Expr {
	node := &o.trie.nodes[at]
	var kids []*cfg.Expr
	free := o.plain
	for _, r := range node.letters() {
		free = free.Minus(charset.Set{{Lo: r, Hi: r}})
		if r != '\\' {
			kids = append(kids, cfg.Seq(cfg.Text(string(r)), o.leave(node.kids[r])))
		}
	}
	return cfg.Alt(append(kids, cfg.Seq(cfg.Alt(cfg.Class(free), o.escape), o.chars))...)
}
