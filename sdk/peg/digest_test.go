package peg_test

import (
	"reflect"
	"testing"

	"github.com/dragoman-project/dragoman/sdk/jsonschema"
	"github.com/dragoman-project/dragoman/sdk/peg"
)

// TestEveryFieldOfANodeTellsProgramsApart changes each field of a node; fields added later are covered, too.
func TestEveryFieldOfANodeTellsProgramsApart(t *testing.T) {
	seen := map[peg.Digest]string{(&peg.Program{Nodes: make([]peg.Node, 1)}).Digest(): "nothing"}
	note := func(what string, p peg.Program) {
		key := p.Digest()
		if other, ok := seen[key]; ok {
			t.Errorf("%s and %s have equal digests", what, other)
		}
		seen[key] = what
	}
	for i := range reflect.TypeFor[peg.Node]().NumField() {
		var n peg.Node
		field := reflect.ValueOf(&n).Elem().Field(i)
		switch field.Kind() {
		case reflect.Struct:
			field.Set(reflect.ValueOf(jsonschema.MustParse("{}")))
		case reflect.Slice:
			field.Set(reflect.MakeSlice(field.Type(), 1, 1))
		case reflect.String:
			field.SetString("x")
		case reflect.Bool:
			field.SetBool(true)
		case reflect.Uint8, reflect.Uint16:
			field.SetUint(1)
		default:
			field.SetInt(1)
		}
		note(reflect.TypeFor[peg.Node]().Field(i).Name, peg.Program{Nodes: []peg.Node{n}})
	}
	note("another root", peg.Program{Nodes: make([]peg.Node, 1), Root: 1})
	note("another node", peg.Program{Nodes: make([]peg.Node, 2)})
}

func TestASealedProgramIsTheSame(t *testing.T) {
	var b peg.Builder
	p := b.Build(b.Seq(b.Prompt("<"), b.Lit("a"), b.End()))
	sealed := p.Sealed()
	if !sealed.Equal(p) || !p.Equal(sealed) || sealed.String() != p.String() || sealed.Equal(nil) || sealed.Equal(&peg.Program{}) {
		t.Error("the sealed program differs")
	}
	if (*peg.Program)(nil).Equal(sealed) || !(*peg.Program)(nil).Equal(nil) {
		t.Error("nil equals a program, or differs from nil")
	}
	if sealed.Sealed() != sealed {
		t.Error("a sealed program was sealed again")
	}
	if bound := sealed.Bind("b"); bound.Digest() != p.Bind("b").Digest() || bound.Digest() == p.Digest() {
		t.Error("a bound program has the digest of the unbound one")
	}
}

func BenchmarkDigest(b *testing.B) {
	p := &peg.Program{Nodes: make([]peg.Node, 1000)}
	for i := range p.Nodes {
		p.Nodes[i] = peg.Node{Op: peg.Sequence, Kids: []peg.ID{1, 2}, Text: "<parameter="}
	}
	b.ReportAllocs()
	for b.Loop() {
		p.Digest()
	}
}
