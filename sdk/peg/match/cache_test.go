package match_test

import (
	"testing"

	"github.com/dragoman-project/dragoman/sdk/peg"
	"github.com/dragoman-project/dragoman/sdk/peg/match"
)

func TestACacheSharesTheCodeOfEqualPrograms(t *testing.T) {
	var c match.Cache
	program := func(text string) *peg.Program {
		var b peg.Builder
		return b.Build(b.Seq(b.Lit(text), b.End()))
	}
	get := func(text string, specials ...string) *match.Code {
		t.Helper()
		code, err := c.Compile(program(text), match.Options{Specials: specials})
		if err != nil {
			t.Fatal(err)
		}
		return code
	}
	one := get("a")
	if get("a") != one {
		t.Error("equal programs do not share a code")
	}
	if get("b") == one || get("a", "a") == one {
		t.Error("programs that differ share a code")
	}
	if get("c", "x", "y") != get("c", "y", "x") {
		t.Error("the order of special tokens matters")
	}
	if _, err := c.Compile(&peg.Program{}, match.Options{}); err == nil {
		t.Error("a program without nodes compiles")
	}
	if s := c.Stats(); s.Hits != 2 || s.Misses != 5 || s.Entries != 4 {
		t.Errorf("%+v", s)
	}
}

func TestACacheKeepsFewCodesAndThoseInUse(t *testing.T) {
	const nodes = 100
	program := func(i int) *peg.Program {
		var b peg.Builder
		p := b.Build(b.Seq(b.Repeat(i, i+1, b.Any()), b.End()))
		p.Nodes = append(p.Nodes, make([]peg.Node, nodes-len(p.Nodes))...)
		return p
	}
	var unbounded match.Cache
	if _, err := unbounded.Compile(program(0), match.Options{}); err != nil {
		t.Fatal(err)
	}
	c := match.NewCache(16 * unbounded.Stats().Bytes)
	used, err := c.Compile(program(0), match.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 100 {
		if _, err := c.Compile(program(1+i), match.Options{}); err != nil {
			t.Fatal(err)
		}
		if again, _ := c.Compile(program(0), match.Options{}); again != used {
			t.Fatalf("after %d others the code was compiled again", i+1)
		}
		if kept := c.Stats().Entries; kept > 16 {
			t.Fatalf("%d codes are kept", kept)
		}
	}
}
