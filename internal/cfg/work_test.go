package cfg

import (
	"fmt"
	"testing"

	"github.com/dragoman-project/dragoman/internal/cfg/charset"
)

// chain returns n rules, each of which calls the next: "x", optionally followed by the rest.
func chain(n int, name string) *Rule {
	last := &Rule{Name: name, Body: Text("y")}
	for i := range n {
		last = &Rule{Name: fmt.Sprintf("%s-%d", name, i), Body: Seq(Chars(charset.Range{Lo: 'a', Hi: 'c'}), Optional(last.Call()))}
	}
	return last
}

// Properties of a rule follow from those of its callees, so one pass suffices for a chain of any
// length, and one more confirms it.
func TestLongChainsOfRulesTakeNoMorePassesThanShortOnes(t *testing.T) {
	for _, n := range []int{3, 300} {
		root := &Rule{Name: "root", Body: Alt(Seq(Text("1"), chain(n, "a").Call()), Seq(Text("2"), chain(n, "b").Call()))}
		_, rules := Order(root)
		for what, holds := range map[string]func(*Expr, map[*Rule]bool) bool{"productive": productive, "nullable": Nullable} {
			if _, passes := Fixpoint(rules, holds); passes > 2 {
				t.Errorf("%d rules: %d passes to find what is %s", n, passes, what)
			}
		}
		if _, passes := Merge(nil, root); passes > 2 {
			t.Errorf("%d rules: %d passes to merge", n, passes)
		}
		if got := Reachable(root); len(got) != n+1 || got[1].Name != fmt.Sprintf("a-%d", n-1) {
			t.Errorf("%d rules in two equal chains: %d are left, the first %s", n, len(got), got[1].Name)
		}
	}
}
