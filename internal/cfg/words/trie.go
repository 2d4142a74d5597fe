package words

import (
	"maps"
	"slices"
)

// trie holds texts character by character, with the failure links of Aho and Corasick.
type trie struct {
	nodes []trieNode
	order []int // nodes by increasing depth; set by link
}

type trieNode struct {
	kids map[rune]int
	fail int
	text string // the text that ends here, if any
	end  bool   // a text ends here, or a suffix of the path to here is one
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

// prefixes returns the path to each node.
func (t *trie) prefixes() []string {
	out := make([]string, len(t.nodes))
	for _, at := range t.order {
		for r, kid := range t.nodes[at].kids {
			out[kid] = out[at] + string(r)
		}
	}
	return out
}

// letters returns the characters of the edges to the children, sorted.
func (n *trieNode) letters() []rune { return slices.Sorted(maps.Keys(n.kids)) }

// link sets the failure links breadth first: from each node to that of its longest proper suffix in
// the trie.
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
