package words

import (
	"github.com/dragoman-project/dragoman/internal/cfg"
	"github.com/dragoman-project/dragoman/internal/cfg/charset"
)

// OtherThan returns the texts that are neither one of words nor a prefix of one: those that leave
// the trie of words, by a character of plain or by escape, which must not continue any of words,
// and go on with chars.
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

// other builds expressions for texts that leave a trie.
type other struct {
	trie   *trie
	plain  charset.Set // characters that stand for themselves
	escape *cfg.Expr
	chars  *cfg.Expr // any number of characters
}

// leave returns the texts that leave the trie at or below the node at.
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
