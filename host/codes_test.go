package host

import (
	"reflect"
	"testing"

	"github.com/dragoman-project/dragoman/sdk/peg"
	"github.com/dragoman-project/dragoman/sdk/peg/match"
)

// TestEveryFieldOfANodeTellsProgramsApart changes one field after the other, also those that are yet to be added.
func TestEveryFieldOfANodeTellsProgramsApart(t *testing.T) {
	seen := map[codeKey]string{codeKeyOf(&peg.Program{Nodes: make([]peg.Node, 1)}, match.Options{}): "nothing"}
	note := func(what string, key codeKey) {
		if other, ok := seen[key]; ok {
			t.Errorf("%s and %s are not told apart", what, other)
		}
		seen[key] = what
	}
	for i := range reflect.TypeFor[peg.Node]().NumField() {
		var n peg.Node
		field := reflect.ValueOf(&n).Elem().Field(i)
		switch field.Kind() {
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
		note(reflect.TypeFor[peg.Node]().Field(i).Name, codeKeyOf(&peg.Program{Nodes: []peg.Node{n}}, match.Options{}))
	}
	note("another root", codeKeyOf(&peg.Program{Nodes: make([]peg.Node, 1), Root: 1}, match.Options{}))
	note("specials", codeKeyOf(&peg.Program{Nodes: make([]peg.Node, 1)}, match.Options{Specials: []string{"x"}}))
}

func TestCodesAreFewAndThoseInUseStay(t *testing.T) {
	var c codes
	program := func(i int) *peg.Program {
		var b peg.Builder
		p := b.Build(b.Seq(b.Lit(string(rune('a'+i%26))), b.Repeat(i, i+1, b.Any()), b.End()))
		p.Nodes = append(p.Nodes, make([]peg.Node, maxCodeNodes/16)...)
		return p
	}
	used, err := c.compile(program(0), match.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 100 {
		if _, err := c.compile(program(1+i), match.Options{}); err != nil {
			t.Fatal(err)
		}
		if again, _ := c.compile(program(0), match.Options{}); again != used {
			t.Fatalf("after %d others the code was made again", i+1)
		}
		if kept := len(c.recent) + len(c.before); kept > 32 {
			t.Fatalf("%d codes are kept", kept)
		}
	}
}
